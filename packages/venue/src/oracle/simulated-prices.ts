import {
  type PerpDefinition,
  perpDefinitions,
  perpView,
  type PriceSource,
  type ReferencePrice,
  type State,
} from '@oddlot/engine';
import { type TimeMs, timeMs } from '@oddlot/units';
import { type PendingPrices, priceDecimals, type PushedPrices } from './perp-oracle.ts';
import { nextStep, normal, REVERSION, startPrice, STEP_DEVIATION } from './random-walk.ts';
import { REFERENCE_DECIMALS, type ReferenceFeed } from './reference-feed.ts';

export type SimulatedPricesOptions = {
  readonly symbols: readonly string[];
  /** If false, prices are constant. */
  readonly moves: boolean;
  readonly state: () => State;
  readonly pushed: PushedPrices;
  /** Returns the last reference price in the log. */
  readonly latest: (
    symbol: string,
    source: PriceSource,
  ) => { readonly atMs: number; readonly priceE8: number } | undefined;
  /** Returns a uniformly distributed number in [0, 1). */
  readonly random: () => number;
};

/** The standard deviation of the spot price around the oracle price, relative to the price. */
const SPOT_DEVIATION = 0.000_05;
/**
 * How long a price pushed by a deployer is left in place, in milliseconds; shorter than an
 * observation stays valid (R-series).
 */
export const PUSHED_REFERENCE_HOLD_MS = 3_000;

/**
 * Simulates reference prices without exchanges. The base of a perp has the perp's oracle price, so
 * that the two never differ. Every other symbol walks independently and continues from the log. If
 * a deployer has pushed a price, the walk is centred on that price.
 */
export class SimulatedPrices implements ReferenceFeed {
  readonly #options: SimulatedPricesOptions;
  /** The centre of each symbol's walk if no price has been pushed. */
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

  /**
   * Returns the perp that determines the price of each base: the oldest listed perp that is not
   * being closed.
   */
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

  /**
   * Returns true if a deployer has just pushed this price, or if a push of it is on its way into
   * the log.
   */
  #isTaken({ observedMs, source, symbol }: ReferencePrice, coming: PendingPrices): boolean {
    const push = this.#options.pushed.ofSymbol(symbol, source);
    const stands = push !== undefined && observedMs - push.atMs < PUSHED_REFERENCE_HOLD_MS;
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

/** A simulated historical price, in units of 10^-8 USD. */
type PastPoint = { readonly atMs: number; readonly priceE8: number };

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/**
 * The history covers a week at hourly intervals, and its last day at intervals of a quarter of an
 * hour.
 */
const WEEK_MS = 7 * DAY_MS;
const FINE_MS = HOUR_MS / 4;
const FIGURES = 6;

/**
 * Returns a simulated price history before the start of the venue, oldest first, which ends where
 * the price's walk begins. The history is generated backwards, which makes no difference for a walk
 * around a centre. The result is reproducible and only fills an otherwise empty chart.
 */
export function simulatedPast(symbol: string, beganMs: number): readonly PastPoint[] {
  const random = seededBy(`${symbol} ${beganMs}`);
  const centre = startPrice(symbol, REFERENCE_DECIMALS);
  const points: PastPoint[] = [{ atMs: beganMs, priceE8: centre }];
  let [atMs, price] = [beganMs, centre];
  while (atMs > beganMs - WEEK_MS) {
    const stepMs = atMs > beganMs - DAY_MS ? FINE_MS : HOUR_MS;
    const steps = stepMs / SECOND_MS;
    const drift = REVERSION * steps * Math.log(centre / price);
    price *= Math.exp(drift + STEP_DEVIATION * Math.sqrt(steps) * normal(random));
    atMs -= stepMs;
    points.push({ atMs, priceE8: rounded(price) });
  }
  return points.reverse();
}

/** Rounds a price to six significant digits, the precision of a chart. */
function rounded(price: number): number {
  return Math.max(1, Math.round(Number(price.toPrecision(FIGURES))));
}

/**
 * Returns a pseudorandom generator of numbers in [0, 1), seeded by `words`.
 */
function seededBy(words: string): () => number {
  let hash = 0x81_1c_9d_c5;
  for (const byte of Buffer.from(words)) hash = Math.imul(hash ^ byte, 0x01_00_01_93) >>> 0;
  return () => {
    hash = (hash + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(hash ^ (hash >>> 15), 1 | hash);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
