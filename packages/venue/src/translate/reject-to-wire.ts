import type { Reject, RejectReason } from '@oddlot/engine';
import { refusal, type Details, type WireError } from '@oddlot/protocol';
import { MONEY_DECIMALS, formatDecimal, parseDecimal } from '@oddlot/units';
import type { PerpLookup } from './action-to-command.ts';
import { formatMoney, formatPrice, formatSize } from './format.ts';

/** A refusal of the engine in the wire's words, with what a client needs to correct itself. */

/** The order or cancel that a refusal is about, in the client's own spelling. */
export type EntryText = {
  /** `orders[3]`. */
  readonly field: string;
  readonly price?: string;
  readonly size?: string;
  readonly clientOrderId?: string;
  readonly orderId?: number;
  readonly expireMs?: number;
};

export type RejectContext = {
  readonly perps: PerpLookup;
  readonly nonce?: number;
  readonly entry?: EntryText;
};

export function rejectToWire(reject: Reject, context: RejectContext): WireError {
  const translate = TRANSLATIONS[reject.reason] as Translation<Reject>;
  return translate(reject, context);
}

type Translation<Of extends Reject> = (reject: Of, context: RejectContext) => WireError;
type Translations = {
  [Reason in RejectReason]: Translation<Extract<Reject, { reason: Reason }>>;
};

const NONCE_WINDOW_MS = 3 * 24 * 60 * 60 * 1000;

const TRANSLATIONS = {
  agentUnknown: ({ signer }) => refusal('agentNotAuthorized', [signer], { got: signer }),
  accountUnknown: ({ signer }) => refusal('noAccount', [], { got: signer }),
  depositFirst: ({ signer }) => refusal('depositFirst', [], { got: signer }),
  actionExpired: ({ expiresAfterMs, timeMs }) =>
    refusal('actionExpired', [expiresAfterMs, timeMs], {
      field: 'expiresAfter',
      got: expiresAfterMs,
      allowed: { min: timeMs },
    }),
  nonceTooOld: ({ minExclusive }, context) =>
    refusal('nonceTooOld', [], nonceDetails(context, minExclusive)),
  nonceTooNew: ({ maxExclusive }, context) =>
    refusal('nonceTooFar', [], nonceDetails(context, maxExclusive - NONCE_WINDOW_MS)),
  nonceUsed: (_, { nonce }) => refusal('nonceUsed', [], { field: 'nonce', ...gotten(nonce) }),
  nonceTooLow: ({ floor }, { nonce }) =>
    refusal('nonceTooLow', [floor], {
      field: 'nonce',
      ...gotten(nonce),
      allowed: { min: floor + 1 },
    }),
  agentIsSelf: () => refusal('agentIsSelf', [], { field: 'agentAddress' }),
  agentLabelTooLong: () => refusal('agentNameTooLong', [], { field: 'agentName' }),
  agentLabelUnknown: () => refusal('agentLabelUnknown', [], { field: 'agentName' }),
  agentAddressUsed: () => refusal('agentAddressUsed', [], { field: 'agentAddress' }),
  agentsFull: () => refusal('agentsFull', [], { field: 'agentName' }),
  instrumentUnknown: ({ instrumentId }, context) =>
    refusal('instrumentNotFound', [], { ...at(context, 'a'), got: instrumentId }),
  instrumentDelisted: ({ instrumentId }, context) =>
    refusal('delisted', [nameOf(context, instrumentId)], at(context, 'a')),
  tradingHalted: ({ instrumentId }, context) =>
    refusal('tradingHalted', [nameOf(context, instrumentId)], at(context, 'a')),
  oracleStale: ({ instrumentId }, context) =>
    refusal('oracleStale', [nameOf(context, instrumentId)], at(context, 'a')),
  sizeBelowMin: ({ instrumentId, min }, context) => {
    const least = sizeText(context, instrumentId, min);
    return refusal('sizeBelowMin', [least], { ...sizeAt(context), allowed: { min: least } });
  },
  sizeOffLot: ({ instrumentId }, context) => {
    const szDecimals = decimalsOf(context, instrumentId);
    const nearest = nearestOn(context.entry?.size, szDecimals, 1n);
    const lot = formatDecimal(1, szDecimals);
    return refusal('sizeOffLot', [lot], { ...sizeAt(context), allowed: { step: lot }, nearest });
  },
  sizeAboveMax: ({ instrumentId, max }, context) => {
    const most = sizeText(context, instrumentId, max);
    return refusal('sizeAboveMax', [most], { ...sizeAt(context), allowed: { max: most } });
  },
  priceOutOfRange: (_, context) => refusal('priceOutOfRange', [], priceAt(context)),
  priceOffTick: ({ instrumentId }, context) => {
    const pxDecimals = MONEY_DECIMALS - decimalsOf(context, instrumentId);
    const tick = context.perps(instrumentId)?.priceTick ?? 1;
    const nearest = nearestOn(context.entry?.price, pxDecimals, BigInt(tick));
    const step = formatDecimal(tick, pxDecimals);
    return refusal('priceOffTick', [step], { ...priceAt(context), allowed: { step }, nearest });
  },
  priceTooFar: ({ instrumentId, min, max }, context) => {
    const scale = { szDecimals: decimalsOf(context, instrumentId) };
    const allowed = { min: formatPrice(scale, min), max: formatPrice(scale, max) };
    return refusal('priceFarFromOracle', [], { ...priceAt(context), allowed });
  },
  valueBelowMin: ({ min }, context) =>
    refusal('valueBelowMin', [formatMoney(min)], {
      ...sizeAt(context),
      required: formatMoney(min),
    }),
  expiryTooSoon: ({ minMs }, context) =>
    refusal('expireTimeTooSoon', [], {
      ...at(context, 't.limit.expireTime'),
      ...gotten(context.entry?.expireMs),
      allowed: { min: minMs },
    }),
  clientOrderIdInvalid: (_, context) => refusal('invalidCloid', [], clientIdAt(context)),
  clientOrderIdDuplicate: (_, context) => refusal('duplicateCloid', [], clientIdAt(context)),
  ordersFull: ({ max }, context) =>
    refusal('tooManyOpenOrders', [max], { ...at(context), allowed: { max } }),
  reduceOnlyIncreases: (_, context) => refusal('reduceOnlyWouldIncrease', [], at(context, 'r')),
  positionLimit: ({ instrumentId }, context) =>
    refusal('positionLimit', [nameOf(context, instrumentId)], sizeAt(context)),
  marginInsufficient: ({ required, available }, context) =>
    refusal('insufficientMargin', [], {
      ...at(context),
      required: formatMoney(required),
      available: formatMoney(available),
    }),
  postOnlyWouldTrade: (_, context) => refusal('postOnlyWouldMatch', [], priceAt(context)),
  orderNotLive: ({ instrumentId }, context) =>
    refusal('orderGone', [instrumentId], {
      ...at(context),
      ...gotten(context.entry?.orderId ?? context.entry?.clientOrderId),
    }),
} satisfies Translations;

