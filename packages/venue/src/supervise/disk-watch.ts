import { statfs } from 'node:fs/promises';
import type { Logger } from '@oddlot/host/log';
import { refusal } from '@oddlot/protocol';
import type { Restriction } from '@oddlot/api/admission-guard';

/** In state `low`, the venue rejects new risk; in state `full`, it writes nothing (R-disk). */
export type DiskState = 'roomy' | 'low' | 'full';

type DiskWatchOptions = {
  readonly directory: string;
  readonly lowBytes: number;
  readonly fullBytes: number;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** Returns how many bytes the process can still write to a directory. */
  readonly freeBytes?: (directory: string) => Promise<number>;
  readonly everyMs?: number;
};

const EVERY_MS = 1_000;

/** Watches the free space in the data folder, and logs changes that affect the venue. */
export class DiskWatch {
  readonly #options: DiskWatchOptions;
  #timer: NodeJS.Timeout | undefined;
  #free = Infinity;
  #state: DiskState = 'roomy';

  private constructor(options: DiskWatchOptions) {
    this.#options = options;
  }

  static async start(options: DiskWatchOptions): Promise<DiskWatch> {
    const watch = new DiskWatch(options);
    await watch.look();
    watch.#timer = setInterval(() => void watch.look(), options.everyMs ?? EVERY_MS).unref();
    return watch;
  }

  get state(): DiskState {
    return this.#state;
  }

  get freeBytes(): number {
    return this.#free;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async look(): Promise<void> {
    const { directory, freeBytes = freeBytesOf, log } = this.#options;
    try {
      this.#free = await freeBytes(directory);
    } catch (error) {
      // The last state is kept, because writes fail anyway if there is no space.
      log.warn({ err: error, directory }, 'free space of the data folder could not be determined');
      return;
    }
    this.#become(this.#stateOf(this.#free));
  }

  #stateOf(free: number): DiskState {
    const { fullBytes, lowBytes } = this.#options;
    if (free < fullBytes) return 'full';
    return free < lowBytes ? 'low' : 'roomy';
  }

  #become(state: DiskState): void {
    if (state === this.#state) return;
    const { fullBytes, log, lowBytes } = this.#options;
    const facts = { freeBytes: this.#free, lowBytes, fullBytes };
    this.#state = state;
    if (state === 'full') log.warn(facts, 'disk full: writes stopped, reads continue');
    else if (state === 'low')
      log.warn(
        facts,
        'disk nearly full: accepting only cancels, reducing orders and operator actions',
      );
    else log.info(facts, 'disk space available again');
  }
}

export function watchDisk(
  config: {
    readonly data: string;
    readonly diskLowBytes: number;
    readonly diskFullBytes: number;
  },
  deps: Pick<DiskWatchOptions, 'log' | 'freeBytes'>,
): Promise<DiskWatch> {
  const { data: directory, diskFullBytes: fullBytes, diskLowBytes: lowBytes } = config;
  return DiskWatch.start({ ...deps, directory, lowBytes, fullBytes });
}

/** Returns the restriction of /exchange while disk space is low. */
export function diskRestriction(state: DiskState): Restriction | undefined {
  if (state === 'roomy') return undefined;
  return { stops: state === 'full' ? 'all' : 'risk', error: refusal('diskNearlyFull', []) };
}

async function freeBytesOf(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}
