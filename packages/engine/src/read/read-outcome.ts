import {
  type Address,
  addUsdc,
  instrumentId,
  type InstrumentId,
  type MicroUsdc,
  notional,
  ZERO_USDC,
} from '@oddlot/units';
import type { OrderSnapshot } from '../messages/event.ts';
import type { MarketPhase, OutcomeLeg } from '../messages/outcome-terms.ts';
import { outcomeSlotsOf, outcomeSnapshotOf } from '../outcome/outcome-resting.ts';
import { accountAt } from '../state/account-at.ts';
import type { Account } from '../state/account.ts';
import { legPrice, outcomeLegOf } from '../state/outcome-holding.ts';
import { type MarketDefinition, markHalves, type SettledMarket } from '../state/outcome-market.ts';
import type { State } from '../state/state.ts';

/** What a reader may ask of outcome markets. */

/** The outcome sub-account of an address. */
type OutcomeAccountView = {
  /** Money that nothing holds back. */
  readonly free: MicroUsdc;
  /** What queued and resting buys hold back. */
  readonly reserved: MicroUsdc;
  /** By instrument id, YES before NO. */
  readonly positions: readonly SharesView[];
};

/** The shares that an account has in one leg. */
export type SharesView = {
  readonly instrumentId: InstrumentId;
  readonly leg: OutcomeLeg;
  readonly size: number;
  readonly reserved: number;
  /** Those of `reserved` in queued sells: where these wait is their owner's to know (R-delay). */
  readonly queued: number;
  readonly cost: MicroUsdc;
  /** The leg's mark in half price units, so that a mid is exact. */
  readonly markHalves: number;
  readonly feesPaid: MicroUsdc;
  readonly realised: MicroUsdc;
  readonly updatedMs: number;
};

/** A market that is not settled, as it stands. */
export type MarketView = {
  readonly definition: MarketDefinition;
  readonly unit: number;
  readonly phase: MarketPhase;
  readonly pairs: number;
  /** Grows with every change of the book. */
  readonly bookVersion: number;
  /** YES prices; 0 when there is none. */
  readonly bestBid: number;
  readonly bestAsk: number;
  readonly lastTrade: number;
  /** In half price units. */
  readonly markHalves: number;
  readonly fraction: number | undefined;
};

export function outcomeAccountView(state: State, address: Address): OutcomeAccountView | undefined {
  const account = accountAt(state, address);
  if (account === undefined) return undefined;
  const positions: SharesView[] = [];
  const queued = queuedLots(state, account);
  for (const [id, holding] of account.outcomes) {
    const { market } = holding;
    const yesHalves = markHalves(market);
    for (const leg of ['yes', 'no'] as const) {
      const { cost, feesPaid, realised, reserved, size, updatedMs } = holding[leg];
      if (size === 0) continue;
      const waiting = queued.get(`${id}/${leg}`) ?? 0;
      const mark = legPrice(leg, yesHalves, 2 * market.unit);
      const shares = { size, reserved, queued: waiting, cost, feesPaid, realised, updatedMs };
      positions.push({ instrumentId: instrumentId(id), leg, markHalves: mark, ...shares });
    }
  }
  return { free: account.outcomeBalance, reserved: account.outcomeReserved, positions };
}

function queuedLots(state: State, account: Account): ReadonlyMap<string, number> {
  const lots = new Map<string, number>();
  for (const { request } of state.outcomes.queue.sellsOf(account.index)) {
    const key = `${request.instrumentId}/${outcomeLegOf(request)}`;
    lots.set(key, (lots.get(key) ?? 0) + request.size);
  }
  return lots;
}

export function marketView(state: State, id: number): MarketView | undefined {
  const market = state.outcomes.markets.get(id);
  if (market === undefined) return undefined;
  const { book, definition, lastTrade, pairs, phase, resolution, unit } = market;
  return {
    definition,
    unit,
    phase,
    pairs,
    bookVersion: book.version,
    bestBid: book.bestPrice(true),
    bestAsk: book.bestPrice(false),
    lastTrade,
    markHalves: markHalves(market),
    fraction: resolution?.fraction,
  };
}

/** What is left of a market whose holders are paid. */
export function settledMarketView(state: State, id: number): SettledMarket | undefined {
  return state.outcomes.settled.get(id);
}

/** The account's resting outcome orders, newest first. Queued ones are not listed (R-delay). */
export function outcomeOpenOrders(state: State, address: Address): readonly OrderSnapshot[] {
  const account = accountAt(state, address);
  if (account === undefined) return [];
  const orders: OrderSnapshot[] = [];
  for (const holding of account.outcomes.values()) {
    for (const slot of outcomeSlotsOf(state, holding)) orders.push(outcomeSnapshotOf(state, slot));
  }
  return orders.sort((a, b) => b.orderId - a.orderId);
}

/** Notional of all that rests in a market, in YES terms. */
export function marketLiquidity(state: State, id: number): MicroUsdc {
  const market = state.outcomes.markets.get(id);
  if (market === undefined) return ZERO_USDC;
  let sum = ZERO_USDC;
  for (const isBuy of [true, false]) {
    for (const { price, size } of market.book.levels(isBuy, Number.MAX_SAFE_INTEGER)) {
      sum = addUsdc(sum, notional(price, size));
    }
  }
  return sum;
}

/** Whether orders of an action still wait in the delay queue. */
export function isQueued(state: State, txHash: string): boolean {
  return state.outcomes.queue.hasAction(txHash);
}
