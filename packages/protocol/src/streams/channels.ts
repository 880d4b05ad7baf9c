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
import { BookTick, Interval } from '../info/market-queries.ts';
import { limitOf } from '../info/paging.ts';
import { PAGE_LIMITS } from '../limits.ts';
import type { Details, WireError } from '../errors.ts';
import { refusal } from '../refusal.ts';
import { nearestName } from '../nearest-name.ts';
import { toWireError } from '../to-wire-error.ts';

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

/** A parsed subscription; `key` is equal for equal wishes and names the stream. */
type Subscription = {
  [Name in ChannelName]: {
    readonly channel: Name;
    readonly params: ChannelParams<Name>;
    readonly key: string;
  };
}[ChannelName];

/** Why a subscription was refused, as an error frame says it. */
type SubscriptionFault = {
  readonly code: 'INVALID_PARAMS' | 'UNKNOWN_CHANNEL';
  readonly message: string;
  /** The fault and what would be right, as /info tells it. */
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
  const channels: Readonly<Record<string, z.ZodType>> = CHANNELS[endpoint];
  const schema = Object.hasOwn(channels, type) ? channels[type] : undefined;
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

/** With the channels that there are, and the one that may be meant, here or on the other socket. */
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

/** The schemas fix the order of the fields, so equal parameters have equal texts. */
function keyOf(channel: string, params: Readonly<Record<string, unknown>>): string {
  const set = Object.entries(params).filter(([, value]) => value !== undefined);
  return set.length === 0 ? channel : `${channel}:${JSON.stringify(Object.fromEntries(set))}`;
}
