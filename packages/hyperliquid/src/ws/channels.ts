import type {
  AccountStateUpdate,
  AssetContext,
  Candle,
  L2Book,
  OrderUpdate,
  RecentTradesUpdate,
  UserFillsUpdate,
  UserFundingsUpdate,
  UserHistoricalOrdersUpdate,
  UserLedgerUpdate,
} from '@oddlot/protocol';
import * as z from 'zod';
import { type Call, differs, same } from '../calls.ts';
import { activeAssetOf, clearinghouseOf } from '../info/account.ts';
import { bookOf, tickFor } from '../info/book.ts';
import { fillsOf, fundingDelta, ledgerOf, tradeOf } from '../info/fills.ts';
import {
  coinOf,
  type InfoContext,
  openOrdersOf,
  stepNear,
  webData2,
  webData3,
} from '../info/info-calls.ts';
import { frontendOrder, historicalOrder, isNonUserCancel, orderUpdate } from '../info/orders.ts';
import { aggregation, coin, dex, interval, user } from '../info/read-query.ts';
import { contextOf, contextsOf, midsOf } from '../info/universe.ts';
import { RefusedError } from '../refused-error.ts';
import { ask, type StreamPath } from '../venue-access.ts';
import type { Follower, Subscription, VenueStreams } from './venue-streams.ts';

/** The data from which the port builds its channels on top of the venue's streams. */
export type ChannelContext = Omit<InfoContext, 'coins'> & {
  /** Returns the perps of the newest state. */
  readonly coins: () => InfoContext['coins'];
  /** Reports a venue error to the operator. */
  readonly report: (error: unknown) => void;
  /** The streams for channels that each follow a single stream. */
  readonly streams: VenueStreams;
  /**
   * The shared streams for channels that report only new events. A new follower does not get the
   * last frame again.
   */
  readonly events: VenueStreams;
};

/** Receives the frames of a channel for one subscriber. */
type Out = {
  readonly ready: () => void;
  readonly send: (data: unknown) => void;
  readonly fail: (sentence: string) => void;
};

type Channel = Call & {
  readonly schema: z.ZodType;
  /** The channel name in the frames, if it differs from the subscription's. */
  readonly frames?: string;
  /** Opens the channel and returns a function that closes it. */
  readonly open: (context: ChannelContext, params: never, out: Out) => () => void;
};

function channel<Shape extends z.ZodRawShape>(
  description: Call & { readonly frames?: string },
  fields: Shape,
  open: (context: ChannelContext, params: z.output<z.ZodObject<Shape>>, out: Out) => () => void,
): Channel {
  return { ...description, schema: z.object(fields), open: open as Channel['open'] };
}

const MIDS_MS = 250;
const CONTEXTS_MS = 1_000;
const ACCOUNT_MS = 500;
const WEB_DATA_MS = 1_000;
const TRADES_FIRST = 50;

