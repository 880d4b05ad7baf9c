import * as z from 'zod';
import {
  AccountType,
  AccountTypes,
  Address,
  canonicalDecimal,
  exchangeIdsOf,
  I32,
  IdStr,
  InstrumentIds,
  refuseOtherExchange,
} from '../primitives.ts';
import { type ChannelDefinition, type NamedType, typeOf } from '../define.ts';
import type { Candle, L2Book } from '../info/market-answers.ts';
import { BookTick, CandlePrice, Interval, refuseOtherPrice } from '../info/market-queries.ts';
import type { Trade } from '../info/order-answers.ts';
import { limitOf } from '../info/paging.ts';
import { LIMITS, PAGE_LIMITS } from '../limits.ts';
import type { Details, WireError } from '../errors.ts';
import { refusal } from '../refusal.ts';
import { nearestName } from '../nearest-name.ts';
import { toWireError } from '../to-wire-error.ts';
import type {
  AccountStateUpdate,
  AssetContext,
  ExplorerBlock,
  ExplorerTx,
  L2Diff,
  OrderUpdate,
  OutcomeBbosUpdate,
  OutcomeOrderRelease,
  OutcomeTradesUpdate,
  RecentTradesUpdate,
  TickersUpdate,
  UpdatedOutcomeOrder,
  UserFillsUpdate,
  UserFundingsUpdate,
  UserHistoricalOrdersUpdate,
  UserLedgerUpdate,
} from './frames.ts';

/**
 * The definitions of all channels. The parsed parameters, the clients' shapes, and the SDK's
 * methods with their types and comments are derived from these definitions. Subscriptions with
 * equal parsed parameters are the same, so the schemas normalise them: sorted ids without
 * duplicates, addresses in lower case, defaults, and no exchange id, which follows from the other
 * parameters. Because this does not depend on the state, a client can always unsubscribe with the
 * parameters of its subscription.
 */

const SortedIds = InstrumentIds.transform((ids) => [...new Set(ids)].sort((a, b) => a - b));
const SortedTypes = AccountTypes.transform((types) => [...types].sort());

/** Equal tick sizes must have equal strings, so `1.0` becomes `1`. */
const CanonicalTick = BookTick.transform((text) =>
  text === undefined ? text : canonicalDecimal(text),
);

const coin = z.object({ coin: IdStr });
const user = z.object({ user: Address });
const none = z.object({});
const userLists = z.object({ user: Address, accountType: SortedTypes.default(['perp']) });

const HISTORY_ROWS = { by: 'newest', rowsMax: LIMITS.snapshotRowsMax } as const;

