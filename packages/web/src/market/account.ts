import type {
  AssetPosition,
  ClearinghouseState,
  OpenOrder,
  OutcomeOpenOrder,
  TriggerOrder,
} from '@oddlot/sdk';
import {
  add,
  compare,
  divide,
  isDecimal,
  magnitude,
  multiply,
  roundTo,
  sign,
  subtract,
  sum,
} from '../lib/decimal.ts';
import { inNextFrame } from './frame.ts';
import { askAfterChanges, createLive } from './live.ts';
import { contexts } from './streams.ts';
import { reader } from './venue.ts';

type AccountKey = { readonly user: string; readonly accountType: 'perp' | 'outcome' };

export type AccountState = {
  readonly state: ClearinghouseState | undefined;
  readonly height: number | undefined;
};

/**
 * The interval, in milliseconds, at which figures without a stream are queried: free margin, ratios
 * and liquidation prices.
 */
const ASK_EVERY_MS = 5_000;
const FOLLOWED_MAX = 40;

export const accountStates = createLive<AccountKey, AccountState>({
  key: ({ accountType, user }) => `${user} ${accountType}`,
  initial: () => ({ state: undefined, height: undefined }),
  open: (parameters, store) => {
    let latest: AccountState = { state: undefined, height: undefined };
    const atMarks = parameters.accountType === 'perp' ? stateAtMarks : sharesAtMarks;
    const marks = followMarks(() => show());
    const show = (): void => {
      const { height, state } = latest;
      if (state === undefined) return;
      store.setState({ state: atMarks(state, marks.since(height)), height });
    };
    const update = (next: AccountState): void => {
      latest = next;
      const rows = next.state?.assetPositions ?? [];
      const held = new Set(rows.map(({ position }) => position.asset));
      marks.follow([...held].slice(0, FOLLOWED_MAX));
      show();
    };
    const stream = reader.streams.clearinghouseState(parameters, (event) => {
      if (event.type === 'reset') return;
      update({ state: event.data.clearinghouseState, height: event.height });
    });
    const leaving = new AbortController();
    const ask = async (): Promise<void> => {
      const before = latest;
      if (before.state === undefined || before.state.assetPositions.length === 0) return;
      const state = await reader.info.clearinghouseState(parameters, { signal: leaving.signal });
      if (latest === before) update({ state, height: undefined });
    };
    const timer = setInterval(() => void ask().catch(() => undefined), ASK_EVERY_MS);
    return () => {
      clearInterval(timer);
      leaving.abort();
      marks.follow([]);
      stream.close();
    };
  },
});

type OrdersState = {
  readonly orders: readonly OpenOrder[];
  readonly triggers: readonly TriggerOrder[];
  readonly isLoaded: boolean;
};

export const openOrders = createLive<string, OrdersState>({
  key: (user) => user,
  initial: () => ({ orders: [], triggers: [], isLoaded: false }),
  open: (user, store) => {
    const asking = askAfterChanges(async (signal) => {
      const [orders, triggers] = await Promise.all([
        reader.info.frontendOpenOrders({ user }, { signal }),
        reader.info.triggerOrders({ user }, { signal }),
      ]);
      store.setState({ orders, triggers, isLoaded: true });
      return 'whole';
    });
    const stream = reader.streams.orderUpdates({ user }, (event) => {
      if (event.type === 'data') {
        // Ended orders disappear immediately, and the response contains the new orders.
        const ended = endedIds(event.data);
        const { orders, triggers } = store.getState();
        store.setState({
          orders: orders.filter(({ oid }) => !ended.has(oid)),
          triggers: triggers.filter(({ oid }) => !ended.has(oid)),
        });
      }
      asking.again();
    });
    asking.onceReady(stream);
    return () => {
      asking.stop();
      stream.close();
    };
  },
});

type OutcomeOrdersState = Readonly<{ orders: readonly OutcomeOpenOrder[]; isLoaded: boolean }>;

export const openOutcomeOrders = createLive<string, OutcomeOrdersState>({
  key: (user) => user,
  initial: () => ({ orders: [], isLoaded: false }),
  open: (user, store) => {
    const asking = askAfterChanges(async (signal) => {
      const orders = await reader.info.outcomeFrontendOpenOrders({ user }, { signal });
      store.setState({ orders, isLoaded: true });
      return 'whole';
    });
    const stream = reader.streams.outcomeOrderUpdates({ user }, (event) => {
      if (event.type === 'data') {
        const ended = endedIds(event.data);
        store.setState({ orders: store.getState().orders.filter(({ oid }) => !ended.has(oid)) });
      }
      asking.again();
    });
    asking.onceReady(stream);
    return () => {
      asking.stop();
      stream.close();
    };
  },
});

