import {
  CLIENT_LIMITS,
  CLIENT_PAGE_LIMITS,
  type L2Diff,
  type LevelTuple,
  type OutcomeBbosUpdate,
  type RecentTradesUpdate,
  type SubscriptionFields,
  type TickersUpdate,
  type LedgerUpdate,
  type UserFillsUpdate,
  type UserFundingsUpdate,
  type UserHistoricalOrdersUpdate,
  type UserLedgerUpdate,
} from '@oddlot/protocol';

/**
 * What somebody who joins a running stream has to be told first: the state that all its frames so far
 * make together. Undefined for channels of events, where nothing is owed.
 */
export function stateAfter(
  subscription: SubscriptionFields,
  before: unknown,
  frame: unknown,
): unknown {
  const join = JOINS[subscription.type];
  if (join === undefined) return undefined;
  return before === undefined ? frame : join(before, frame, subscription);
}

/** True for channels whose first frame is what holds: without it those that follow mean little. */
export function hasState({ type }: SubscriptionFields): boolean {
  return Object.hasOwn(JOINS, type);
}

type Join = (before: unknown, frame: unknown, subscription: SubscriptionFields) => unknown;

/** How a frame changes the state of its channel. */
const JOINS: Readonly<Record<string, Join>> = {
  l2Book: (_, frame) => frame,
  l2Diff: (before, frame) => {
    const [known, told] = [before as L2Diff, frame as L2Diff];
    const bids = byPrice(known.bids, told.bids);
    return { ...told, isSnapshot: true, bids, asks: byPrice(known.asks, told.asks) };
  },
  clearinghouseState: (_, frame) => frame,
  activeAssetCtx: (_, frame) => frame,
  candle: (_, frame) => frame,
  outcomeBbos: (before, frame) => {
    const { bbos } = before as OutcomeBbosUpdate;
    return { bbos: byInstrument(bbos, (frame as OutcomeBbosUpdate).bbos) };
  },
  tickers: (before, frame, { instrumentIds }) => {
    const { tickers } = before as TickersUpdate;
    const joined = byInstrument(tickers, (frame as TickersUpdate).tickers);
    // As the venue does: what is gone is shown to those who name it.
    const shown = joined.filter(({ gone }) => gone !== true || instrumentIds !== undefined);
    return { tickers: shown, isSnapshot: true };
  },
  recentTrades: (before, frame, { limit }) => {
    const { coin, trades } = before as RecentTradesUpdate;
    const max = typeof limit === 'number' ? limit : CLIENT_PAGE_LIMITS.recentTrades.default;
    const rows = newestFirst(trades, (frame as RecentTradesUpdate).trades, max);
    return { coin, isSnapshot: true, trades: rows };
  },
  userFundings: (before, frame) => {
    const { user, fundings } = before as UserFundingsUpdate;
    const rows = newestFirst(fundings, (frame as UserFundingsUpdate).fundings);
    return { user, isSnapshot: true, fundings: rows };
  },
  userFills: (before, frame) => {
    const { user, fills } = before as UserFillsUpdate;
    const rows = newestFirst(fills, (frame as UserFillsUpdate).fills);
    return { user, isSnapshot: true, fills: rows };
  },
  userHistoricalOrders: (before, frame) => {
    const { user, orderHistory: known } = before as UserHistoricalOrdersUpdate;
    const { orderHistory: told } = frame as UserHistoricalOrdersUpdate;
    const changed = new Set(told.map(({ order }) => order.oid));
    const others = known.filter(({ order }) => !changed.has(order.oid));
    return { user, isSnapshot: true, orderHistory: newestFirst(others, told) };
  },
  userNonFundingLedgerUpdates: (before, frame) => {
    const { user, nonFundingLedgerUpdates: known } = before as UserLedgerUpdate;
    const { nonFundingLedgerUpdates: told } = frame as UserLedgerUpdate;
    const isKnown = (row: LedgerUpdate) => known.some((each) => isSameWithdrawal(each, row));
    // A withdrawal keeps its place when its row comes again with another status.
    const kept = known.map((row) => told.findLast((each) => isSameWithdrawal(each, row)) ?? row);
    const rows = newestFirst(
      kept,
      told.filter((row) => !isKnown(row)),
    );
    return { user, isSnapshot: true, nonFundingLedgerUpdates: rows };
  },
};

/** The records of before with those of a frame in their places. */
function byInstrument<Item extends { readonly instrumentId: number }>(
  before: readonly Item[],
  frame: readonly Item[],
): Item[] {
  const items = new Map(before.map((item) => [item.instrumentId, item]));
  for (const item of frame) items.set(item.instrumentId, item);
  return [...items.values()];
}

/** The levels of before with those of a frame in their places; one without a size is gone. */
function byPrice(before: readonly LevelTuple[], frame: readonly LevelTuple[]): LevelTuple[] {
  const levels = new Map(before.map((level) => [level[0], level]));
  for (const level of frame) {
    if (level[1] === '0') levels.delete(level[0]);
    else levels.set(level[0], level);
  }
  return [...levels.values()];
}

function isSameWithdrawal({ delta, hash }: LedgerUpdate, other: LedgerUpdate): boolean {
  return delta.type === 'withdraw' && other.delta.type === 'withdraw' && hash === other.hash;
}

/** Lists begin with the newest row; later frames are in the order in which it happened. */
function newestFirst<Row>(
  before: readonly Row[],
  frame: readonly Row[],
  max: number = CLIENT_LIMITS.snapshotRowsMax,
): Row[] {
  return [...frame.toReversed(), ...before].slice(0, max);
}