export const WS_CHANNELS = {
  /**
   * Subscribes to the book of an instrument. Each event has the whole book, at most every 100 ms.
   */
  l2Book: {
    schema: z.object({ coin: IdStr, tick: CanonicalTick.optional() }),
    data: typeOf<L2Book>(),
    state: { by: 'whole' },
  },
  /**
   * Subscribes to a book: first all levels, and then the levels changed by each block. `LocalBook`
   * applies the events.
   */
  l2Diff: { schema: coin, data: typeOf<L2Diff>(), state: { by: 'levels' } },
  /**
   * Subscribes to an instrument's trades; the trades in one block are one event. After a reset, the
   * last 50 trades are sent, some of which you may already have received; compare their `tid`.
   */
  trades: { schema: coin, data: typeOf<Trade[]>(), isFact: true },
  /** Subscribes to an instrument's mark price, oracle price, volume and open interest. */
  activeAssetCtx: { schema: coin, data: typeOf<AssetContext>(), state: { by: 'whole' } },
  /**
   * Subscribes to changes to an account's perp orders. After a reset, all live orders are sent; any
   * order that is missing has ended in the meantime.
   */
  orderUpdates: { schema: user, data: typeOf<OrderUpdate[]>(), isFact: true },
  /**
   * Subscribes to a sub-account's positions and margin, sent after each block that changes them.
   */
  clearinghouseState: {
    schema: z
      .object({
        user: Address,
        accountType: AccountType.default('perp'),
        exchangeId: I32.nullable().optional(),
        exchange_id: I32.nullable().optional(),
      })
      .superRefine(refuseOtherExchange)
      .transform(({ exchangeId: _, exchange_id: __, ...params }) => params),
    data: typeOf<AccountStateUpdate>(),
    state: { by: 'whole' },
  },
  /**
   * Subscribes to the funding payments of an account's positions: first the last 200 rows, and then
   * new ones.
   */
  userFundings: {
    schema: user,
    data: typeOf<UserFundingsUpdate>(),
    isFact: true,
    state: { ...HISTORY_ROWS, list: 'fundings' },
  },
  /**
   * Subscribes to the best bid and ask of up to 50 outcome markets, in prices of YES: first all of
   * them, and then those that change.
   */
  outcomeBbos: {
    schema: z
      .object({ instrumentIds: SortedIds, ...exchangeIdsOf(1) })
      .transform(({ exchangeId: _, exchange_id: __, ...params }) => params),
    data: typeOf<OutcomeBbosUpdate>(),
    state: { by: 'instruments', list: 'bbos' },
  },
  /**
   * Subscribes to the trades of up to 50 outcome markets; the trades in one block are one event.
   * After a reset, the last 50 trades are sent, some of which you may already have received;
   * compare their `tid`.
   */
  outcomeTrades: {
    schema: z.object({ instrumentIds: SortedIds }),
    data: typeOf<OutcomeTradesUpdate>(),
    isFact: true,
  },
  /**
   * Subscribes to changes to an account's outcome orders once they have reached the book. After a
   * reset, all live orders are sent; any order that is missing has ended in the meantime.
   */
  outcomeOrderUpdates: {
    schema: user,
    data: typeOf<OrderUpdate<UpdatedOutcomeOrder>[]>(),
    isFact: true,
  },
  /** Subscribes to new blocks. */
  explorerBlock: { schema: none, data: typeOf<ExplorerBlock[]>(), isFact: true },
  /** Subscribes to the signed requests that each block executes. */
  explorerTxs: { schema: none, data: typeOf<ExplorerTx[]>(), isFact: true },
} as const satisfies Readonly<Record<string, ChannelDefinition>>;

export const API_WS_CHANNELS = {
  /**
   * Subscribes to the results of acknowledged outcome orders when they leave the delay queue. There
   * is one event per order, identified by `traceId` and `i`. After a reset, no event is repeated;
   * `exchange.waitForAction` returns the receipt.
   */
  outcomeOrderUpdate: {
    schema: z.object({
      user: Address,
      /**
       * If true, orders that reach the book are reported in addition to those that fail before
       * then.
       */
      includeSuccess: z.boolean().default(false),
    }),
    data: typeOf<OutcomeOrderRelease>(),
    isFact: true,
  },
  /**
   * Subscribes to the current candle of an instrument. When the interval ends, its final values are
   * sent, followed by the next candle.
   */
  candle: {
    schema: z
      .object({ coin: IdStr, interval: Interval, price: CandlePrice })
      .superRefine(refuseOtherPrice),
    data: typeOf<Candle>(),
    state: { by: 'whole' },
  },
  /** Subscribes to summaries of instruments: first all of them, and then those that change. */
  tickers: {
    schema: z.object({
      accountType: AccountType.optional(),
      /** The ids, at most 50; by default, all instruments that are trading. */
      instrumentIds: SortedIds.optional(),
    }),
    data: typeOf<TickersUpdate>(),
    state: { by: 'instruments', list: 'tickers', isMarked: true },
  },
  /** Subscribes to an instrument's trades: first the most recent trades, and then new ones. */
  recentTrades: {
    schema: z.object({
      coin: IdStr,
      /** The number of rows in the first frame: 50 by default, at most 200. */
      limit: limitOf(PAGE_LIMITS.recentTrades),
    }),
    data: typeOf<RecentTradesUpdate>(),
    isFact: true,
    state: { by: 'newest', list: 'trades', rowsMax: PAGE_LIMITS.recentTrades.default },
  },
  /** Subscribes to an account's fills: first the newest 200, and then those in each block. */
  userFills: {
    schema: userLists,
    data: typeOf<UserFillsUpdate>(),
    isFact: true,
    state: { ...HISTORY_ROWS, list: 'fills' },
  },
  /**
   * Subscribes to an account's orders: first the 200 that changed last, and then those changed by
   * each block.
   */
  userHistoricalOrders: {
    schema: userLists,
    data: typeOf<UserHistoricalOrdersUpdate>(),
    isFact: true,
    state: { ...HISTORY_ROWS, by: 'orders', list: 'orderHistory' },
  },
  /**
   * Subscribes to an account's ledger, including settlements: first the newest 200 rows, and then
   * new ones.
   */
  userNonFundingLedgerUpdates: {
    schema: z.object({
      user: Address,
      accountTypes: SortedTypes.default(['outcome', 'perp']),
    }),
    data: typeOf<UserLedgerUpdate>(),
    isFact: true,
    state: { ...HISTORY_ROWS, by: 'ledger', list: 'nonFundingLedgerUpdates' },
  },
} as const satisfies Readonly<Record<string, ChannelDefinition>>;

