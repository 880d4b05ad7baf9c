import { divFloor } from '@oddlot/units';
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
  readonly #heap: Entry[] = [];
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
      const first = this.#heap[0];
      if (first === undefined || first.lookAt > this.#travelled) break;
      this.#pop();
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
    this.#push({ ...scope, lookAt });
  }

  /** The scope has no position any more. */
  forget(scope: Scope): void {
    this.#next.delete(scope.holding ?? scope.account);
  }

  /** Dead entries stay until their turn comes; when most are dead they go at once. */
  #prune(): void {
    const { length } = this.#heap;
    if (length < PRUNE_MIN || length < 4 * this.#next.size) return;
    const alive = this.#heap
      .filter(({ account, holding, lookAt }) => this.#next.get(holding ?? account) === lookAt)
      .sort((a, b) => a.lookAt - b.lookAt);
    this.#heap.length = 0;
    for (const entry of alive) this.#heap.push(entry);
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    heap.push(entry);
    let child = heap.length - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (!this.#before(child, parent)) break;
      this.#swap(child, parent);
      child = parent;
    }
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (heap.length === 0 || last === undefined) return;
    heap[0] = last;
    let parent = 0;
    for (;;) {
      const left = 2 * parent + 1;
      if (left >= heap.length) return;
      const right = left + 1;
      const least = right < heap.length && this.#before(right, left) ? right : left;
      if (!this.#before(least, parent)) return;
      this.#swap(least, parent);
      parent = least;
    }
  }

  #before(a: number, b: number): boolean {
    return (this.#heap[a]?.lookAt ?? 0) < (this.#heap[b]?.lookAt ?? 0);
  }

  #swap(a: number, b: number): void {
    const x = this.#heap[a];
    const y = this.#heap[b];
    if (x === undefined || y === undefined) return;
    this.#heap[a] = y;
    this.#heap[b] = x;
  }
}
