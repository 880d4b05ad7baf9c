import * as z from 'zod';
import { canonicalDecimal } from '../canonical-decimal.ts';
import { BookTick, Interval } from '../info/market-queries.ts';
import { limitOf } from '../info/paging.ts';
import { PAGE_LIMITS } from '../limits.ts';
import {
  AccountType,
  AccountTypes,
  Address,
  I32,
  IdStr,
  InstrumentIds,
  exchangeIdsOf,
  refuseOtherExchange,
} from '../primitives.ts';

/**
 * The parameters of every channel. Two subscriptions are the same when their parsed parameters are,
 * so the schemas bring equal wishes into one form: ids sorted and without repeats, addresses in
 * lower case, defaults filled in, and no exchange, which follows from the rest. Nothing of it
 * depends on the state: what a client subscribed with it can unsubscribe with for ever.
 */

const SortedIds = InstrumentIds.transform((ids) => [...new Set(ids)].sort((a, b) => a - b));
const SortedTypes = AccountTypes.transform((types) => [...types].sort());

/** `1` and `1.0` are one step. */
const CanonicalTick = BookTick.transform((text) =>
  text === undefined ? text : canonicalDecimal(text),
);

const coin = z.object({ coin: IdStr });
const user = z.object({ user: Address });
const none = z.object({});

/** The channels of /ws. */
export const WS_CHANNELS = {
  l2Book: z.object({ coin: IdStr, tick: CanonicalTick.optional() }),
  l2Diff: coin,
  trades: coin,
  activeAssetCtx: coin,
  orderUpdates: user,
  clearinghouseState: z
    .object({
      user: Address,
      accountType: AccountType.default('perp'),
      exchangeId: I32.nullable().optional(),
      exchange_id: I32.nullable().optional(),
    })
    .superRefine(refuseOtherExchange)
    .transform(({ exchangeId: _, exchange_id: __, ...params }) => params),
  userFundings: user,
  outcomeBbos: z
    .object({ instrumentIds: SortedIds, ...exchangeIdsOf(1) })
    .transform(({ exchangeId: _, exchange_id: __, ...params }) => params),
  outcomeTrades: z.object({ instrumentIds: SortedIds }),
  outcomeOrderUpdates: user,
  explorerBlock: none,
  explorerTxs: none,
} as const;

/** The channels of /api-ws. */
export const API_WS_CHANNELS = {
  outcomeOrderUpdate: z.object({ user: Address, includeSuccess: z.boolean().default(false) }),
  candle: z.object({ coin: IdStr, interval: Interval }),
  tickers: z.object({
    accountType: AccountType.optional(),
    instrumentIds: SortedIds.optional(),
  }),
  recentTrades: z.object({ coin: IdStr, limit: limitOf(PAGE_LIMITS.recentTrades) }),
  userFills: z.object({ user: Address, accountType: SortedTypes.default(['perp']) }),
  userHistoricalOrders: z.object({ user: Address, accountType: SortedTypes.default(['perp']) }),
  userNonFundingLedgerUpdates: z.object({
    user: Address,
    accountTypes: SortedTypes.default(['outcome', 'perp']),
  }),
} as const;

/** The channels by endpoint. */
export const CHANNELS = { ws: WS_CHANNELS, 'api-ws': API_WS_CHANNELS } as const;

/** An endpoint that carries subscriptions. */
export type StreamEndpoint = keyof typeof CHANNELS;

/** The name of a channel. */
export type ChannelName = keyof typeof WS_CHANNELS | keyof typeof API_WS_CHANNELS;

type Schemas = typeof WS_CHANNELS & typeof API_WS_CHANNELS;

/** The parsed parameters of one channel. */
export type ChannelParams<Name extends ChannelName> = z.output<Schemas[Name]>;