function endedIds(
  updates: readonly { readonly order: { readonly oid: number }; readonly status: string }[],
): ReadonlySet<number> {
  return new Set(updates.filter(({ status }) => status !== 'open').map(({ order }) => order.oid));
}

type FollowedMarks = {
  follow(coins: readonly string[]): void;
  since(height: number | undefined): ReadonlyMap<string, string>;
};

function followMarks(onChange: () => void): FollowedMarks {
  const held = new Map<
    string,
    ReturnType<typeof contexts.acquire> & { readonly leave: () => void }
  >();
  const notifyIfFollowed = (): void => {
    if (held.size > 0) onChange();
  };
  return {
    follow(coins) {
      for (const coin of coins) {
        if (held.has(coin)) continue;
        const context = contexts.acquire(coin);
        const leave = context.store.subscribe(() => inNextFrame(notifyIfFollowed));
        held.set(coin, { ...context, leave });
      }
      for (const [coin, { leave, release }] of held) {
        if (coins.includes(coin)) continue;
        held.delete(coin);
        leave();
        release();
      }
    },
    since(least) {
      const marks = new Map<string, string>();
      for (const [coin, { store }] of held) {
        const { ctx, height } = store.getState();
        const isOlder = least !== undefined && height !== undefined && height < least;
        if (ctx !== undefined && !isOlder) marks.set(coin, ctx.markPx);
      }
      return marks;
    },
  };
}

/** The decimals match the venue's, so that figures computed here equal those in its responses. */

const USDC_DECIMALS = 6;
const RATIO_DECIMALS = 6;

/** Returns the state of an account at other marks. Unchanged parts remain the same objects. */
export function stateAtMarks(
  before: ClearinghouseState,
  marks: ReadonlyMap<string, string>,
): ClearinghouseState {
  const assetPositions = before.assetPositions.map((row) => rowAtMark(row, marks));
  if (assetPositions.every((row, at) => row === before.assetPositions[at])) return before;
  const pairs = assetPositions.map((row, at) => [row, before.assetPositions[at]!] as const);
  const cross = pairs.filter(([row]) => row.position.leverage.type === 'Cross');
  return {
    ...before,
    assetPositions,
    marginSummary: summaryAtMarks(before.marginSummary, pairs),
    crossMarginSummary: summaryAtMarks(before.crossMarginSummary, cross),
    accountValuePlusWithdrawHold: add(
      before.accountValuePlusWithdrawHold,
      change(pairs, 'unrealizedPnl'),
    ),
  };
}

export function sharesAtMarks(
  before: ClearinghouseState,
  marks: ReadonlyMap<string, string>,
): ClearinghouseState {
  const assetPositions = before.assetPositions.map((row) => sharesAtMark(row, marks));
  if (assetPositions.every((row, at) => row === before.assetPositions[at])) return before;
  const pairs = assetPositions.map((row, at) => [row, before.assetPositions[at]!] as const);
  const marginSummary = summaryAtMarks(before.marginSummary, pairs);
  return {
    ...before,
    assetPositions,
    marginSummary,
    crossMarginSummary: { ...marginSummary },
    accountValuePlusWithdrawHold: marginSummary.accountValue,
  };
}

function sharesAtMark(row: AssetPosition, marks: ReadonlyMap<string, string>): AssetPosition {
  const { position } = row;
  const { marginUsed: cost, szi } = position;
  const yes = marks.get(position.asset);
  if (!isDecimal(yes)) return row;
  const markPx = sign(szi) > 0 ? yes : subtract('1', yes);
  if (isDecimal(position.markPx) && compare(markPx, position.markPx) === 0) return row;
  const positionValue = roundTo(multiply(magnitude(szi), markPx), USDC_DECIMALS);
  const unrealizedPnl = subtract(positionValue, cost);
  const earned = divide(unrealizedPnl, cost);
  return {
    ...row,
    position: {
      ...position,
      markPx,
      positionValue,
      unrealizedPnl,
      returnOnEquity: earned === undefined ? '0' : roundTo(earned, RATIO_DECIMALS),
    },
  };
}

