import { withinMs } from './patiently.ts';

/** So long without a word, and others may have executed what is unknown here: longer than looks at the stream are apart. */
const OLD_MS = 1_500;
/** How long whoever asks for the newest state waits for it. */
const CURRENT_MS_MAX = 5_000;

type StateAgeOptions = {
  /** Asks the servers for the last block of the stream. */
  readonly end: () => Promise<number>;
  /** Resolves when a block is applied here, or with false when it can't be. */
  readonly reach: (seq: number) => Promise<boolean>;
};

/**
 * Whether the state of a replica may be that of some time ago. A process that was frozen answers what lay in its sockets before
 * it has read what the others wrote meanwhile, and the first word that it hears does not mean that it has all of it.
 */
export class StateAge {
  readonly #options: StateAgeOptions;
  #heardMs = performance.now();
  /** True from the first word after a silence on, until all is applied that the stream had by then. */
  #wasSilent = false;
  #catchingUp: Promise<boolean> | undefined;

  constructor(options: StateAgeOptions) {
    this.#options = options;
  }

  /** When the servers were last heard, by the clock of `performance`. */
  get heardMs(): number {
    return this.#heardMs;
  }

  isOld(): boolean {
    return this.#wasSilent || performance.now() - this.#heardMs > OLD_MS;
  }

  /** The servers have said something. */
  hear(): void {
    const nowMs = performance.now();
    if (nowMs - this.#heardMs > OLD_MS) this.#wasSilent = true;
    this.#heardMs = nowMs;
  }

  /** Resolves when all is applied that the stream has now; with false when that takes too long. */
  current(): Promise<boolean> {
    this.#catchingUp ??= this.#catchUp().finally(() => (this.#catchingUp = undefined));
    return this.#catchingUp;
  }

  /** The stream has told its last block, to whoever asked for it at a time. */
  async toldEnd(seq: number, askedMs: number): Promise<boolean> {
    this.hear();
    // An answer that lay here for a while may be of before a silence.
    if (performance.now() - askedMs > OLD_MS) return false;
    if (this.#wasSilent && !(await this.#options.reach(seq))) return false;
    this.#wasSilent = false;
    return true;
  }

  async #catchUp(): Promise<boolean> {
    const over = new AbortController();
    return withinMs(this.#reachEnd(over.signal), CURRENT_MS_MAX)
      .catch(() => false)
      .finally(() => over.abort());
  }

  async #reachEnd(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      const askedMs = performance.now();
      try {
        const seq = await this.#options.end();
        if (await this.toldEnd(seq, askedMs)) return await this.#options.reach(seq);
      } catch {
        // Nobody answers, or the stream has lost what lies here.
        return false;
      }
    }
    return false;
  }
}
