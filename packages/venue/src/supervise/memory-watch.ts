import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Logger } from '@oddlot/host/log';

/**
 * Gives memory back that a flood has left behind. The runtime lets its heap grow for what comes at once
 * and keeps it: when all is calm again most of it lies empty. Collecting it takes a pause, which grows
 * with what is in use; so it is for small heaps, in quiet times, and seldom.
 */

type MemoryUse = { readonly heapTotal: number; readonly heapUsed: number };

type MemoryWatchOptions = {
  readonly read?: () => MemoryUse;
  /** How much of the time since it was last asked the loop was busy, 0 to 1. */
  readonly busy?: () => number;
  readonly collect?: () => void;
};

const MEBIBYTE = 1024 * 1024;
const LOOK_MS = 5_000;
/** Calm is so many looks in a row at which the loop had so little to do. */
const CALM_LOOKS = 3;
const BUSY_MAX = 0.3;
/** More than this must be to gain, and more than is needed. */
const GAIN_BYTES_MIN = 96 * MEBIBYTE;
const HEAP_BYTES_MAX = 512 * MEBIBYTE;
/** Not again for so many looks: ten minutes. */
const REST_LOOKS = 120;

export class MemoryWatch {
  readonly #options: Required<MemoryWatchOptions>;
  readonly #log: Pick<Logger, 'info'>;
  readonly #timer: NodeJS.Timeout;
  #calmLooks = 0;
  /** What is needed, as far as it is known: what is in use may be mostly garbage. */
  #needed = Infinity;
  #restLooks = 0;

  /** Looks from now on. */
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

/** The runtime shows its collector only to who asks for it by a flag. */
function collectAll(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as NodeJS.GCFunction;
  setFlagsFromString('--no-expose-gc');
  void gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