const MARKET_CHANNELS: Readonly<Record<string, Channel>> = {
  allMids: channel(same('After each change, at most every 250 ms.'), dex, (context, _, out) =>
    polled(
      context,
      MIDS_MS,
      () => ({ mids: midsOf(context.coins(), context.venue.contexts()) }),
      out,
    ),
  ),
  l2Book: channel(
    differs('An aggregated book can have fewer than 20 levels.'),
    { ...coin, ...aggregation },
    (context, params, out) => {
      const { id, name, perp } = coinOf(context.coins(), params.coin);
      const step = stepNear(context, id, params);
      const subscription = bookStream(id, tickFor(step, perp.bookTicks));
      return follow(context, '/ws', subscription, out, (book: L2Book) => bookOf(name, book, step));
    },
  ),
  bbo: channel(same('After each change, at most every 100 ms.'), coin, (context, params, out) => {
    const { id, name } = coinOf(context.coins(), params.coin);
    let last = '';
    return follow(context, '/ws', bookStream(id, ''), out, ({ levels, time }: L2Book) => {
      const bbo = levels.map(([best]) => best ?? null);
      const text = JSON.stringify(bbo);
      if (text === last) return undefined;
      last = text;
      return { coin: name, time, bbo };
    });
  }),
  trades: channel(same('The last 50 trades first.'), coin, (context, params, out) => {
    const { id } = coinOf(context.coins(), params.coin);
    const subscription = { type: 'recentTrades', coin: String(id), limit: TRADES_FIRST };
    return follow(context, '/api-ws', subscription, out, (update: RecentTradesUpdate) => {
      const { isSnapshot, trades } = update;
      const ordered = isSnapshot === true ? trades.toReversed() : trades;
      if (ordered.length === 0) return undefined;
      return ordered.map((trade) => tradeOf(context.coins(), trade));
    });
  }),
  candle: channel(
    same('The current candle after each change.'),
    { ...coin, ...interval },
    (context, params, out) => {
      const { id, name } = coinOf(context.coins(), params.coin);
      const subscription = { type: 'candle', coin: String(id), interval: params.interval };
      return follow(context, '/api-ws', subscription, out, (candle: Candle) => {
        const { instrumentId: _, ...fields } = candle;
        return { ...fields, s: name };
      });
    },
  ),
  activeAssetCtx: channel(same('Perps only.'), coin, (context, params, out) => {
    const { id, name } = coinOf(context.coins(), params.coin);
    const subscription = { type: 'activeAssetCtx', coin: String(id) };
    return follow(context, '/ws', subscription, out, ({ ctx }: AssetContext) => ({
      coin: name,
      ctx: contextOf(ctx),
    }));
  }),
  assetCtxs: channel(same('After each change, at most every second.'), dex, (context, _, out) =>
    polled(context, CONTEXTS_MS, () => ({ dex: '', ctxs: allContexts(context) }), out),
  ),
  allDexsAssetCtxs: channel(differs('Only the venue itself.'), {}, (context, _, out) =>
    polled(context, CONTEXTS_MS, () => ({ ctxs: [['', allContexts(context)]] }), out),
  ),
  spotAssetCtxs: channel(differs('Always empty.'), {}, (_, __, out) => constant([], out)),
};

function allContexts({ coins, venue }: ChannelContext): object[] {
  return contextsOf(coins(), venue.contexts());
}

