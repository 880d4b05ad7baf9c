import {
  accountView,
  marketView,
  outcomeAccountView,
  perpView,
  type PositionView,
  type State,
  type TradeCapacity,
  tradeCapacity,
  tradeCapacityAt,
} from '@oddlot/engine';
import {
  type ActiveAssetData,
  type AssetLeverage,
  type InfoQueryOf,
  OUTCOME_ID_MIN,
  type WireError,
} from '@oddlot/protocol';
import {
  type Address,
  divFloor,
  divHalfUp,
  formatMoney,
  type InstrumentId,
  instrumentId,
  present,
} from '@oddlot/units';
import { type Instrument, instrumentLookup, outcomeName } from '../instruments.ts';
import { formatHalfPrice, formatPrice, formatSize, priceDecimals } from '../format.ts';
import { answer, type InfoHandler, perpOf, type StateQueries } from './info-context.ts';
import { rawUsd } from './clearinghouse.ts';
import { count } from '../actions/count.ts';
import { rejectToWire } from '../reject-to-wire.ts';

const activeAssetData: InfoHandler<'activeAssetData', ActiveAssetData> = (
  { state },
  { user, coin, px },
) => {
  const instrument = instrumentLookup(() => state)(Number(coin));
  const read = px && instrument && limitPrices(state, instrument, px);
  if (read?.ok === false) return read;
  const shares = outcomeAssetData(state, user, Number(coin), read?.limits);
  if (shares !== undefined) return answer(shares);
  const found = perpOf(state, coin);
  if (!found.ok) return found;
  const { perp } = found;
  const at = perp.instrumentId;
  const asked =
    read === undefined
      ? tradeCapacity(state, user, at)
      : tradeCapacityAt(state, user, at, read.limits);
  const capacity = present(asked, 'a listed perp');
  const mark = perpView(state, perp.instrumentId)?.mark;
  return answer({
    user,
    coin: perp.name,
    ...leverages(state, user, perp.instrumentId, capacity),
    maxTradeSzs: [formatSize(perp, capacity.maxBuy), formatSize(perp, capacity.maxSell)],
    availableToTrade: [formatMoney(capacity.availableToBuy), formatMoney(capacity.availableToSell)],
    markPx: mark === undefined ? '' : formatPrice(perp, mark),
    onlyIsolated: perp.onlyIsolated,
  });
};

/**
 * Returns the leverage of both position sides. The short side is included only if it differs from
 * the long side.
 */
function leverages(
  state: State,
  user: Address,
  id: InstrumentId,
  { isHedged, isIsolated, leverage, leverageShort }: TradeCapacity,
): Pick<ActiveAssetData, 'leverage' | 'leverageShort'> {
  const positions = accountView(state, user)?.positions ?? [];
  const own = positions.filter((position) => position.instrumentId === id);
  const side = (value: number, position: PositionView | undefined): AssetLeverage => ({
    mode: isHedged ? 'Hedge' : 'OneWay',
    type: isIsolated ? 'Isolated' : 'Cross',
    value,
    rawUsd: isIsolated ? (position === undefined ? '0' : rawUsd(position)) : '',
  });
  const long = side(leverage, isHedged ? own.find(({ size }) => size > 0) : own[0]);
  if (!isHedged || leverage === leverageShort) return { leverage: long };
  const short = own.find(({ size }) => size < 0);
  return { leverage: long, leverageShort: side(leverageShort, short) };
}

const RATE_ONE = 100_000_000n;

/**
 * Returns the maximum trades in a market's YES outcome, or undefined for other instruments. Buys
 * can use the free balance, which must also cover the fee, at the limit price or otherwise at the
 * mark. Sells can use the unreserved shares.
 */
function outcomeAssetData(
  state: State,
  user: Address,
  id: number,
  limits?: LimitPrices,
): ActiveAssetData | undefined {
  const market = marketView(state, id);
  if (market === undefined) return undefined;
  const { definition, markHalves, unit } = market;
  const { free = 0n, positions = [] } = outcomeAccountView(state, user) ?? {};
  const yes = positions.find((each) => each.instrumentId === id && each.leg === 'yes');
  // This response is public, so shares that queued sells have reserved are shown as free (R-delay).
  const unreserved = yes === undefined ? 0 : yes.size - yes.reserved + yes.queued;
  // A mark between two price units is rounded up, because it serves as the limit price of a buy.
  const price = BigInt(limits?.buy ?? Math.ceil(markHalves / 2));
  const one = BigInt(unit);
  const cost = price * one * RATE_ONE + BigInt(definition.takerFeeE8) * price * (one - price);
  const affordable = Number(divFloor(free * one * RATE_ONE, cost));
  const { maxOrderSize } = definition;
  const buy = Math.min(affordable, maxOrderSize);
  const sell = Math.min(unreserved, maxOrderSize);
  const value = divHalfUp(BigInt(markHalves) * BigInt(sell), 2n);
  return {
    user,
    coin: outcomeName(id),
    leverage: { mode: 'OneWay', type: 'Cross', value: 1, rawUsd: '' },
    maxTradeSzs: [formatSize(definition, buy), formatSize(definition, sell)],
    availableToTrade: [formatMoney(free), formatMoney(value)],
    markPx: formatHalfPrice(definition, markHalves),
    onlyIsolated: false,
  };
}

/** The limit prices of a buy and a sell, in price units; undefined for a market order. */
type LimitPrices = { readonly buy: number | undefined; readonly sell: number | undefined };

/**
 * Converts `px` to price units. An invalid price is rejected in the same way as an order's price.
 */
function limitPrices(
  state: State,
  instrument: Instrument,
  px: NonNullable<InfoQueryOf<'activeAssetData'>['px']>,
): { readonly ok: true; readonly limits: LimitPrices } | { ok: false; error: WireError } {
  const limits: (number | undefined)[] = [];
  for (const [side, text] of px.entries()) {
    const price = text === null ? undefined : count(text, priceDecimals(instrument));
    const reason = price === undefined ? undefined : faultOf(price, instrument);
    if (text !== null && reason !== undefined) {
      return { ok: false, error: refusalOf(state, instrument, reason, { side, text }) };
    }
    limits.push(price?.value);
  }
  const [buy, sell] = limits;
  return { ok: true, limits: { buy, sell } };
}

type Fault = 'priceOffTick' | 'priceOutOfRange';

function faultOf(
  { exact, value }: ReturnType<typeof count>,
  { instrumentId: id, priceTick, szDecimals }: Instrument,
): Fault | undefined {
  // The payout of a share is at most 1.00, so its price must be lower than that.
  const isShare = id >= OUTCOME_ID_MIN;
  const end = isShare ? 10 ** priceDecimals({ szDecimals }) : Number.MAX_SAFE_INTEGER;
  const isBeyond = value < 0 || value >= end;
  if (isBeyond || (value === 0 && exact)) return 'priceOutOfRange';
  return exact && value % priceTick === 0 ? undefined : 'priceOffTick';
}

function refusalOf(
  state: State,
  { instrumentId: id }: Instrument,
  reason: Fault,
  { side, text }: { readonly side: number; readonly text: string },
): WireError {
  const field = `px[${side}]`;
  const instruments = instrumentLookup(() => state);
  const entry = { field, price: text };
  const error = rejectToWire({ reason, instrumentId: instrumentId(id) }, { instruments, entry });
  // The refusal names the price field of an order, which this query does not have.
  return { ...error, details: { ...error.details, field } };
}

export const ACTIVE_ASSET_QUERIES = {
  activeAssetData: { answer: activeAssetData },
} as const satisfies StateQueries;
