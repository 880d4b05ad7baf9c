import type { State } from '@oddlot/engine';
import { type InfoQueryOf, OUTCOME_ID_MIN, type WireError } from '@oddlot/protocol';
import { instrumentId } from '@oddlot/units';
import { count } from '../actions/count.ts';
import { type Instrument, instrumentLookup } from '../actions/instrument-lookup.ts';
import { priceDecimals } from '../format.ts';
import { rejectToWire } from '../reject-to-wire.ts';

/** Limit prices of a buy and a sell in price units; undefined for an order at the market. */
export type LimitPrices = { readonly buy: number | undefined; readonly sell: number | undefined };

/** `px` on the grid of its instrument. A price that no order can have is refused as that of an order is. */
export function limitPrices(
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
  // A share pays at most 1.00, and less is paid for it.
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
  // An order has its price in a field of its own.
  return { ...error, details: { ...error.details, field } };
}
