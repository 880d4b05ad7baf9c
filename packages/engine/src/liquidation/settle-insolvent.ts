import {
  addUsdc,
  maxUsdc,
  type MicroUsdc,
  minUsdc,
  negUsdc,
  notional,
  ZERO_USDC,
} from '@oddlot/units';
import { equityOf } from '../perp/blind.ts';
import type { Holding } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import { judgedMarkOf } from '../state/perp.ts';
import { type Scope, scopeOf } from '../state/risk-index.ts';
import { fallOf } from './bankruptcy-price.ts';
import { clearOrders, closeHedgePairs } from './clear-orders.ts';
import { InsolventQueue } from './insolvent-queue.ts';
import { netLegs } from './net-legs.ts';
import type { Rankings } from './rankings.ts';
import { handOn } from './hand-on.ts';
import { isWorkable, positionsOf } from './scope.ts';
import { giveRest } from './settle-rest.ts';
import { type Close, type Pass, takeOverOne } from './take-over.ts';

/**
 * R-liquidation, the first half of step (6): scopes that a gap left with less than nothing are settled
 * at once, whatever their number and size, between those who held positions when it came. Were a
 * take-profit to fire first, the loss would stay with whoever had just sold to it.
 *
 * The next is always the one with the lowest equity at that moment. Its positions that lost go to the
 * fund or to the other side; whom that ruins takes their turn; whoever has nothing left that lost hands
 * on what is missing (`handOn`). Every close takes lots that were there, and every price moves towards
 * the last judged mark only, so it ends.
 */
export function settleInsolvent(
  execution: Execution,
  scopes: Iterable<Scope>,
  rankings: Rankings,
): void {
  const { state } = execution;
  const queue = new InsolventQueue(state);
  for (const scope of scopes) queue.offer(scope);
  if (queue.isEmpty) return;
  const step = new GapStep(execution, rankings, queue);
  for (let scope = queue.take(); scope !== undefined; scope = queue.take()) step.work(scope);
}

class GapStep {
  readonly #execution: Execution;
  readonly #queue: InsolventQueue;
  readonly #pass: Pass;
  /** Closes of lots that lost, by whose they were. */
  readonly #closes = new Map<unknown, Close[]>();
  /** What closes against a scope, and prices made good by it, have taken from it in this step. */
  readonly #given = new Map<unknown, MicroUsdc>();

  constructor(execution: Execution, rankings: Rankings, queue: InsolventQueue) {
    this.#execution = execution;
    this.#queue = queue;
    this.#pass = {
      rankings,
      // What it is asked at is the worst that can become of it here.
      askedPrice: ({ perp }) => judgedMarkOf(perp),
      onClose: (close) => this.#note(close),
    };
  }

  work(scope: Scope): void {
    const { state } = this.#execution;
    this.#closeLosing(scope);
    const equity = equityOf(state, scope);
    if (equity < 0n && this.#losing(scope).length === 0) {
      const closes = this.#closes.get(keyOf(scope)) ?? [];
      const given = this.#given.get(keyOf(scope)) ?? ZERO_USDC;
      const missing = minUsdc(negUsdc(equity), given);
      for (const { amount, close } of handOn(this.#execution, closes, missing)) {
        this.#give(scope, negUsdc(amount));
        // What who took the lots was paid went to its balance, also where its position was isolated.
        const paying = { account: close.counter.account, holding: undefined };
        this.#give(paying, amount);
        this.#queue.offer(paying);
      }
      // Rounding is all that is left of what the others made good.
      const isOver = closes.length > 0 && positionsOf(scope).length === 0;
      if (isOver && scope.holding === undefined)
        giveRest(this.#execution, scope.account, undefined);
    }
    state.risk.changed(scope.account, scope.holding);
    // With nothing left to liquidate, what is missing falls to the fund in this block.
    if (positionsOf(scope).length === 0) state.liquidations.end(scope);
  }

  #losing(scope: Scope): Holding[] {
    const { state } = this.#execution;
    return positionsOf(scope).filter((each) => fallOf(each) > 0n && isWorkable(state, each));
  }

  #closeLosing(scope: Scope): void {
    if (this.#losing(scope).length === 0) return;
    const execution = this.#execution;
    const isSolvent = (): boolean => equityOf(execution.state, scope) >= 0n;
    clearOrders(execution, scope);
    if (isSolvent()) return;
    closeHedgePairs(execution, scope);
    netLegs(execution, scope);
    if (scope.holding !== undefined) this.#offerBoth(scope);
    let paidOut = ZERO_USDC;
    let hasClosed = false;
    for (const holding of this.#losing(scope)) {
      if (isSolvent()) break;
      paidOut = addUsdc(paidOut, takeOverOne(execution, scope, holding, this.#pass));
      hasClosed = true;
    }
    if (!hasClosed || positionsOf(scope).length > 0) return;
    giveRest(execution, scope.account, scope.holding === undefined ? undefined : paidOut);
  }

  #note(close: Close): void {
    const key = keyOf(close.failing);
    const closes = this.#closes.get(key);
    if (closes === undefined) this.#closes.set(key, [close]);
    else closes.push(close);
    const counter = scopeOf(close.counter.account, close.counter.holding);
    const worse = (close.price - close.holding.perp.mark) * close.counterSign;
    this.#give(counter, maxUsdc(ZERO_USDC, notional(worse, close.size)));
    this.#offerBoth(counter);
  }

  #give(scope: Scope, amount: MicroUsdc): void {
    const key = keyOf(scope);
    this.#given.set(key, addUsdc(this.#given.get(key) ?? ZERO_USDC, amount));
  }

  /** What an isolated position loses or is paid concerns the account's balance too. */
  #offerBoth({ account, holding }: Scope): void {
    this.#queue.offer({ account, holding: undefined });
    if (holding === undefined) return;
    this.#queue.offer({ account, holding });
    for (const each of account.holdings.values()) {
      if (each.isIsolated && each.size !== 0) this.#queue.offer({ account, holding: each });
    }
  }
}

function keyOf({ account, holding }: Scope): unknown {
  return holding ?? account;
}