const ACCOUNT_CHANNELS: Readonly<Record<string, Channel>> = {
  activeAssetData: channel(
    same('After each change, at most every 500 ms.'),
    { ...user, ...coin },
    (context, params, out) => {
      const { id, name } = coinOf(context.coins(), params.coin);
      const asked = { type: 'activeAssetData', user: params.user, coin: String(id) } as const;
      return polled(
        context,
        ACCOUNT_MS,
        async () => activeAssetOf(name, await ask(context, asked)),
        out,
      );
    },
  ),
  orderUpdates: channel(same('Only changes, without a snapshot.'), user, (context, params, out) =>
    follow(context, '/ws', ofUser('orderUpdates', params.user), out, (rows: OrderUpdate[]) => {
      const coins = context.coins();
      const ofPerps = rows.filter(({ order }) => coins.has(order.instrumentId));
      return ofPerps.length === 0 ? undefined : ofPerps.map((row) => orderUpdate(coins, row));
    }),
  ),
  userEvents: channel(
    { ...differs('Liquidations name no liquidator.'), frames: 'user' },
    user,
    userEvents,
  ),
  userFills: channel(
    differs('Partial fills are never combined.'),
    { ...user, aggregateByTime: z.boolean().nullish() },
    (context, params, out) => {
      const subscription = ofUser('userFills', params.user);
      return follow(context, '/api-ws', subscription, out, (update: UserFillsUpdate) => {
        const fills = fillsOf(context.coins(), update.fills);
        if (fills.length === 0 && update.isSnapshot !== true) return undefined;
        return { ...snapshotFlag(update), user: params.user, fills };
      });
    },
  ),
  userFundings: channel(same('The last 200 payments first.'), user, (context, params, out) => {
    const subscription = ofUser('userFundings', params.user);
    return follow(context, '/ws', subscription, out, (update: UserFundingsUpdate) => {
      const coins = context.coins();
      const fundings = update.fundings.map((row) => ({
        time: row.time,
        ...fundingDelta(coins, row),
      }));
      return { ...snapshotFlag(update), user: params.user, fundings };
    });
  }),
  userNonFundingLedgerUpdates: channel(
    differs('Faucet grants are deposits; rows of outcome markets are omitted.'),
    user,
    (context, params, out) =>
      follow(context, '/api-ws', ledgerStream(params.user), out, (update: UserLedgerUpdate) => {
        const rows = update.nonFundingLedgerUpdates.flatMap(
          (row) => ledgerOf(context.coins(), row) ?? [],
        );
        if (rows.length === 0 && update.isSnapshot !== true) return undefined;
        return { ...snapshotFlag(update), user: params.user, nonFundingLedgerUpdates: rows };
      }),
  ),
  userHistoricalOrders: channel(
    same('The last 200 orders first.'),
    user,
    (context, params, out) => {
      const subscription = ofUser('userHistoricalOrders', params.user);
      return follow(
        context,
        '/api-ws',
        subscription,
        out,
        (update: UserHistoricalOrdersUpdate) => ({
          ...snapshotFlag(update),
          user: params.user,
          orderHistory: update.orderHistory
            .filter(({ order }) => context.coins().has(order.instrumentId))
            .map((row) => historicalOrder(context.coins(), row)),
        }),
      );
    },
  ),
  openOrders: channel(
    same('After each change, at most every 500 ms.'),
    { ...user, ...dex },
    (context, params, out) => {
      const orders = (): object[] => {
        const coins = context.coins();
        const live = openOrdersOf({ ...context, coins }, params.user);
        return live.map((order) => frontendOrder(coins, order));
      };
      return polled(
        context,
        ACCOUNT_MS,
        () => ({ dex: '', user: params.user, orders: orders() }),
        out,
      );
    },
  ),
  clearinghouseState: channel(
    same('After each block that changes it.'),
    { ...user, ...dex },
    (context, params, out) => {
      const subscription = ofUser('clearinghouseState', params.user);
      return follow(context, '/ws', subscription, out, (update: AccountStateUpdate) => ({
        dex: '',
        user: params.user,
        clearinghouseState: clearinghouseOf(context.coins(), update.clearinghouseState),
      }));
    },
  ),
  allDexsClearinghouseState: channel(
    differs('Only the venue itself.'),
    user,
    (context, params, out) => {
      const subscription = ofUser('clearinghouseState', params.user);
      return follow(context, '/ws', subscription, out, (update: AccountStateUpdate) => {
        const state = clearinghouseOf(context.coins(), update.clearinghouseState);
        return { user: params.user, clearinghouseStates: [['', state]] };
      });
    },
  ),
  spotState: channel(differs('Always empty.'), user, (_, params, out) =>
    constant({ user: params.user, spotState: { balances: [] } }, out),
  ),
  twapStates: channel(differs('Always empty.'), { ...user, ...dex }, (_, params, out) =>
    constant({ dex: '', user: params.user, states: [] }, out),
  ),
  userTwapHistory: channel(differs('Always empty.'), user, (_, params, out) =>
    constant({ isSnapshot: true, user: params.user, history: [] }, out),
  ),
  userTwapSliceFills: channel(differs('Always empty.'), user, (_, params, out) =>
    constant({ isSnapshot: true, user: params.user, twapSliceFills: [] }, out),
  ),
  webData3: channel(differs('Every second. Vaults are empty.'), user, (context, params, out) =>
    polled(
      context,
      WEB_DATA_MS,
      () => webData3({ ...context, coins: context.coins() }, params.user),
      out,
    ),
  ),
  webData2: channel(
    differs('Every second. Vaults, TWAP orders and spot balances are empty.'),
    user,
    (context, params, out) =>
      polled(
        context,
        WEB_DATA_MS,
        () => webData2({ ...context, coins: context.coins() }, params.user),
        out,
      ),
  ),
  notification: channel(differs('Only liquidations and deleveraging.'), user, notification),
};

export const CHANNELS: Readonly<Record<string, Channel>> = {
  ...MARKET_CHANNELS,
  ...ACCOUNT_CHANNELS,
};

function bookStream(id: number, tick: string): Subscription {
  return { type: 'l2Book', coin: String(id), ...(tick === '' ? {} : { tick }) };
}

function ofUser(type: string, account: string): Subscription {
  return { type, user: account };
}

function ledgerStream(account: string): Subscription {
  return { type: 'userNonFundingLedgerUpdates', user: account, accountTypes: ['perp'] };
}

function snapshotFlag({ isSnapshot }: { readonly isSnapshot?: true }): { isSnapshot?: true } {
  return isSnapshot === true ? { isSnapshot } : {};
}

/** Follows one stream. Frames for which the conversion returns undefined are omitted. */
function follow<Data>(
  { streams }: ChannelContext,
  path: StreamPath,
  subscription: Subscription,
  out: Out,
  translate: (data: Data) => unknown,
): () => void {
  return streams.follow(path, subscription, followerOf(out, translate));
}

