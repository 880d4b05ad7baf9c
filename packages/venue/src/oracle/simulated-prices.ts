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
import type { PendingPrices, PushedPrices } from './pushed-prices.ts';
import { nextStep, normal, startPrice } from './random-walk.ts';
import { REFERENCE_DECIMALS, type ReferenceFeed } from './reference-feed.ts';

export type SimulatedPricesOptions = {
  readonly symbols: readonly string[];
  /** False repeats the same prices for ever. */
  readonly moves: boolean;
  readonly state: () => State;
  readonly pushed: PushedPrices;
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
/** What a deployer pushed stands alone for this long; less than an observation speaks for (R-series). */
export const PUSHED_REFERENCE_STANDS_MS = 3_000;

/**
 * Reference prices without any exchange. What a perp trades has the perp's oracle price, so that the
 * two never disagree; everything else walks by itself and goes on where the log left it, around what a deployer
 * pushed last if one did.
 */
export class SimulatedPrices implements ReferenceFeed {
  readonly #options: SimulatedPricesOptions;
  /** What a symbol walks around that nobody pushed a price of. */
  readonly #centres = new Map<string, number>();

  constructor(options: SimulatedPricesOptions) {
    this.#options = options;
  }

  start(): void {}

  stop(): void {}

  read(nowMs: number): readonly ReferencePrice[] {
    const { pushed, symbols } = this.#options;
    const perps = this.#perpsByBase();
    const coming = pushed.underWay();
    return symbols
      .flatMap((symbol) =>
        this.#bothSources(symbol, this.#oracleE8(symbol, perps.get(symbol)), timeMs(nowMs)),
      )
      .filter((price) => !this.#isTaken(price, coming));
  }

  /** The perp that speaks for a base: the one that was listed first, of those that are not being closed. */
  #perpsByBase(): ReadonlyMap<string, { perp: PerpDefinition; oracle: number }> {
    const state = this.#options.state();
    const perps = new Map<string, { perp: PerpDefinition; oracle: number }>();
    for (const perp of perpDefinitions(state)) {
      const { delisted = true, oracle } = perpView(state, perp.instrumentId) ?? {};
      if (oracle === undefined || delisted || perps.has(perp.baseCurrency)) continue;
      perps.set(perp.baseCurrency, { perp, oracle });
    }
    return perps;
  }

  /** Whether a deployer has just said what this is, or is about to. */
  #isTaken({ observedMs, source, symbol }: ReferencePrice, coming: PendingPrices): boolean {
    const push = this.#options.pushed.ofSymbol(symbol, source);
    const stands = push !== undefined && observedMs - push.atMs < PUSHED_REFERENCE_STANDS_MS;
    return stands || coming.hasSymbol(symbol, source);
  }

  #oracleE8(
    symbol: string,
    listed: { readonly perp: PerpDefinition; readonly oracle: number } | undefined,
  ): number {
    const { latest, moves, pushed, random } = this.#options;
    if (listed !== undefined) {
      const { oracle, perp } = listed;
      return Math.round(oracle * 10 ** (REFERENCE_DECIMALS - priceDecimals(perp)));
    }
    const last = latest(symbol, 'oracle')?.priceE8 ?? startPrice(symbol, REFERENCE_DECIMALS);
    if (!this.#centres.has(symbol)) this.#centres.set(symbol, last);
    const centre = pushed.ofSymbol(symbol, 'oracle')?.price ?? this.#centres.get(symbol) ?? last;
    return moves ? nextStep(last, centre, random) : last;
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
