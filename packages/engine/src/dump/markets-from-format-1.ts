import type { VenueParameters } from '../messages/parameters.ts';
import { markBandMaxE8 } from '../state/mark-band.ts';
import type { OutcomesDump } from './dump-outcome.ts';
import type { StateDump } from './dump.ts';

/** Markets as release 0.1.0 wrote them: what has changed since, and how it is filled. */

type PerpDump = StateDump['perps'][number];
type MarketDump = OutcomesDump['markets'][number];
type PriceDump = OutcomesDump['prices'][number];

/** It kept the oracle of the past hour, which delisted perps settled at. */
export type Format1Perp = Omit<PerpDump, 'closing'> & { readonly twap: unknown };

/** It kept how far the payout of a market was, and nothing of observations that do not count. */
export type Format1Outcomes = Omit<OutcomesDump, 'markets' | 'prices'> & {
  readonly markets: readonly (MarketDump & { readonly settleCursor: number })[];
  readonly prices: readonly (readonly [PriceDump[0], PriceDump[1], PriceDump[2]])[];
};

/** A dump whose markets are those of the first release. */
export type MarketsFormat1<Dump extends Pick<StateDump, 'outcomes' | 'parameters' | 'perps'>> =
  Omit<Dump, 'outcomes' | 'perps'> & {
    readonly outcomes: Format1Outcomes;
    readonly perps: readonly Format1Perp[];
  } & Pick<StateDump, 'parameters'>;

export function addMarketFields<Dump extends Pick<StateDump, 'outcomes' | 'parameters' | 'perps'>>(
  dump: MarketsFormat1<Dump>,
): Dump {
  const complete = {
    ...dump,
    perps: dump.perps.map((perp) => perpFromFormat1(perp, dump.parameters)),
    outcomes: outcomesFromFormat1(dump.outcomes),
  };
  return complete as unknown as Dump;
}

/**
 * R-delist: no perp was closing; one that was delisted is settled. R-mark: a band that was named and
 * is too wide for its margin table becomes the widest, as where none was named.
 */
export function perpFromFormat1(
  { twap: _, ...perp }: Format1Perp,
  parameters: Pick<VenueParameters, 'liquidationFeeE8'> | null,
): PerpDump {
  const { markBandE8 = 0, ...rest } = perp.definition;
  const maxE8 = markBandMaxE8(perp.definition, parameters?.liquidationFeeE8 ?? 0);
  const definition = markBandE8 > maxE8 ? rest : perp.definition;
  return { ...perp, definition, closing: null };
}

/** R-series: what was observed until now counted, whenever it had entered the log. */
export function outcomesFromFormat1(outcomes: Format1Outcomes): OutcomesDump {
  return {
    ...outcomes,
    markets: outcomes.markets.map(({ settleCursor: _, ...market }) => market),
    prices: outcomes.prices.map(([symbol, source, seconds]) => [
      symbol,
      source,
      seconds,
      seconds.at(-1)?.[1] ?? 0,
    ]),
  };
}
