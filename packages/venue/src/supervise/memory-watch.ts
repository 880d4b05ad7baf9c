import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Logger } from '@oddlot/host/log';

/**
 * Releases memory left over from a burst. The runtime grows its heap during a burst and keeps it,
 * although most of it is empty afterwards. The more memory is in use, the longer a collection
 * pauses the process, so it is done rarely, at quiet times, and for small heaps only.
 */

type MemoryUse = { readonly heapTotal: number; readonly heapUsed: number };

type MemoryWatchOptions = {
  readonly read?: () => MemoryUse;
  /**
   * Returns the fraction of time, from 0 to 1, that the event loop has been busy since the last
   * call.
   */
  readonly busy?: () => number;
  readonly collect?: () => void;
};

const MEBIBYTE = 1024 * 1024;
const LOOK_MS = 5_000;
/** A quiet period is this many successive checks with at most the load below. */
const CALM_LOOKS = 3;
const BUSY_MAX = 0.3;
/** A collection must be expected to release more than this, and more than the memory in use. */
const GAIN_BYTES_MIN = 96 * MEBIBYTE;
const HEAP_BYTES_MAX = 512 * MEBIBYTE;
/** The number of checks until the next collection; together they take ten minutes. */
const REST_LOOKS = 120;

export class MemoryWatch {
  readonly #options: Required<MemoryWatchOptions>;
  readonly #log: Pick<Logger, 'info'>;
  readonly #timer: NodeJS.Timeout;
  #calmLooks = 0;
  /**
   * The memory known to be needed. It is tracked because the reported use may be mostly garbage.
   */
  #needed = Infinity;
  #restLooks = 0;

  constructor(log: Pick<Logger, 'info'>, options: MemoryWatchOptions = {}) {
    const { read = process.memoryUsage, busy = loopUse(), collect = collectAll } = options;
    this.#options = { read, busy, collect };
    this.#log = log;
    this.#timer = setInterval(() => this.look(), LOOK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  look(): void {
    const { busy, collect, read } = this.#options;
    this.#calmLooks = busy() <= BUSY_MAX ? this.#calmLooks + 1 : 0;
    this.#restLooks = Math.max(0, this.#restLooks - 1);
    const { heapTotal, heapUsed } = read();
    this.#needed = Math.min(this.#needed, heapUsed);
    if (this.#calmLooks < CALM_LOOKS || this.#restLooks > 0) return;
    const gain = heapTotal - this.#needed;
    if (gain < GAIN_BYTES_MIN || gain < this.#needed || heapTotal > HEAP_BYTES_MAX) return;
    this.#restLooks = REST_LOOKS;
    collect();
    const after = read();
    this.#needed = after.heapUsed;
    this.#log.info({ bytes: heapTotal - after.heapTotal }, 'unused memory released');
  }
}

function loopUse(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}

/** Collects all garbage. The runtime exposes its collector only with a flag. */
function collectAll(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as NodeJS.GCFunction;
  setFlagsFromString('--no-expose-gc');
  void gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