export const CHANNELS = { ws: WS_CHANNELS, 'api-ws': API_WS_CHANNELS } as const;

export type StreamEndpoint = keyof typeof CHANNELS;

export type ChannelName = keyof typeof WS_CHANNELS | keyof typeof API_WS_CHANNELS;

type Channels = typeof WS_CHANNELS & typeof API_WS_CHANNELS;

/** The parsed parameters of one channel. */
export type ChannelParams<Name extends ChannelName> = z.output<Channels[Name]['schema']>;

/** The parameters of one channel in the form that a client may send. */
export type ChannelInput<Name extends ChannelName> = z.input<Channels[Name]['schema']>;

/** The type of `data` in the frames of one channel. */
export type ChannelData<Name extends ChannelName> = NamedType<Channels[Name]['data']>;

/** A parsed subscription. `key` identifies the stream and is equal for equal parameters. */
type Subscription = {
  [Name in ChannelName]: {
    readonly channel: Name;
    readonly params: ChannelParams<Name>;
    readonly key: string;
  };
}[ChannelName];

/** The reason a subscription was rejected, for an error frame. */
type SubscriptionFault = {
  readonly code: 'INVALID_PARAMS' | 'UNKNOWN_CHANNEL';
  readonly message: string;
  /** The field and the accepted values, as in /info. */
  readonly details?: Details;
};

/** Reads the `subscription` of a control frame. */
export function parseSubscription(
  endpoint: StreamEndpoint,
  value: unknown,
):
  | { readonly ok: true; readonly subscription: Subscription }
  | { readonly ok: false; readonly error: SubscriptionFault } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return invalid(refusal('missingField', ['subscription'], { field: 'subscription' }));
  }
  const type = (value as { readonly type?: unknown }).type;
  if (type === undefined) return invalid(refusal('missingField', ['type'], { field: 'type' }));
  if (typeof type !== 'string') return invalid(refusal('wrongType', ['type'], { field: 'type' }));
  const channels: Readonly<Record<string, ChannelDefinition>> = CHANNELS[endpoint];
  const schema = Object.hasOwn(channels, type) ? channels[type]?.schema : undefined;
  if (schema === undefined) {
    return { ok: false, error: unknownChannel(endpoint, type) };
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) return invalid(toWireError(parsed.error.issues, value));
  const params = parsed.data as Readonly<Record<string, unknown>>;
  const subscription = { channel: type, params, key: keyOf(type, params) } as Subscription;
  return { ok: true, subscription };
}

function invalid({ message, details }: WireError): { ok: false; error: SubscriptionFault } {
  const error = { code: 'INVALID_PARAMS', message } as const;
  return { ok: false, error: details === undefined ? error : { ...error, details } };
}

/**
 * Builds the error for an unknown channel. It lists all existing channels and the one that was
 * probably meant, on either socket.
 */
function unknownChannel(endpoint: StreamEndpoint, type: string): SubscriptionFault {
  const allowed = Object.keys(CHANNELS[endpoint]);
  const other = endpoint === 'ws' ? 'api-ws' : 'ws';
  const near = Object.hasOwn(CHANNELS[other], type)
    ? `${type} of /${other}`
    : nearestName(type, allowed);
  const page = 'all channels are in /docs/streams';
  const why = near === undefined ? page : `here it is ${near}; ${page}`;
  const message = `Unknown channel: ${type}`;
  return {
    code: 'UNKNOWN_CHANNEL',
    message,
    details: { field: 'type', got: type, allowed, why },
  };
}

/** Equal parameters have equal JSON, because the schemas determine the order of the fields. */
function keyOf(channel: string, params: Readonly<Record<string, unknown>>): string {
  const set = Object.entries(params).filter(([, value]) => value !== undefined);
  return set.length === 0 ? channel : `${channel}:${JSON.stringify(Object.fromEntries(set))}`;
}
