import { callApart } from '../call-apart.ts';

/**
 * The processes of one venue, any of which serves a client. All connections of a client go to the same one; when it is lost
 * they go on at the next, around the list, for as long as it takes.
 */
export class Replicas {
  readonly #onMove: (url: string) => void;
  #urls: string[];
  #at = 0;

  constructor(
    urls: readonly [string, ...string[]],
    onMove: (url: string) => void = () => undefined,
  ) {
    this.#urls = [...new Set(urls)];
    this.#onMove = onMove;
  }

  /** Where the client is. */
  get current(): string {
    return this.#urls[this.#at] ?? '';
  }

  get all(): readonly string[] {
    return this.#urls;
  }

  /** The venue names its processes; those that it no longer names are not gone to any more. */
  learn(urls: readonly string[]): void {
    const { current } = this;
    this.#urls = [...new Set([current, ...urls])];
    this.#at = 0;
  }

  /** One of them did not answer, or sent its clients away. True when there is another to go to. */
  lost(url: string): boolean {
    if (this.#urls.length < 2) return false;
    // Somebody else may have noticed before.
    if (url === this.current) {
      this.#at = (this.#at + 1) % this.#urls.length;
      callApart(this.#onMove, this.current);
    }
    return true;
  }
}