function followerOf<Data>(out: Out, translate: (data: Data) => unknown): Follower {
  return {
    ready: out.ready,
    fail: out.fail,
    frame: (data) => {
      const translated = translate(data as Data);
      if (translated !== undefined) out.send(translated);
    },
  };
}

/** Sends a snapshot of data that this venue does not have and that therefore never changes. */
function constant(data: unknown, out: Out): () => void {
  out.ready();
  out.send(data);
  return () => undefined;
}

/** Reads a state at intervals and sends it if it has changed. */
function polled(
  { report }: ChannelContext,
  everyMs: number,
  read: () => unknown,
  out: Out,
): () => void {
  let last = '';
  let isBusy = false;
  const look = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    try {
      const data = await read();
      const text = JSON.stringify(data);
      if (text !== last) out.send(data);
      last = text;
    } catch (error) {
      // The state may be readable again at the next interval.
      if (!(error instanceof RefusedError)) report(error);
    } finally {
      isBusy = false;
    }
  };
  out.ready();
  void look();
  const timer = setInterval(() => void look(), everyMs);
  return () => clearInterval(timer);
}

/**
 * Follows several streams that report only new events. The channel is ready once all of them are.
 */
function followEvents(
  { events }: ChannelContext,
  out: Out,
  streams: readonly (readonly [StreamPath, Subscription, (data: never) => unknown])[],
): () => void {
  let waiting = streams.length;
  const ready = (): void => {
    waiting -= 1;
    if (waiting === 0) out.ready();
  };
  const closes = streams.map(([path, subscription, translate]) => {
    const newOnly = (data: unknown): unknown => {
      const isSnapshot = (data as { readonly isSnapshot?: true }).isSnapshot === true;
      return isSnapshot ? undefined : translate(data as never);
    };
    return events.follow(path, subscription, followerOf({ ...out, ready }, newOnly));
  });
  return () => {
    for (const close of closes) close();
  };
}

const NO_LIQUIDATOR = `0x${'0'.repeat(40)}`;

function userEvents(
  context: ChannelContext,
  params: { readonly user: string },
  out: Out,
): () => void {
  const fills = (update: UserFillsUpdate): object | undefined => {
    const ofPerps = fillsOf(context.coins(), update.fills);
    return ofPerps.length === 0 ? undefined : { fills: ofPerps };
  };
  const fundings = (update: UserFundingsUpdate): undefined => {
    const coins = context.coins();
    for (const row of update.fundings) {
      out.send({ funding: { time: row.time, ...fundingDelta(coins, row) } });
    }
  };
  const cancels = (rows: readonly OrderUpdate[]): object | undefined => {
    const nonUserCancel = rows
      .filter(({ order }) => context.coins().has(order.instrumentId))
      .filter(({ reason, status }) => status === 'cancelled' && isNonUserCancel(reason))
      .map(({ order }) => ({ coin: context.coins().nameOf(order.instrumentId), oid: order.oid }));
    return nonUserCancel.length === 0 ? undefined : { nonUserCancel };
  };
  const liquidations = ({ nonFundingLedgerUpdates }: UserLedgerUpdate): undefined => {
    for (const { delta, time } of nonFundingLedgerUpdates) {
      if (delta.type !== 'liquidation') continue;
      const liquidation = {
        lid: time,
        liquidator: NO_LIQUIDATOR,
        liquidated_user: params.user,
        liquidated_ntl_pos: delta.liquidatedNtlPos,
        liquidated_account_value: delta.accountValue,
      };
      out.send({ liquidation });
    }
  };
  return followEvents(context, out, [
    ['/api-ws', ofUser('userFills', params.user), fills],
    ['/ws', ofUser('userFundings', params.user), fundings],
    ['/ws', ofUser('orderUpdates', params.user), cancels],
    ['/api-ws', ledgerStream(params.user), liquidations],
  ]);
}

function notification(
  context: ChannelContext,
  params: { readonly user: string },
  out: Out,
): () => void {
  const onUpdate = ({ nonFundingLedgerUpdates }: UserLedgerUpdate): undefined => {
    for (const { delta } of nonFundingLedgerUpdates) {
      if (delta.type === 'liquidation') {
        out.send({ notification: `Liquidation: ${delta.liquidatedNtlPos} USDC (${delta.step})` });
      }
      if (delta.type === 'adl') {
        out.send({ notification: `Auto-deleveraged: ${delta.sz} ${delta.coin} at ${delta.px}` });
      }
    }
  };
  return followEvents(context, out, [['/api-ws', ledgerStream(params.user), onUpdate]]);
}
