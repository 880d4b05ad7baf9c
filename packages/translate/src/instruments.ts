import { marketView, perpDefinitions, settledMarketView, type State } from '@oddlot/engine';
import { findPerp } from './info/handler.ts';
import type { Details, WireError } from '@oddlot/protocol';

/** What an order needs to know of its instrument: what it is called, and what its counts mean. */
export type Instrument = {
  readonly instrumentId: number;
  /** `BTC-USDC`, or `OUTCOME-<id>`. */
  readonly name: string;
  readonly szDecimals: number;
  readonly priceTick: number;
};

/** Finds an instrument of either exchange. Of a settled market, so that old orders can be told. */
export type InstrumentLookup = (instrumentId: number) => Instrument | undefined;

/** Looks instruments up in the state as it is now. */
export function instrumentLookup(state: () => State): InstrumentLookup {
  return (id) => findPerp(state(), id) ?? findMarket(state(), id);
}

function findMarket(state: State, id: number): Instrument | undefined {
  const definition = marketView(state, id)?.definition;
  const szDecimals = definition?.szDecimals ?? settledMarketView(state, id)?.szDecimals;
  if (szDecimals === undefined) return undefined;
  const priceTick = definition?.priceTick ?? 1;
  return { instrumentId: id, name: outcomeName(id), szDecimals, priceTick };
}

/** How the wire names an outcome market where it names perps. */
export function outcomeName(instrumentId: number): string {
  return `OUTCOME-${instrumentId}`;
}

/**
 * Clients of other venues name an instrument where this one takes its id. A refusal of such a name
 * says which id it is, in the type that the field takes: texts in queries and subscriptions, numbers
 * in actions.
 */

/** What the fields of an endpoint take an id as. */
type Takes = 'text' | 'number';

/** The fields that take an id, by their last name. */
const ID_FIELDS: ReadonlySet<string> = new Set([
  'coin',
  'asset',
  'a',
  'instrumentId',
  'instrumentIds',
]);
const OUTCOME_NAME = /^OUTCOME-(\d{1,10})$/i;
const WHERE = 'ids are `index` in perpMeta and `instrument_id` in outcomeMeta';

/** The refusal with the id that was meant, or where ids are found; any other as it is. */
export function refusalWithInstrument(state: State, error: WireError, takes: Takes): WireError {
  if (error.name !== 'BAD_REQUEST' && error.name !== 'NOT_FOUND') return error;
  return { ...error, details: withInstrument(state, error.details ?? {}, takes) };
}

/** The same for the details of a refusal. */
export function withInstrument(state: State, details: Details, takes: Takes): Details {
  const { field = '', got } = details;
  const name = field.slice(field.lastIndexOf('.') + 1).replace(/\[\d+\]$/, '');
  // A refusal that says what is allowed, or why, knows better.
  const isTold = details.allowed !== undefined || details.why !== undefined;
  if (isTold || !ID_FIELDS.has(name) || got === undefined || got === null) return details;
  const isText = takes === 'text' && (name === 'coin' || name === 'asset');
  const form = `${name} takes ids${isText ? ' as text' : ''}`;
  const meant = meantBy(state, got);
  // An id of the right type was understood; it is just not one of these instruments.
  const isRightType = isText
    ? typeof got === 'string' && /^\d+$/.test(got)
    : typeof got === 'number';
  if (meant === undefined || isRightType) return { ...details, why: `${form}; ${WHERE}` };
  const id = isText ? String(meant.instrumentId) : meant.instrumentId;
  const why = `${form}: ${JSON.stringify(id)} is ${meant.name}`;
  return { ...details, allowed: [id], why };
}

function meantBy(state: State, got: string | number): Instrument | undefined {
  const instruments = instrumentLookup(() => state);
  if (typeof got === 'number') return instruments(got);
  const id = /^\d{1,10}$/.test(got) ? got : OUTCOME_NAME.exec(got)?.[1];
  if (id !== undefined) return instruments(Number(id));
  const wanted = got.toUpperCase();
  return perpDefinitions(state).find(
    ({ baseCurrency, name }) =>
      name.toUpperCase() === wanted || baseCurrency.toUpperCase() === wanted,
  );
}