function rowAtMark(row: AssetPosition, marks: ReadonlyMap<string, string>): AssetPosition {
  const { position } = row;
  const mark = marks.get(position.asset);
  if (!isDecimal(mark) || !isDecimal(position.markPx) || compare(mark, position.markPx) === 0) {
    return row;
  }
  const { leverage, szi } = position;
  // The entry price may be rounded, but the profit at the previous mark is exact.
  const gained = multiply(szi, subtract(mark, position.markPx));
  const unrealizedPnl = add(position.unrealizedPnl, gained);
  const positionValue = multiply(magnitude(szi), mark);
  const cost = magnitude(subtract(multiply(szi, mark), unrealizedPnl));
  const earned = divide(multiply(unrealizedPnl, String(leverage.value)), cost);
  const isIsolated = leverage.type === 'Isolated';
  return {
    ...row,
    position: {
      ...position,
      markPx: mark,
      unrealizedPnl,
      positionValue,
      marginUsed: isIsolated
        ? add(position.marginUsed, gained)
        : marginOf(positionValue, leverage.value),
      returnOnEquity: earned === undefined ? '0' : roundTo(earned, RATIO_DECIMALS),
    },
  };
}

function marginOf(value: string, leverage: number): string {
  const down = divide(value, String(leverage), USDC_DECIMALS) ?? '0';
  return compare(multiply(down, String(leverage)), value) < 0 ? add(down, '0.000001') : down;
}

type Pairs = readonly (readonly [AssetPosition, AssetPosition])[];
type Figure = 'unrealizedPnl' | 'positionValue' | 'marginUsed';

function change(pairs: Pairs, figure: Figure): string {
  return sum(pairs.map(([row, before]) => subtract(row.position[figure], before.position[figure])));
}

/** Returns the margin summary at other marks, on which `totalRawUsd` does not depend. */
function summaryAtMarks(
  summary: ClearinghouseState['marginSummary'],
  pairs: Pairs,
): ClearinghouseState['marginSummary'] {
  return {
    ...summary,
    accountValue: add(summary.accountValue, change(pairs, 'unrealizedPnl')),
    totalNtlPos: add(summary.totalNtlPos, change(pairs, 'positionValue')),
    totalMarginUsed: add(summary.totalMarginUsed, change(pairs, 'marginUsed')),
  };
}

/** Margin usage, as a fraction. Liquidation starts at 1. */
export type MarginUse = {
  readonly share: string;
  readonly market: string | undefined;
};

const DECIMALS = 6;

export function crossUse({
  crossMarginRatio,
  crossMarginSummary,
}: ClearinghouseState): MarginUse | undefined {
  if (sign(crossMarginSummary.totalNtlPos) === 0) return undefined;
  return shareOf(crossMarginRatio, undefined);
}

export function useWorstUse(user: string | undefined): MarginUse | undefined {
  const key = user === undefined ? undefined : ({ user, accountType: 'perp' } as const);
  return accountStates.use(key, ({ state }) => (state === undefined ? undefined : worstUse(state)));
}

export function worstUse(state: ClearinghouseState): MarginUse | undefined {
  return marginUses(state)[0];
}

/** Returns the margin usage of the cross account and of each isolated position, highest first. */
export function marginUses(state: ClearinghouseState): readonly MarginUse[] {
  const isolated = state.assetPositions
    .filter(({ position }) => position.leverage.type === 'Isolated')
    .map(({ position }) => shareOf(position.marginRatio, position.coin));
  return [crossUse(state), ...isolated]
    .filter((use) => use !== undefined)
    .toSorted((a, b) => compare(b.share, a.share));
}

/**
 * Converts the venue's ratio, which is available margin divided by required margin, to margin
 * usage.
 */
function shareOf(ratio: string, market: string | undefined): MarginUse | undefined {
  if (!isDecimal(ratio)) return undefined;
  if (sign(ratio) <= 0) return { share: '1', market };
  const share = divide('1', ratio, DECIMALS) ?? '0';
  return { share: compare(share, '1') > 0 ? '1' : share, market };
}

export function hasReached({ share }: MarginUse, percent: number): boolean {
  return compare(multiply(share, '100'), String(percent)) >= 0;
}
