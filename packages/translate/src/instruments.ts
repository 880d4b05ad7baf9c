import { marketView, perpDefinitions, settledMarketView, type State } from '@oddlot/engine';
import { findPerp } from './info/info-context.ts';
import type { Details, WireError } from '@oddlot/protocol';

export type Instrument = {
  readonly instrumentId: number;
  /** The name: `BTC-USDC` for a perp, `OUTCOME-<id>` for an outcome market. */
  readonly name: string;
  readonly szDecimals: number;
  readonly priceTick: number;
};

/**
 * Finds a perp or an outcome market. Settled markets are included, because old orders still refer
 * to them.
 */
export type InstrumentLookup = (instrumentId: number) => Instrument | undefined;

/** Finds an instrument's scale, which is all that is needed to read its decimal strings. */
export type ScaleLookup = (instrumentId: number) => Pick<Instrument, 'szDecimals'> | undefined;

/** Returns a lookup that reads the current state on every call. */
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

/** Returns an outcome market's name for fields that otherwise hold a perp's name. */
export function outcomeName(instrumentId: number): string {
  return `OUTCOME-${instrumentId}`;
}

/**
 * The type of instrument ids at an endpoint: strings in queries and subscriptions, numbers in
 * actions.
 */
type Takes = 'text' | 'number';

/** The names of fields that hold an instrument id. */
const ID_FIELDS: ReadonlySet<string> = new Set([
  'coin',
  'asset',
  'a',
  'instrumentId',
  'instrumentIds',
]);
const OUTCOME_NAME = /^OUTCOME-(\d{1,10})$/i;
const WHERE = 'ids are `index` in perpMeta and `instrument_id` in outcomeMeta';

/**
 * Adds a hint to an error: the id that the client probably meant, or the query that lists the ids.
 * Clients of other venues often send a name where this venue requires an id.
 */
export function refusalWithInstrument(state: State, error: WireError, takes: Takes): WireError {
  if (error.name !== 'BAD_REQUEST' && error.name !== 'NOT_FOUND') return error;
  return { ...error, details: withInstrument(state, error.details ?? {}, takes) };
}

/** Adds the hint to the details of an error. Details about other fields are returned unchanged. */
export function withInstrument(state: State, details: Details, takes: Takes): Details {
  const { field = '', got } = details;
  const name = field.slice(field.lastIndexOf('.') + 1).replace(/\[\d+\]$/, '');
  // An error with allowed values or a reason already has a more specific hint.
  const hasHint = details.allowed !== undefined || details.why !== undefined;
  if (hasHint || !ID_FIELDS.has(name) || got === undefined || got === null) return details;
  const isText = takes === 'text' && (name === 'coin' || name === 'asset');
  const form = `${name} takes ids${isText ? ' as text' : ''}`;
  const intended = intendedBy(state, got);
  // A value of the right type was read as an id, but no listed instrument has that id.
  const isRightType = isText
    ? typeof got === 'string' && /^\d+$/.test(got)
    : typeof got === 'number';
  if (intended === undefined || isRightType) return { ...details, why: `${form}; ${WHERE}` };
  const id = isText ? String(intended.instrumentId) : intended.instrumentId;
  const why = `${form}: ${JSON.stringify(id)} is ${intended.name}`;
  return { ...details, allowed: [id], why };
}

function intendedBy(state: State, got: string | number): Instrument | undefined {
  const instruments = instrumentLookup(() => state);
  if (typeof got === 'number') return instruments(got);
  const id = /^\d{1,10}$/.test(got) ? got : OUTCOME_NAME.exec(got)?.[1];
  if (id !== undefined) return instruments(Number(id));
  const upperCase = got.toUpperCase();
  return perpDefinitions(state).find(
    ({ baseCurrency, name }) =>
      name.toUpperCase() === upperCase || baseCurrency.toUpperCase() === upperCase,
  );
}
