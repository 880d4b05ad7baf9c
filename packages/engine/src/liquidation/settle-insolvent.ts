import {
  addUsdc,
  divCeil,
  maxUsdc,
  type MicroUsdc,
  minUsdc,
  negUsdc,
  notional,
  subUsdc,
  ZERO_USDC,
} from '@oddlot/units';
import { equityOf } from '../perp/margin-restriction.ts';
import type { Account, Holding } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import { lastValidMarkOf, type Perp } from '../state/perp.ts';
import { type Scope, scopeOf } from '../state/liquidations.ts';
import { fallOf } from './bankruptcy-price.ts';
import { clearOrders, closeHedgePairs } from './clear-orders.ts';
import { netLegs } from './trade-off-book.ts';
import { Rankings } from './rankings.ts';
import {
  byScope,
  compareRatio,
  type Health,
  healthOf,
  isDeep,
  isLiquidatable,
  isWorkable,
  positionsOf,
  scopesToCheck,
} from './scope.ts';
import { payRemainderToFund } from './deficit.ts';
import { type Close, type Pass, takeOver, takeOverOne } from './take-over.ts';
import type { State } from '../state/state.ts';
import { isInsuranceFund, noteFundCost } from '../perp/insurance-fund.ts';
import { holdersOf } from '../state/holders.ts';
import { postToBalance } from '../ledger/post.ts';
import { holdingChanged } from '../perp/margin.ts';
import { Heap } from '../collections/heap.ts';

