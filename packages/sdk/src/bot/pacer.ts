import type { InfoClient } from '../info/create-info.ts';
import { sleep } from '../transport/backoff.ts';

/** A budget of the venue that is kept to. */
type Budget = { readonly limit: number; readonly windowMs: number };

/**
 * Spreads requests so that the venue never has to refuse one for coming too soon. It asks for the limits when it is used first
 * (`rateLimit`), and leaves a part of them to others at the same address.
 */
export class Pacer {
  readonly #ask: () => Promise<Budget>;
  readonly #now: () => number;
  #budget: Promise<Budget> | undefined;
  /** When the requests of the last window went. */
  #sent: number[] = [];
  #queue: Promise<void> = Promise.resolve();

  constructor(
    { info }: { readonly info: Pick<InfoClient, 'rateLimit'> },
    {
      path = 'exchange',
      share = 0.8,
      now = () => performance.now(),
    }: {
      readonly path?: 'exchange' | 'info' | undefined;
      /** The part of the limit that is used. */
      readonly share?: number | undefined;
      readonly now?: (() => number) | undefined;
    } = {},
  ) {
    this.#now = now;
    this.#ask = async () => {
      const { limit, windowMs } = (await info.rateLimit())[path];
      return { limit: Math.max(1, Math.floor(limit * share)), windowMs };
    };
  }

  /** Resolves when one more request may go. Whoever asks first goes first. */
  turn(signal?: AbortSignal): Promise<void> {
    const turn = this.#queue.then(() => this.#wait(signal));
    // Who gives up does not hold up the next.
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    this.#budget ??= this.#ask().catch((error: unknown) => {
      // Nothing was learnt; the next one asks again.
      this.#budget = undefined;
      throw error;
    });
    const { limit, windowMs } = await this.#budget;
    for (;;) {
      const now = this.#now();
      this.#sent = this.#sent.filter((at) => at > now - windowMs);
      const oldest = this.#sent[0];
      if (oldest === undefined || this.#sent.length < limit) break;
      await sleep(Math.max(1, oldest + windowMs - now), signal);
    }
    this.#sent.push(this.#now());
  }
}

/** The turn of a request, where somebody keeps count. */
export async function waitFor(pacer: Pacer | undefined, signal?: AbortSignal): Promise<void> {
  await pacer?.turn(signal);
}
