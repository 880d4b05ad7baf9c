import { divFloor } from '@oddlot/units';
import { Heap } from '../collections/heap.ts';
import type { Account, Holding } from './account.ts';

/**
 * Who could be near liquidation, without looking at everyone. Marks travel: every update adds the
 * largest relative move of any mark to a running total. A scope with equity E, risk R (maintenance
 * and liquidation fee) and notional N is safe while all marks together have moved by less than
 * (E − R) / (N + R): equity then falls by at most that share of N and risk rises by at most that
 * share of R. So each scope waits in a heap for the total at which it must be looked at again.
 *
 * The index only decides when to look, never what is found there: it is derived, not dumped, and a
 * restored venue looks at everyone once.
 */

/** Relative moves and distances count 10^-9. */
export const TRAVEL_ONE = 1_000_000_000;
/** No scope waits for more than this. */
export const DISTANCE_MAX = TRAVEL_ONE / 2;
/** Maintenance of each position and the fee round up: micro-USDC that a ratio may lose to it. */
const ROUNDING = 1_000n;

/** From this many heap entries on the dead ones are counted. */
const PRUNE_MIN = 4_096;

/** A cross account, or one isolated position of it. */
export type Scope = { readonly account: Account; readonly holding: Holding | undefined };

/** The scope that a position belongs to. */
export function scopeOf(account: Account, holding: Holding): Scope {
  return { account, holding: holding.isIsolated ? holding : undefined };
}

type Entry = Scope & { readonly lookAt: number };

/**
 * How far marks may travel before a scope has to be looked at again. Rounded down. Moves compound: a
 * total of t multiplies a mark by e^t at most, so a relative move of d takes a travel of ln(1 + d) at
 * least, which is above 2d / (2 + d).
 */
export function safeDistance(equity: bigint, risk: bigint, notional: bigint): number {
  const room = equity - risk - ROUNDING;
  if (room <= 0n) return 0;
  const distance = divFloor(2n * room * BigInt(TRAVEL_ONE), 2n * (notional + risk + 1n) + room);
  return distance >= BigInt(DISTANCE_MAX) ? DISTANCE_MAX : Number(distance);
}

/** A part of the first half of a distance, by account: neighbours lie far apart. */
function spread(accountIndex: number, distance: number): number {
  const share = Math.imul(accountIndex, 0x9e3779b1) >>> 22;
  return Math.floor((distance * share) / 2_048);
}

export class RiskIndex {
  /** Scopes that changed since they were last looked at. */
  readonly #changed = new Set<Account | Holding>();
  readonly #changedScopes: Scope[] = [];
  readonly #heap = new Heap<Entry>(isBefore);
  /** Where each scope is next looked at; older heap entries are dead. */
  readonly #next = new Map<Account | Holding, number>();
  #travelled = 0;

  /** Marks moved: by the largest relative move among them, rounded up. */
  travel(distance: number): void {
    this.#travelled += distance;
  }

  /** A scope's position or money changed: it is looked at in the next pass. */
  changed(account: Account, holding: Holding | undefined): void {
    const key = holding ?? account;
    if (this.#changed.has(key)) return;
    this.#changed.add(key);
    this.#changedScopes.push({ account, holding });
  }

  /** The scopes to look at now, each once. What is safe has to be put back with `wait`. */
  take(): Scope[] {
    const due = [...this.#changedScopes];
    const seen = this.#changed;
    for (;;) {
      const { first } = this.#heap;
      if (first === undefined || first.lookAt > this.#travelled) break;
      this.#heap.pop();
      const key = first.holding ?? first.account;
      if (this.#next.get(key) !== first.lookAt) continue;
      this.#next.delete(key);
      if (!seen.has(key)) due.push({ account: first.account, holding: first.holding });
    }
    this.#changed.clear();
    this.#changedScopes.length = 0;
    return due;
  }

  /**
   * The scope is safe until marks have travelled this far. An earlier look is kept. Many may wait for
   * the same distance: each is looked at somewhere in the second half of it, so that they do not all
   * fall due in one block.
   */
  wait(scope: Scope, distance: number): void {
    const key = scope.holding ?? scope.account;
    const lookAt = this.#travelled + Math.max(1, distance - spread(scope.account.index, distance));
    const current = this.#next.get(key);
    if (current !== undefined && current <= lookAt && current > this.#travelled) return;
    this.#next.set(key, lookAt);
    this.#prune();
    this.#heap.push({ ...scope, lookAt });
  }

  /** The scope has no position any more. */
  forget(scope: Scope): void {
    this.#next.delete(scope.holding ?? scope.account);
  }

  /** Dead entries stay until their turn comes; when most are dead they go at once. */
  #prune(): void {
    const { size } = this.#heap;
    if (size < PRUNE_MIN || size < 4 * this.#next.size) return;
    this.#heap.retain(
      ({ account, holding, lookAt }) => this.#next.get(holding ?? account) === lookAt,
    );
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.lookAt < b.lookAt;
}
