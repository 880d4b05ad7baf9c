import { TokenBuckets } from '@oddlot/host/ports';

/** What one who asks may ask for in a second; cancellations have the chain looked at. */
const IN_SECOND_MAX = { payout: 200, cancellation: 10, other: 50 } as const;

export type Asked = keyof typeof IN_SECOND_MAX;

/** How much each address asks, so that one who asks for nothing useful does not keep others from it. */
export class RequestBudget {
  readonly #now: () => number;
  readonly #buckets: Readonly<Record<Asked, TokenBuckets>>;

  constructor(now: () => number) {
    const bucketsOf = (asked: Asked): TokenBuckets => {
      const limit = IN_SECOND_MAX[asked];
      return new TokenBuckets({ perSecond: limit, burst: limit }, now());
    };
    this.#now = now;
    this.#buckets = {
      payout: bucketsOf('payout'),
      cancellation: bucketsOf('cancellation'),
      other: bucketsOf('other'),
    };
  }

  /** False when it was too much. */
  take(client: string, asked: Asked): boolean {
    const nowMs = this.#now();
    return this.#buckets[asked].of(client, nowMs).take(1, nowMs);
  }
}
