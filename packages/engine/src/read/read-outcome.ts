import {
  type Address,
  addUsdc,
  assert,
  type InstrumentId,
  instrumentId,
  type MicroUsdc,
  notional,
  ZERO_USDC,
} from '@oddlot/units';
import type { OrderSnapshot } from '../messages/event.ts';
import type { MarketPhase, OutcomeLeg } from '../messages/command.ts';
import { outcomeSlotsOf, outcomeSnapshotOf } from '../outcome/outcome-order.ts';
import { accountAt, type State } from '../state/state.ts';
import type { Account } from '../state/account.ts';
import {
  legPrice,
  type MarketDefinition,
  markHalves,
  outcomeLegOf,
  type OutcomeMarket,
  type SettledMarket,
} from '../state/outcome-market.ts';
import { twapBefore } from '../outcome/series.ts';
import { priceFeedKey } from '../state/outcomes.ts';

type OutcomeAccountView = {
  readonly free: MicroUsdc;
  /** The amounts reserved for queued and resting buys. */
  readonly reserved: MicroUsdc;
  /** The positions, sorted by instrument id, with YES before NO. */
  readonly positions: readonly SharesView[];
};

export type SharesView = {
  readonly instrumentId: InstrumentId;
  readonly leg: OutcomeLeg;
  readonly size: number;
  readonly reserved: number;
  /**
   * The lots in queued sells. Only their owner may learn that they are waiting in the queue
   * (R-delay).
   */
  readonly queued: number;
  readonly cost: MicroUsdc;
  /** The mark of this outcome in half price units, in which a mid price is exact. */
  readonly markHalves: number;
  readonly feesPaid: MicroUsdc;
  readonly realised: MicroUsdc;
  readonly updatedMs: number;
};

export type MarketView = {
  readonly definition: MarketDefinition;
  readonly unit: number;
  readonly phase: MarketPhase;
  readonly pairs: number;
  /** The version of the book, which increases with every change. */
  readonly bookVersion: number;
  /** The best YES prices; 0 if the side is empty. */
  readonly bestBid: number;
  readonly bestAsk: number;
  readonly lastTrade: number;
  /** The YES mark in half price units. */
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

/** Returns the stored data of a market whose holders have been paid. */
export function settledMarketView(state: State, id: number): SettledMarket | undefined {
  return state.outcomes.settled.get(id);
}

/**
 * Returns the account's resting outcome orders, newest first. Queued orders are not included
 * (R-delay).
 */
export function outcomeOpenOrders(state: State, address: Address): readonly OrderSnapshot[] {
  const account = accountAt(state, address);
  if (account === undefined) return [];
  const orders: OrderSnapshot[] = [];
  for (const holding of account.outcomes.values()) {
    for (const slot of outcomeSlotsOf(state, holding)) orders.push(outcomeSnapshotOf(state, slot));
  }
  return orders.sort((a, b) => b.orderId - a.orderId);
}

/** Returns the notional of all resting orders in a market, at YES prices. */
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

/** Returns true while orders from an action are in the delay queue. */
export function isQueued(state: State, txHash: string): boolean {
  return state.outcomes.queue.hasAction(txHash);
}

type HolderView = {
  readonly account: Address;
  readonly size: number;
  readonly cost: MicroUsdc;
};

/** The position in a paged list of holders: the size and account index of the last holder shown. */
export type HolderPlace = { readonly size: number; readonly index: number };

type HoldersView = {
  /** The number of accounts with shares of the outcome. */
  readonly holders: number;
  readonly shares: number;
  readonly rows: readonly HolderView[];
  readonly next: HolderPlace | undefined;
};

type Held = HolderView & HolderPlace;

/**
 * Returns the accounts with shares of an outcome, sorted by holding, largest first, and then by
 * age, oldest first; undefined for an unknown market. All holders are read, but only those on the
 * page are sorted.
 */
export function outcomeHolders(
  state: State,
  id: number,
  { after, leg, limit }: { leg: OutcomeLeg; limit: number; after?: HolderPlace | undefined },
): HoldersView | undefined {
  const market = state.outcomes.markets.get(id);
  if (market === undefined) return undefined;
  const rows: Held[] = [];
  let holders = 0;
  let shares = 0;
  // An account that is listed as a holder can have orders but no shares.
  for (const index of market.holders.keys()) {
    const account = state.accounts[index];
    const held = account?.outcomes.get(id)?.[leg];
    assert(account !== undefined && held !== undefined, 'a holder has a place in the market');
    const { cost, size } = held;
    if (size === 0) continue;
    holders += 1;
    shares += size;
    const row = { account: account.address, size, cost, index };
    if (after !== undefined && !isBefore(after, row)) continue;
    const last = rows.at(-1);
    if (rows.length > limit && last !== undefined && isBefore(last, row)) continue;
    insert(rows, row);
    if (rows.length > limit + 1) rows.pop();
  }
  const shown = rows.slice(0, limit);
  const next = rows.length > limit ? shown.at(-1) : undefined;
  return {
    holders,
    shares,
    rows: shown.map(({ account, cost, size }) => ({ account, size, cost })),
    next: next && { size: next.size, index: next.index },
  };
}

function isBefore(left: HolderPlace, right: HolderPlace): boolean {
  return left.size > right.size || (left.size === right.size && left.index < right.index);
}

function insert(rows: Held[], row: Held): void {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = rows[middle];
    if (other !== undefined && isBefore(other, row)) low = middle + 1;
    else high = middle;
  }
  rows.splice(low, 0, row);
}

/**
 * The status of a strike (R-series): `pending` before it can be computed, `fixed` afterwards,
 * `missing` if there were too few prices before the start. Prices of the next five seconds can
 * still change `missing` to `fixed`.
 */
type StrikeStatus = 'pending' | 'fixed' | 'missing';

/** The state of the inputs that will resolve a series market. */
type SeriesOutlook = {
  readonly strike: StrikeStatus;
  /**
   * The party that decides the result: the operator, as soon as prices are known to be missing at
   * the start or end of the market.
   */
  readonly decidedBy: 'series' | 'operator';
};

/**
 * Returns the state of a series market's inputs, or undefined for a market that has no series or
 * whose holders have been paid.
 */
export function seriesOutlook(state: State, id: number): SeriesOutlook | undefined {
  const market = state.outcomes.markets.get(id);
  if (market === undefined || market.definition.reference === undefined) return undefined;
  const strike = strikeStatus(state, market);
  const isLeft = strike === 'missing' || (market.isJudged && market.resolution === undefined);
  return { strike, decidedBy: market.resolution?.by ?? (isLeft ? 'operator' : 'series') };
}

function strikeStatus(state: State, market: OutcomeMarket): StrikeStatus {
  if (market.strike === null) return 'missing';
  if (market.strike !== undefined) return 'fixed';
  // A market that the operator resolved before its strike was determined never gets one.
  if (market.resolution !== undefined) return 'missing';
  const isStarted = state.timeMs >= market.definition.startMs;
  return isStarted && !hasPricesBeforeStart(state, market) ? 'missing' : 'pending';
}

function hasPricesBeforeStart(state: State, { definition }: OutcomeMarket): boolean {
  const { reference, startMs } = definition;
  if (reference === undefined) return false;
  const feed = state.outcomes.prices.get(priceFeedKey(reference.symbol, reference.source));
  return feed !== undefined && twapBefore(feed, startMs, reference.windowSeconds) !== undefined;
}
