import { type Account, type Holding, holdingKey } from './account.ts';
import { divFloor, present } from '@oddlot/units';
import { NumberedHeap } from '../collections/heap.ts';

export type Progress = {
  /**
   * The time of the next step. A negative value −n means that n blocks had no capacity for this
   * liquidation.
   */
  nextMs: number;
  /**
   * The partial closes, by `holdingKey`, each with the time of its first order and the lots still
   * to be closed.
   */
  readonly partials: Map<number, { readonly sinceMs: number; left: number }>;
  /** The keys of positions for which at least one closing order was sent to the book. */
  readonly tried: Set<number>;
};

/** Takes the place of the holding key for a cross account. */
export const CROSS = -1;

/** The margin accounts under liquidation, by account index and holding key. */
export class Liquidations {
  readonly #byScope = new Map<string, { readonly scope: Scope; readonly progress: Progress }>();

  get size(): number {
    return this.#byScope.size;
  }

  has(scope: Scope): boolean {
    return this.#byScope.size > 0 && this.#byScope.has(keyOf(scope));
  }

  /** Starts a liquidation, or returns the one in progress unchanged. */
  start(scope: Scope, nextMs: number): Progress {
    const key = keyOf(scope);
    const existing = this.#byScope.get(key);
    if (existing !== undefined) return existing.progress;
    const progress: Progress = { nextMs, partials: new Map(), tried: new Set() };
    this.#byScope.set(key, { scope, progress });
    return progress;
  }

  end(scope: Scope): void {
    this.#byScope.delete(keyOf(scope));
  }

  /** Returns all liquidations in no particular order; callers must sort them. */
  all(): { readonly scope: Scope; readonly progress: Progress }[] {
    return [...this.#byScope.values()];
  }
}

/** Returns the key of a margin account's isolated position, or `CROSS`. */
export function isolatedKey(holding: Holding | undefined): number {
  return holding === undefined
    ? CROSS
    : holdingKey(holding.perp.definition.instrumentId, holding.leg);
}

function keyOf({ account, holding }: Scope): string {
  return `${account.index}:${isolatedKey(holding)}`;
}

/**
 * The following index finds margin accounts that could be near liquidation without checking all of
 * them. Each update adds the largest relative move of any mark to a running total. A margin account
 * with equity E, risk R (maintenance margin and liquidation fee) and notional N is safe while the
 * total has grown by less than (E − R) / (N + R): equity then falls by at most that share of N, and
 * risk rises by at most that share of R. A heap orders the margin accounts by the total at which
 * each must be checked. The index determines only when an account is checked, never the result. It
 * is derived and therefore not dumped; a restored venue checks every margin account once.
 */

/** The number 1 in relative moves and distances, which are in units of 10^-9. */
export const TRAVEL_ONE = 1_000_000_000;
/** The furthest that marks can move before a margin account is checked again. */
export const DISTANCE_MAX = TRAVEL_ONE / 2;
/** The allowance in micro-USDC for rounding up each position's maintenance margin and the fee. */
export const ROUNDING = 1_000;

/** A margin account: the cross positions of an account, or one of its isolated positions. */
export type Scope = { readonly account: Account; readonly holding: Holding | undefined };

/** Returns the margin account to which a position belongs. */
export function scopeOf(account: Account, holding: Holding): Scope {
  return { account, holding: holding.isIsolated ? holding : undefined };
}

/**
 * Returns the total distance by which marks can move before a margin account must be checked again,
 * rounded down. Moves compound: a total of t multiplies a mark by at most e^t, so a relative move
 * of d requires a total of at least ln(1 + d), which exceeds 2d / (2 + d).
 */
export function safeDistance(equity: bigint, risk: bigint, notional: bigint): number {
  const spare = equity - risk - BigInt(ROUNDING);
  if (spare <= 0n) return 0;
  const distance = divFloor(2n * spare * BigInt(TRAVEL_ONE), 2n * (notional + risk + 1n) + spare);
  return distance >= BigInt(DISTANCE_MAX) ? DISTANCE_MAX : Number(distance);
}

/**
 * Returns a share of up to half the distance, which depends on the account index so that accounts
 * with adjacent indexes are checked far apart.
 */
function spread(accountIndex: number, distance: number): number {
  const share = Math.imul(accountIndex, 0x9e3779b1) >>> 22;
  return Math.floor((distance * share) / 2_048);
}

export class RiskIndex {
  /**
   * The margin accounts that have changed or are waiting for their next check, by number; numbers
   * are reused.
   */
  readonly #scopes: (Scope | undefined)[] = [];
  readonly #numbers = new Map<Account | Holding, number>();
  readonly #freeNumbers: number[] = [];
  /** The numbers of margin accounts that have changed since their last check. */
  readonly #changed = new Set<number>();
  /** All other margin accounts, sorted by the total move at which each must be checked next. */
  readonly #waiting = new NumberedHeap();
  #travelled = 0;

  /** Adds the largest relative move of any mark, rounded up by the caller. */
  travel(distance: number): void {
    this.#travelled += distance;
  }

  /** Schedules a margin account for the next check after its positions or money changed. */
  changed(account: Account, holding: Holding | undefined): void {
    this.#changed.add(this.#numberOf(account, holding));
  }

  /**
   * Returns the margin accounts to check now, without duplicates. The caller returns safe accounts
   * to the index with `wait`.
   */
  take(): Scope[] {
    const due: Scope[] = [];
    for (const number of this.#changed) due.push(this.#scopeAt(number));
    while (this.#waiting.firstKey <= this.#travelled) {
      const number = present(this.#waiting.pop(), 'a scope that waits');
      if (!this.#changed.has(number)) due.push(this.#scopeAt(number));
    }
    if (this.#changed.size > 0) this.#changed.clear();
    return due;
  }

  /**
   * Schedules the next check of a margin account that is safe until marks have moved by this
   * distance; an earlier scheduled check stays. Many accounts can have the same distance, so their
   * checks are spread over its second half to avoid running them all in one block.
   */
  wait({ account, holding }: Scope, distance: number): void {
    const number = this.#numberOf(account, holding);
    const lookAt = this.#travelled + Math.max(1, distance - spread(account.index, distance));
    const current = this.#waiting.keyOf(number);
    if (current !== undefined && current <= lookAt && current > this.#travelled) return;
    this.#waiting.put(number, lookAt);
  }

  /** Removes a margin account that no longer has positions. */
  forget({ account, holding }: Scope): void {
    const key = holding ?? account;
    const number = this.#numbers.get(key);
    if (number === undefined) return;
    this.#waiting.delete(number);
    if (this.#changed.has(number)) return;
    this.#numbers.delete(key);
    this.#scopes[number] = undefined;
    this.#freeNumbers.push(number);
  }

  #numberOf(account: Account, holding: Holding | undefined): number {
    const key = holding ?? account;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#freeNumbers.pop() ?? this.#scopes.length;
    this.#scopes[number] = { account, holding };
    this.#numbers.set(key, number);
    return number;
  }

  #scopeAt(number: number): Scope {
    return present(this.#scopes[number], 'a scope by its number');
  }
}
