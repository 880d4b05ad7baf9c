import { type Account, type Holding, holdingKey } from './account.ts';
import { divFloor, present } from '@oddlot/units';
import { NumberedHeap } from '../collections/heap.ts';

/** Progress of a liquidation: the time of its next step and its partial closes. */
export type Progress = {
  /** Below 0 if blocks had no capacity for it: minus their number. */
  nextMs: number;
  /** By `holdingKey`: the time of the first part, and its unfilled size. */
  readonly partials: Map<number, { readonly sinceMs: number; left: number }>;
  /** Keys of positions that were sent to the market at least once. */
  readonly tried: Set<number>;
};

/** The isolated position's key of a scope, or this for a cross account. */
export const CROSS = -1;

/** Scopes under liquidation, found by account index and holding key. */
export class Liquidations {
  readonly #byScope = new Map<string, { readonly scope: Scope; readonly progress: Progress }>();

  get size(): number {
    return this.#byScope.size;
  }

  has(scope: Scope): boolean {
    return this.#byScope.size > 0 && this.#byScope.has(keyOf(scope));
  }

  /** Starts a liquidation; one in progress continues unchanged. */
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

  /** All liquidations, unordered; callers sort. */
  all(): { readonly scope: Scope; readonly progress: Progress }[] {
    return [...this.#byScope.values()];
  }
}

/** The key of a scope's isolated position, or `CROSS`. */
export function isolatedKey(holding: Holding | undefined): number {
  return holding === undefined
    ? CROSS
    : holdingKey(holding.perp.definition.instrumentId, holding.leg);
}

function keyOf({ account, holding }: Scope): string {
  return `${account.index}:${isolatedKey(holding)}`;
}

/**
 * Finds margin accounts that could be near liquidation without checking all. Each update adds the largest relative move
 * of any mark to a running total. A margin account with equity E, risk R (maintenance and liquidation fee) and notional
 * N is safe while the marks have moved by less than (E − R) / (N + R) in total: equity then falls by at most that share
 * of N, and risk rises by at most that share of R. Each one waits in a heap for the total at which it must be checked.
 *
 * The index only decides when to check, never the result: it is derived, not dumped, and a restored venue checks every
 * margin account once.
 */

/** Relative moves and distances count 10^-9. */
export const TRAVEL_ONE = 1_000_000_000;
/** The largest distance that a margin account waits for. */
export const DISTANCE_MAX = TRAVEL_ONE / 2;
/** Maintenance of each position and the fee round up: micro-USDC that a ratio may lose to it. */
export const ROUNDING = 1_000;

/** A cross account, or one isolated position of it. */
export type Scope = { readonly account: Account; readonly holding: Holding | undefined };

/** The scope that a position belongs to. */
export function scopeOf(account: Account, holding: Holding): Scope {
  return { account, holding: holding.isIsolated ? holding : undefined };
}

/**
 * The total of moves after which a margin account must be checked again, rounded down. Moves compound: a
 * total of t multiplies a mark by e^t at most, so a relative move of d takes a travel of ln(1 + d) at
 * least, which is above 2d / (2 + d).
 */
export function safeDistance(equity: bigint, risk: bigint, notional: bigint): number {
  const room = equity - risk - BigInt(ROUNDING);
  if (room <= 0n) return 0;
  const distance = divFloor(2n * room * BigInt(TRAVEL_ONE), 2n * (notional + risk + 1n) + room);
  return distance >= BigInt(DISTANCE_MAX) ? DISTANCE_MAX : Number(distance);
}

/** A part of the first half of a distance, by account, far apart for neighbouring indices. */
function spread(accountIndex: number, distance: number): number {
  const share = Math.imul(accountIndex, 0x9e3779b1) >>> 22;
  return Math.floor((distance * share) / 2_048);
}

export class RiskIndex {
  /** Margin accounts that changed or wait, by number. Numbers are reused. */
  readonly #scopes: (Scope | undefined)[] = [];
  readonly #numbers = new Map<Account | Holding, number>();
  readonly #freeNumbers: number[] = [];
  /** Margin accounts that changed since their last check. */
  readonly #changed = new Set<number>();
  /** The others, by the total of moves at which each is checked next. */
  readonly #waiting = new NumberedHeap();
  #travelled = 0;

  /** Marks moved: by the largest relative move among them, rounded up. */
  travel(distance: number): void {
    this.#travelled += distance;
  }

  /** A position or money changed: the margin account is checked in the next pass. */
  changed(account: Account, holding: Holding | undefined): void {
    this.#changed.add(this.#numberOf(account, holding));
  }

  /** The margin accounts to check now, each once. The caller puts safe ones back with `wait`. */
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
   * The margin account is safe until marks have moved this far. An earlier check is kept. Many can wait for the same
   * distance, so each is checked somewhere in its second half, not all in one block.
   */
  wait({ account, holding }: Scope, distance: number): void {
    const number = this.#numberOf(account, holding);
    const lookAt = this.#travelled + Math.max(1, distance - spread(account.index, distance));
    const current = this.#waiting.keyOf(number);
    if (current !== undefined && current <= lookAt && current > this.#travelled) return;
    this.#waiting.put(number, lookAt);
  }

  /** The margin account has no position left. */
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