function at({ entry }: RejectContext, part?: string): Details {
  if (entry === undefined) return {};
  return { field: part === undefined ? entry.field : `${entry.field}.${part}` };
}

function gotten(got: string | number | undefined): Details {
  return got === undefined ? {} : { got };
}

function priceAt(context: RejectContext): Details {
  return { ...at(context, 'p'), ...gotten(context.entry?.price) };
}

function sizeAt(context: RejectContext): Details {
  return { ...at(context, 's'), ...gotten(context.entry?.size) };
}

function clientIdAt(context: RejectContext): Details {
  const isCancel = context.entry?.field.startsWith('cancels') === true;
  return { ...at(context, isCancel ? 'cloid' : 'c'), ...gotten(context.entry?.clientOrderId) };
}

function nonceDetails({ nonce }: RejectContext, minExclusive: number): Details {
  const allowed = { min: minExclusive + 1, max: minExclusive + NONCE_WINDOW_MS - 1 };
  return { field: 'nonce', ...gotten(nonce), allowed };
}

function nameOf({ perps }: RejectContext, instrumentId: number): string {
  return perps(instrumentId)?.name ?? String(instrumentId);
}

function decimalsOf({ perps }: RejectContext, instrumentId: number): number {
  return perps(instrumentId)?.szDecimals ?? 0;
}

function sizeText(context: RejectContext, instrumentId: number, size: number): string {
  return formatSize({ szDecimals: decimalsOf(context, instrumentId) }, size);
}

/** The values on a grid next to a text, from the text itself: the engine saw it already rounded. */
export function nearestOn(
  text: string | undefined,
  decimals: number,
  step: bigint,
): readonly [string | null, string | null] {
  const parsed = text === undefined ? undefined : parseDecimal(text, decimals);
  if (parsed === undefined) return [null, null];
  const over = ((parsed.floor % step) + step) % step;
  const down = parsed.floor - over;
  const up = over === 0n && parsed.exact ? down : down + step;
  return [validText(down, decimals), validText(up, decimals)];
}

/** Only what an order could carry: above zero and countable. */
function validText(value: bigint, decimals: number): string | null {
  if (value <= 0n || value > BigInt(Number.MAX_SAFE_INTEGER)) return null;
  return formatDecimal(value, decimals);
}