/**
 * The first half of step (6) of a block (R-liquidation). It immediately settles all margin accounts
 * that a price gap made insolvent, however many and large they are, against the accounts that had
 * positions before the gap. If a take-profit fired first, its counterparty would bear the loss. The
 * margin account with the lowest current equity is always settled next. Its losing positions go to
 * the fund or to the other side, and accounts that become insolvent as a result are settled in
 * turn. An account without losing positions passes on the missing amount (`passOn`). Every close
 * reduces existing lots, and every price only moves towards the last valid mark, so the loop ends.
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
  readonly #closes = new Map<unknown, Close[]>();
  /** The amounts taken from each margin account by closes and price corrections in this step. */
  readonly #given = new Map<unknown, MicroUsdc>();

  constructor(execution: Execution, rankings: Rankings, queue: InsolventQueue) {
    this.#execution = execution;
    this.#queue = queue;
    this.#pass = {
      rankings,
      // The fund's limits are checked at the worst price that this step can reach.
      askedPrice: ({ perp }) => lastValidMarkOf(perp),
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
      for (const { amount, close } of passOn(this.#execution, closes, missing)) {
        this.#give(scope, negUsdc(amount));
        // The counterparty's balance was paid even if its position was isolated.
        const paying = { account: close.counter.account, holding: undefined };
        this.#give(paying, amount);
        this.#queue.offer(paying);
      }
      // Any remaining amount can only come from rounding in the other accounts' payments.
      const isOver = closes.length > 0 && positionsOf(scope).length === 0;
      if (isOver && scope.holding === undefined)
        payRemainderToFund(this.#execution, scope.account, undefined);
    }
    state.risk.changed(scope.account, scope.holding);
    // A margin account without positions leaves liquidation, and the fund now covers the missing
    // amount.
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
    payRemainderToFund(execution, scope.account, scope.holding === undefined ? undefined : paidOut);
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

  /**
   * Offers both the cross account and its isolated positions, because an isolated position also
   * affects the account's balance.
   */
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

/**
 * Begins step (6) of a block. Ranks and lots stay fixed until the end of the block's liquidations.
 */
export function beginLiquidations(state: State): Rankings {
  state.blockRecord.countLots();
  return new Rankings(state);
}

/**
 * Settles margin accounts made insolvent by this block's marks. Only accounts that the index
 * returns can be insolvent, and step (7) checks them again.
 */
export function settleGap(execution: Execution, rankings: Rankings): void {
  const { state } = execution;
  const due = scopesToCheck(state);
  for (const { account, holding } of due) state.risk.changed(account, holding);
  if (due.length === 0 && state.liquidations.size === 0) return;
  const inProgress = state.liquidations.all().map(({ scope }) => scope);
  settleInsolvent(execution, [...due, ...inProgress], rankings);
}

/**
 * Closes failing positions before all positions of a market close at its settlement price
 * (R-delist). Positions of margin accounts that fail at this price go to the fund or to the other
 * side: insolvent ones first, as after a gap, and then the others by ratio, lowest first, and by
 * address. The price is already final, so positions are closed even though trading has ended.
 */
export function liquidateForSettlement(execution: Execution, perp: Perp): void {
  const { state } = execution;
  // The price differs from the block's mark, so the ranking differs too.
  const rankings = new Rankings(state);
  const scopes = holdersOf(state, perp).map(({ account, holding }) => scopeOf(account, holding));
  settleInsolvent(execution, scopes, rankings);
  const failing = holdersOf(state, perp)
    .filter(({ account }) => !isInsuranceFund(state, account))
    .map(({ account, holding }) => {
      const scope = scopeOf(account, holding);
      return { holding, scope, health: healthOf(state, scope) };
    })
    .filter(({ health }) => isFailing(health))
    .sort(
      (a, b) =>
        compareRatio(a.health, b.health) ||
        byScope(a.scope, b.scope) ||
        a.holding.leg - b.holding.leg,
    );
  for (const { holding, scope } of failing) {
    // An earlier close may have closed this position or made its account safe again.
    if (holding.size === 0 || !isFailing(healthOf(state, scope))) continue;
    takeOver(execution, scope, [holding], { rankings });
  }
}

function isFailing(health: Health): boolean {
  return isLiquidatable(health) && isDeep(health);
}

/**
 * Passes on the missing amount of a margin account that is below zero after this step's closes and
 * has no losing position left (R-liquidation). The account was paid too little for lots it lost
 * before other accounts took its gains elsewhere. Those closes are repriced, the last one first and
 * at most up to the last valid mark, and their counterparties pay the difference. Returns the
 * payments.
 */
export function passOn(
  execution: Execution,
  closes: readonly Close[],
  missing: MicroUsdc,
): readonly { readonly close: Close; readonly amount: MicroUsdc }[] {
  const paying: { readonly close: Close; readonly amount: MicroUsdc }[] = [];
  let left = missing;
  for (const close of closes.toReversed()) {
    if (left <= 0n) break;
    const price = fairerPrice(close, left);
    if (price === close.price) continue;
    const amount = priceAgain(execution, close, price);
    left = subUsdc(left, amount);
    paying.push({ close, amount });
  }
  return paying;
}

/** Returns the price that covers the missing amount, or the last valid mark if that is nearer. */
function fairerPrice({ counterSign, holding, price, size }: Priced, missing: MicroUsdc): number {
  const judged = lastValidMarkOf(holding.perp);
  const step = Number(divCeil(missing, BigInt(size)));
  // If the counterparty bought, the failing side sold, so a higher price is better for it.
  return counterSign > 0
    ? Math.max(price, Math.min(price + step, judged))
    : Math.min(price, Math.max(price - step, judged));
}

type Priced = Pick<Close, 'counterSign' | 'holding' | 'price' | 'size'>;

function priceAgain(execution: Execution, close: Close, price: number): MicroUsdc {
  const { events, state } = execution;
  const { counter, counterSign, failing, holding, opened, size } = close;
  const dearer = (price - close.price) * counterSign;
  const amount = notional(dearer, size);
  close.price = price;

  holding.realised = addUsdc(holding.realised, amount);
  if (failing.holding === undefined) postToBalance(state, failing.account, amount);
  else failing.holding.isolatedMargin = addUsdc(failing.holding.isolatedMargin, amount);
  state.risk.changed(failing.account, failing.holding);

  // The counterparty now pays more for the lots it opened and gets less for the lots it closed.
  const cost = notional(dearer, opened);
  const less = subUsdc(amount, cost);
  if (opened > 0) {
    counter.holding.cost = addUsdc(counter.holding.cost, cost);
    holdingChanged(state, counter.account, counter.holding);
  }
  counter.holding.realised = subUsdc(counter.holding.realised, less);
  postToBalance(state, counter.account, negUsdc(less));
  if (isInsuranceFund(state, counter.account)) {
    noteFundCost(state, holding.perp.definition.instrumentId, amount);
  }
  state.digest.number(price);
  state.digest.amount(counter.holding.cost);

  repriceEvent(events, close.failingEvent, price, amount);
  repriceEvent(events, close.counterEvent, price, negUsdc(less));
  if (close.noticeEvent !== undefined)
    repriceEvent(events, close.noticeEvent, price, negUsdc(less));
  return amount;
}

function repriceEvent(
  events: Execution['events'],
  at: number,
  price: number,
  more: MicroUsdc,
): void {
  const event = events[at];
  if (event?.type !== 'positionTraded' && event?.type !== 'deleveraged') return;
  events[at] = { ...event, price, realised: addUsdc(event.realised, more) };
}

type Entry = { readonly scope: Scope; readonly equity: MicroUsdc };

/**
 * A queue of margin accounts with negative equity: the lowest first, then by address, cross before
 * isolated, instrument and leg (R-liquidation). An account that changes must be offered again; only
 * its latest equity counts.
 */
export class InsolventQueue {
  readonly #state: State;
  readonly #heap = new Heap<Entry>(isBefore);
  /**
   * Each margin account's equity when it was last offered; heap entries with a different equity are
   * stale.
   */
  readonly #offered = new Map<Account | Holding, MicroUsdc>();

  constructor(state: State) {
    this.#state = state;
  }

  get isEmpty(): boolean {
    return this.#heap.size === 0;
  }

  offer(scope: Scope): void {
    const { account, holding } = scope;
    if (holding?.isIsolated === false || isInsuranceFund(this.#state, account)) return;
    const equity = equityOf(this.#state, scope);
    const key = holding ?? account;
    if (equity >= 0n) {
      this.#offered.delete(key);
      return;
    }
    if (this.#offered.get(key) === equity) return;
    this.#offered.set(key, equity);
    this.#heap.push({ scope, equity });
  }

  take(): Scope | undefined {
    for (let entry = this.#heap.pop(); entry !== undefined; entry = this.#heap.pop()) {
      const { equity, scope } = entry;
      const key = scope.holding ?? scope.account;
      if (this.#offered.get(key) !== equity) continue;
      this.#offered.delete(key);
      return scope;
    }
    return undefined;
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  if (a.equity !== b.equity) return a.equity < b.equity;
  return byScope(a.scope, b.scope) < 0;
}
