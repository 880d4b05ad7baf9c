import { type Details, OUTCOME_ID_MIN, refusal } from '@oddlot/protocol';
import { formatDecimal, formatMoney, MONEY_DECIMALS, parseDecimal } from '@oddlot/units';
import { formatPrice } from '../format.ts';
import {
  at,
  clientIdAt,
  decimalsOf,
  gotDetails,
  instrumentAt,
  nameOf,
  priceAt,
  priceText,
  type RejectContext,
  sizeAt,
  sizeText,
  type Translations,
  triggerPriceAt,
} from './context.ts';

export const ORDERS = {
  instrumentUnknown: ({ instrumentId }, context) =>
    refusal('instrumentNotFound', [], { ...instrumentAt(context), got: instrumentId }),
  instrumentDelisted: ({ instrumentId }, context) =>
    refusal('delisted', [nameOf(context, instrumentId)], instrumentAt(context)),
  marketClosing: (_, context) => refusal('marketClosing', [], instrumentAt(context)),
  tradingHalted: ({ instrumentId }, context) =>
    refusal('tradingHalted', [nameOf(context, instrumentId)], instrumentAt(context)),
  oracleStale: ({ instrumentId }, context) =>
    refusal('oracleStale', [nameOf(context, instrumentId)], instrumentAt(context)),
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
  priceOutOfRange: ({ instrumentId }, context) => {
    const { pxDecimals } = gridOf(context, instrumentId);
    const [down] = nearestOn(context.entry?.price, pxDecimals, 1n);
    const isTrigger = down !== null && context.entry?.triggerPrice !== undefined;
    return refusal('priceOutOfRange', [], isTrigger ? triggerPriceAt(context) : priceAt(context));
  },
  priceOffTick: ({ instrumentId }, context) => {
    const { end, pxDecimals, tick } = gridOf(context, instrumentId);
    const step = formatDecimal(tick, pxDecimals);
    const nearestTo = (text: string | undefined) => nearestOn(text, pxDecimals, BigInt(tick), end);
    const nearest = nearestTo(context.entry?.price);
    // The engine checks the price before the trigger price. Therefore, if the price is on the grid,
    // it is the trigger price that is off it.
    const { triggerPrice } = context.entry ?? {};
    const details =
      triggerPrice !== undefined && nearest[0] === nearest[1]
        ? { ...triggerPriceAt(context), nearest: nearestTo(triggerPrice) }
        : { ...priceAt(context), nearest };
    return refusal('priceOffTick', [step], { ...details, allowed: { step } });
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
  marginModeDiffers: (_, context) => refusal('marginModeDiffers', [], at(context, 'm')),
  onlyIsolated: ({ instrumentId }, context) =>
    refusal('onlyIsolated', [nameOf(context, instrumentId)], instrumentAt(context)),
  orderExpiredQueued: ({ expireMs }, context) =>
    refusal('orderExpiredQueued', [], { ...at(context, 't.limit.expireTime'), got: expireMs }),
  expiryTooSoon: ({ minMs }, context) =>
    refusal('expireTimeTooSoon', [], {
      ...at(context, 't.limit.expireTime'),
      ...gotDetails(context.entry?.expireMs),
      allowed: { min: minMs },
    }),
  clientOrderIdInvalid: (_, context) => refusal('invalidCloid', [], clientIdAt(context)),
  clientOrderIdDuplicate: (_, context) => refusal('duplicateCloid', [], clientIdAt(context)),
  ordersFull: ({ max }, context) =>
    refusal('tooManyOpenOrders', [max], { ...at(context), allowed: { max } }),
  triggersFull: ({ max }, context) =>
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
  // The API server already checks this in the request, so this applies only to actions that bypass
  // the API server.
  groupingInvalid: ({ why }) =>
    refusal('invalidValue', ['grouping', why], { field: 'grouping', why }),
  orderUnknown: (_, context) =>
    refusal(
      'orderNotFound',
      [],
      gotDetails(context.entry?.orderId ?? context.entry?.clientOrderId),
    ),
  orderNotLive: ({ instrumentId }, context) =>
    refusal('orderGone', [instrumentId], {
      ...at(context),
      ...gotDetails(context.entry?.orderId ?? context.entry?.clientOrderId),
    }),
} satisfies Partial<Translations>;

function gridOf(
  context: RejectContext,
  instrumentId: number,
): { pxDecimals: number; tick: number; end?: bigint } {
  const pxDecimals = MONEY_DECIMALS - decimalsOf(context, instrumentId);
  const grid = { pxDecimals, tick: context.instruments(instrumentId)?.priceTick ?? 1 };
  // Prices on an outcome market are below 1.00 (R-reserve).
  return instrumentId < OUTCOME_ID_MIN ? grid : { ...grid, end: 10n ** BigInt(pxDecimals) };
}

/**
 * Returns the nearest valid values below and above a decimal string. They are computed from the
 * string, because the engine's value is already rounded.
 */
export function nearestOn(
  text: string | undefined,
  decimals: number,
  step: bigint,
  end?: bigint,
): readonly [string | null, string | null] {
  const parsed = text === undefined ? undefined : parseDecimal(text, decimals);
  if (parsed === undefined) return [null, null];
  const over = ((parsed.floor % step) + step) % step;
  const down = parsed.floor - over;
  const up = over === 0n && parsed.exact ? down : down + step;
  return [validText(down, decimals, end), validText(up, decimals, end)];
}

/**
 * Formats a value, or returns null if it is not valid for an order or a transfer: it must be
 * positive, a safe integer, and below `end` if that is given.
 */
export function validText(value: bigint, decimals: number, end?: bigint): string | null {
  if (value <= 0n || value > BigInt(Number.MAX_SAFE_INTEGER)) return null;
  if (end !== undefined && value >= end) return null;
  return formatDecimal(value, decimals);
}

export const OUTCOME = {
  amendWouldTake: (_, context) => refusal('amendWouldTake', [], priceAt(context)),
  orderQueued: (_, context) => refusal('orderQueued', [], clientIdAt(context)),
  outcomeUnknown: ({ instrumentId }, context) =>
    refusal('notOutcome', [], { ...instrumentAt(context), got: instrumentId }),
  marketClosed: (_, context) => refusal('marketClosed', [], instrumentAt(context)),
  marketResolved: (_, context) => refusal('outcomeResolved', [], instrumentAt(context)),
  iocOnOutcome: (_, context) => refusal('iocOnOutcome', [], at(context, 't.limit.tif')),
  triggerOnOutcome: (_, context) => refusal('triggerOnOutcome', [], at(context, 't.trigger')),
  sharesInsufficient: (reject, context) =>
    refusal('insufficientShares', [], { ...sizeAt(context), ...shares(reject, context) }),
  pairsInsufficient: (reject, context) =>
    refusal('insufficientSharesToMerge', [], { ...sizeAt(context), ...shares(reject, context) }),
  slugUsed: ({ slug }) => refusal('slugUsed', [slug], { field: 'slug', ...gotDetails(slug) }),
  eventUnknown: ({ slug }) =>
    refusal('eventNotFound', [], { field: 'eventSlug', ...gotDetails(slug) }),
  phaseChangeInvalid: ({ instrumentId, from, to }) =>
    refusal('invalidPhaseChange', [from, to], {
      field: to === 'resolved' ? 'instrumentId' : 'instrumentIds',
      got: instrumentId,
    }),
  alreadyResolved: ({ instrumentId }) =>
    refusal('alreadyResolved', [], { field: 'instrumentId', got: instrumentId }),
  fractionInexact: ({ instrumentId, floor }, context) => {
    const nearest = (units: number): string => priceText(context, instrumentId, units);
    const why = `must be a multiple of ${nearest(1)}`;
    return refusal('invalidValue', ['settlementFraction', why], {
      field: 'settlementFraction',
      allowed: { step: nearest(1) },
      nearest: [nearest(floor), nearest(floor + 1)],
    });
  },
  fractionsOff: () => refusal('fractionsNotOne', [], { field: 'settlementFraction' }),
} satisfies Partial<Translations>;

function shares(
  reject: { readonly instrumentId: number; readonly required: number; readonly available: number },
  context: RejectContext,
): Details {
  const { available, instrumentId, required } = reject;
  return {
    required: sizeText(context, instrumentId, required),
    available: sizeText(context, instrumentId, available),
  };
}
