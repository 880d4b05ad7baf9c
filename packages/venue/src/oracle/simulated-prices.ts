import {
  type PerpDefinition,
  perpDefinitions,
  perpView,
  type PriceSource,
  type ReferencePrice,
  type State,
} from '@oddlot/engine';
import { type TimeMs, timeMs } from '@oddlot/units';
import { priceDecimals } from './perp-oracle.ts';
import { nextStep, normal, startPrice } from './random-walk.ts';
import { REFERENCE_DECIMALS, type ReferenceFeed } from './reference-feed.ts';

export type SimulatedPricesOptions = {
  readonly symbols: readonly string[];
  /** False repeats the same prices for ever. */
  readonly moves: boolean;
  readonly state: () => State;
  /** The last price of the log. */
  readonly latest: (
    symbol: string,
    source: PriceSource,
  ) => { readonly atMs: number; readonly priceE8: number } | undefined;
  /** Uniform in [0, 1). */
  readonly random: () => number;
};

/** How far one market's price is from the oracle, relative: a standard deviation. */
const SPOT_DEVIATION = 0.000_05;

/**
 * Reference prices without any exchange. What a perp trades has the perp's oracle price, so that the
 * two never disagree; everything else walks by itself and goes on where the log left it.
 */
export class SimulatedPrices implements ReferenceFeed {
  readonly #options: SimulatedPricesOptions;

  constructor(options: SimulatedPricesOptions) {
    this.#options = options;
  }

  start(): void {}

  stop(): void {}

  read(nowMs: number): readonly ReferencePrice[] {
    const perps = new Map(
      perpDefinitions(this.#options.state()).map((perp) => [perp.baseCurrency, perp]),
    );
    return this.#options.symbols.flatMap((symbol) =>
      this.#bothSources(symbol, this.#oracleE8(symbol, perps.get(symbol)), timeMs(nowMs)),
    );
  }

  #oracleE8(symbol: string, perp: PerpDefinition | undefined): number {
    const { latest, moves, random, state } = this.#options;
    const oracle = perp === undefined ? undefined : perpView(state(), perp.instrumentId)?.oracle;
    if (perp !== undefined && oracle !== undefined) {
      return Math.round(oracle * 10 ** (REFERENCE_DECIMALS - priceDecimals(perp)));
    }
    const start = startPrice(symbol, REFERENCE_DECIMALS);
    const last = latest(symbol, 'oracle')?.priceE8 ?? start;
    return moves ? nextStep(last, start, random) : last;
  }

  #bothSources(symbol: string, oracleE8: number, observedMs: TimeMs): ReferencePrice[] {
    const { moves, random } = this.#options;
    const off = moves ? SPOT_DEVIATION * normal(random) : 0;
    const spotE8 = Math.max(1, Math.round(oracleE8 * (1 + off)));
    return [
      { symbol, source: 'oracle', priceE8: oracleE8, observedMs },
      { symbol, source: 'spot', priceE8: spotE8, observedMs },
    ];
  }
}
