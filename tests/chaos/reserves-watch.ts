import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type Json } from '../support/client.ts';

const LOOK_EVERY_MS = 300;

/**
 * Polls each replica for the latest publication of reserves, often enough to receive every
 * publication.
 */
export class ReservesWatch {
  readonly #urls: () => readonly string[];
  /** Publications by block time, which is the order of the log. */
  readonly #seen = new Map<number, Json>();
  readonly #asked = new Set<string>();
  #isOver = false;

  constructor(urls: () => readonly string[]) {
    this.#urls = urls;
  }

  get count(): number {
    return this.#seen.size;
  }

  async watch(): Promise<void> {
    while (!this.#isOver) {
      for (const url of this.#urls()) void this.#look(url);
      await sleep(LOOK_EVERY_MS);
    }
  }

  end(): void {
    this.#isOver = true;
  }

  /**
   * Returns the publications that report a deficit, and those whose state is older than a previous
   * publication's.
   */
  faults(): readonly string[] {
    const faults: string[] = [];
    let before: Json | undefined;
    for (const [, published] of [...this.#seen].toSorted(([a], [b]) => a - b)) {
      const { blockNumber, difference, height } = published;
      const isBack = before && (height < before.height || blockNumber < before.blockNumber);
      if (isBack || difference !== '0') {
        faults.push(`${JSON.stringify(published)} after ${JSON.stringify(before)}`);
      }
      before = published;
    }
    return faults;
  }

  async #look(url: string): Promise<void> {
    // A frozen replica responds later, so no other request is sent to it in the meantime.
    if (this.#asked.has(url)) return;
    this.#asked.add(url);
    try {
      const { published } = await new Client(url).data({ type: 'reserves' });
      if (published !== null) this.#seen.set(published.time, published);
    } catch {
      // The replica is not running.
    } finally {
      this.#asked.delete(url);
    }
  }
}
