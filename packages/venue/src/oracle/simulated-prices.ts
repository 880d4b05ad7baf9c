import {
  type PerpDefinition,
  perpDefinitions,
  perpView,
  type PriceSource,
  type ReferencePrice,
  type State,
} from '@oddlot/engine';
import { timeMs } from '@oddlot/units';
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

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** Markets of these periods may be running when the venue starts. */
const PERIODS_MS = [60 * MINUTE_MS, 15 * MINUTE_MS];
/** The longest window that a strike is averaged over (R-series). */
const WINDOW_SECONDS = 60;

/**
 * Reference prices without any exchange. What a perp trades has the perp's oracle price, so that the
 * two never disagree; everything else walks by itself and goes on where the log left it.
 */
export class SimulatedPrices implements ReferenceFeed {
  readonly #options: SimulatedPricesOptions;
  #hasPast = false;

  constructor(options: SimulatedPricesOptions) {
    this.#options = options;
  }

  start(): void {
    this.#hasPast = false;
  }

  stop(): void {}

  read(nowMs: number): readonly ReferencePrice[] {
    const perps = new Map(
      perpDefinitions(this.#options.state()).map((perp) => [perp.baseCurrency, perp]),
    );
    return this.#withPast(
      nowMs,
      this.#options.symbols.map((symbol) => ({
        symbol,
        oracleE8: this.#oracleE8(symbol, perps.get(symbol)),
      })),
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

  /**
   * The first reading comes with the seconds before the last full quarter and hour and before now, as
   * far as the log lacks them: a market that is under way when the venue starts, and one that starts a
   * moment later, then have a strike like any other.
   */
  #withPast(
    nowMs: number,
    now: readonly { readonly symbol: string; readonly oracleE8: number }[],
  ): ReferencePrice[] {
    const past = this.#hasPast ? [] : pastSeconds(nowMs);
    this.#hasPast = true;
    return now.flatMap(({ oracleE8, symbol }) => {
      let priceE8 = oracleE8;
      const knownMs = this.#options.latest(symbol, 'oracle')?.atMs ?? 0;
      const before = past
        .filter((atMs) => atMs > knownMs)
        .toReversed()
        .map((atMs) => {
          priceE8 = this.#options.moves
            ? nextStep(priceE8, oracleE8, this.#options.random)
            : oracleE8;
          return { atMs, priceE8 };
        });
      return [...before.toReversed(), { atMs: nowMs, priceE8: oracleE8 }].flatMap((point) =>
        this.#bothSources(symbol, point),
      );
    });
  }

  #bothSources(
    symbol: string,
    point: { readonly atMs: number; readonly priceE8: number },
  ): ReferencePrice[] {
    const { moves, random } = this.#options;
    const observedMs = timeMs(point.atMs);
    const off = moves ? SPOT_DEVIATION * normal(random) : 0;
    const spotE8 = Math.max(1, Math.round(point.priceE8 * (1 + off)));
    return [
      { symbol, source: 'oracle', priceE8: point.priceE8, observedMs },
      { symbol, source: 'spot', priceE8: spotE8, observedMs },
    ];
  }
}

/** The whole seconds of the windows before the last full hour, quarter and second, oldest first. */
function pastSeconds(nowMs: number): readonly number[] {
  const ends = [...PERIODS_MS, SECOND_MS].map((period) => nowMs - (nowMs % period));
  const seconds = ends.flatMap((endMs) =>
    Array.from(
      { length: WINDOW_SECONDS },
      (_, second) => endMs - (WINDOW_SECONDS - second) * SECOND_MS,
    ),
  );
  return [...new Set(seconds)].sort((a, b) => a - b);
}
