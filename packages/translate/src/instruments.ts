import { marketView, perpDefinitions, settledMarketView, type State } from '@oddlot/engine';
import { findPerp } from './info/handler.ts';
import type { Details, WireError } from '@oddlot/protocol';

/** The name and the scale of an order's instrument. */
export type Instrument = {
  readonly instrumentId: number;
  /** `BTC-USDC`, or `OUTCOME-<id>`. */
  readonly name: string;
  readonly szDecimals: number;
  readonly priceTick: number;
};

/**
 * Finds an instrument of either exchange, including settled markets, so that old orders can be
 * shown.
 */
export type InstrumentLookup = (instrumentId: number) => Instrument | undefined;

/** Finds the scale of an instrument, which is all that reading decimal text needs. */
export type ScaleLookup = (instrumentId: number) => Pick<Instrument, 'szDecimals'> | undefined;

/** Looks up instruments in the current state. */
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

/** The name of an outcome market in fields that contain names of perps. */
export function outcomeName(instrumentId: number): string {
  return `OUTCOME-${instrumentId}`;
}

/**
 * Clients of other venues use an instrument's name where this one requires its id. The error for
 * such a name contains the id, in the type of the field: text in queries and subscriptions, a
 * number in actions.
 */

/** The type of ids in the fields of an endpoint. */
type Takes = 'text' | 'number';

/** The last path segments of fields that contain an id. */
const ID_FIELDS: ReadonlySet<string> = new Set([
  'coin',
  'asset',
  'a',
  'instrumentId',
  'instrumentIds',
]);
const OUTCOME_NAME = /^OUTCOME-(\d{1,10})$/i;
const WHERE = 'ids are `index` in perpMeta and `instrument_id` in outcomeMeta';

/** Adds the intended id, or the place to look up ids, to an error; other errors are unchanged. */
export function refusalWithInstrument(state: State, error: WireError, takes: Takes): WireError {
  if (error.name !== 'BAD_REQUEST' && error.name !== 'NOT_FOUND') return error;
  return { ...error, details: withInstrument(state, error.details ?? {}, takes) };
}

/** Adds it to the details of an error. */
export function withInstrument(state: State, details: Details, takes: Takes): Details {
  const { field = '', got } = details;
  const name = field.slice(field.lastIndexOf('.') + 1).replace(/\[\d+\]$/, '');
  // An error with allowed values or a reason is already more specific.
  const isTold = details.allowed !== undefined || details.why !== undefined;
  if (isTold || !ID_FIELDS.has(name) || got === undefined || got === null) return details;
  const isText = takes === 'text' && (name === 'coin' || name === 'asset');
  const form = `${name} takes ids${isText ? ' as text' : ''}`;
  const meant = meantBy(state, got);
  // An id of the right type was understood, but is not a listed instrument.
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
