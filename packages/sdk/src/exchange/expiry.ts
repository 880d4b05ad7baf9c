import type { ActionInput } from '@oddlot/protocol';
import type { ApiError } from '../errors.ts';
import type { Roundtrip, VenueClock } from '../transport/venue-clock.ts';
import type { Wallet } from '../wallet.ts';

/** An order that did not reach the venue within so long is not wanted any more. */
const ORDER_LIFE_MS = 5000;
/** A person has to read the request and confirm it, after the expiry was written into it. */
const CONFIRMED_ORDER_LIFE_MS = 60_000;

/**
 * The actions that trade. Cancels, settings and transfers say what is wanted, not what is wanted at the
 * prices of this moment, and direct actions cannot expire at all.
 */
const TRADES: ReadonlySet<ActionInput['type']> = new Set([
  'order',
  'modify2',
  'reversePosition',
  'outcomeOperate',
]);

/** When an action expires, for all attempts to send it alike. */
export class Expiry {
  readonly #clock: VenueClock;
  readonly #explicit: number | null | undefined;
  readonly #lifeMs: number;
  readonly #meantMs: number;
  readonly #startedMs = performance.now();

  constructor({
    clock,
    wallet,
    expiresAfter,
    orderLifeMs,
  }: {
    readonly clock: VenueClock;
    readonly wallet: Wallet;
    /** What the caller wrote; null for never. */
    readonly expiresAfter?: number | null | undefined;
    readonly orderLifeMs?: number | undefined;
  }) {
    this.#clock = clock;
    this.#explicit = expiresAfter;
    this.#lifeMs = orderLifeMs ?? (wallet.isInteractive ? CONFIRMED_ORDER_LIFE_MS : ORDER_LIFE_MS);
    this.#meantMs = clock.ownMs;
  }

  /** The field of the envelope, counted from when the action was meant, not from when it is signed. */
  of(type: ActionInput['type']): number | undefined {
    if (this.#explicit !== undefined) return this.#explicit ?? undefined;
    if (!TRADES.has(type) || this.#lifeMs === Infinity) return undefined;
    return Math.round(this.#clock.at(this.#meantMs) + this.#lifeMs);
  }

  /** Whether what is sent after a wait comes too late anyway. */
  isPast(expiresAfter: number | undefined, waitMs: number): boolean {
    return expiresAfter !== undefined && this.#clock.at(this.#clock.ownMs + waitMs) > expiresAfter;
  }

  /**
   * Learns the venue's time from a refusal. True when it was the clocks that differed: less time has
   * passed here than the action had to live.
   */
  isMisjudged(refusal: ApiError, roundtrip: Roundtrip): boolean {
    const told = /consensus time (\d+)/.exec(refusal.message)?.[1];
    if (told === undefined) return false;
    this.#clock.readTime(Number(told), roundtrip);
    return this.#explicit === undefined && performance.now() - this.#startedMs < this.#lifeMs;
  }
}
