import { marketView, settledMarketView, type State } from '@oddlot/engine';
import { findPerp } from '../info/handler.ts';

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
