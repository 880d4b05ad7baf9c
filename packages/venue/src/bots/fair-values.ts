import type { PriceSource, State } from '@oddlot/engine';
import { present } from '@oddlot/units';
import { normal, STEP_DEVIATION } from '../oracle/random-walk.ts';

export type BotMarket = NonNullable<ReturnType<State['outcomes']['markets']['get']>>;

export type FairValuesOptions = {
  readonly state: () => State;
  readonly priceE8: (symbol: string, source: PriceSource) => number | undefined;
  /**
   * Returns the fair value of one of the venue's own demo markets, or undefined for other markets.
   * The value does not depend on trades.
   */
  readonly paths: {
    valueOf(market: BotMarket['definition'], atMs: number): number | undefined;
  };
  /** Returns a uniformly distributed number in [0, 1). */
  readonly random: () => number;
};

/**
 * The maximum number of markets that simulated traders trade in. Those that end first have
 * priority.
 */
const MARKETS_MAX = 40;
/**
 * Simulated traders stop trading a market this long before its end, so that they do not interfere
 * with its close.
 */
const LEFT_MS_MIN = 5_000;
/** Fair values stay at least this far from 0 and 1. */
const PROBABILITY_MIN = 0.03;
/** The standard deviation of a drifting value's change per round, in logits. */
const DRIFT = 0.025;

/**
 * Computes the fair value of YES shares for simulated traders. A price market is valued by its
 * price, its strike and the time left. A demo market follows the path that decides its result. All
 * other values drift. The probabilities in a mutually exclusive event sum to one.
 */
export class FairValues {
  readonly #options: FairValuesOptions;
  /** The drifting values in logits, by instrument id. */
  readonly #opinions = new Map<number, number>();
  #values: ReadonlyMap<BotMarket, number> = new Map();

  constructor(options: FairValuesOptions) {
    this.#options = options;
  }

  /** Returns the markets to trade, with the probability of YES for each. */
  get markets(): ReadonlyMap<BotMarket, number> {
    return this.#values;
  }

  /** Recomputes the values. Those that drift move by a random step. */
  update(): void {
    const { outcomes, timeMs } = this.#options.state();
    const open = outcomes.marketIds
      .map((id) => present(outcomes.markets.get(id), 'a listed market'))
      .filter(
        ({ definition, phase }) => phase === 'open' && definition.endMs - timeMs > LEFT_MS_MIN,
      )
      .sort((a, b) => a.definition.endMs - b.definition.endMs)
      .slice(0, MARKETS_MAX);
    const live = new Set(open.map(({ definition }) => definition.instrumentId));
    for (const id of this.#opinions.keys()) if (!live.has(id)) this.#opinions.delete(id);
    for (const market of open) if (market.definition.reference === undefined) this.#drift(market);
    this.#values = new Map(open.map((market) => [market, this.#valueOf(market, open)]));
  }

  #drift({ definition, lastTrade, unit }: BotMarket): void {
    const { random } = this.#options;
    const id = definition.instrumentId;
    // A new process continues from the last trade, because drifting values are not stored.
    const before =
      this.#opinions.get(id) ?? (lastTrade > 0 ? logit(lastTrade / unit) : normal(random));
    this.#opinions.set(id, before + DRIFT * normal(random));
  }

  #valueOf(market: BotMarket, open: readonly BotMarket[]): number {
    if (market.definition.reference !== undefined) return clamped(this.#chanceOfUp(market));
    const { paths, state } = this.#options;
    const shown = paths.valueOf(market.definition, state().timeMs);
    if (shown !== undefined) return clamped(shown);
    const { eventSlug } = market.definition;
    const event = state().outcomes.events.get(eventSlug);
    const own = this.#oddsOf(market);
    if (event?.mutuallyExclusive !== true) return clamped(own / (1 + own));
    const all = open.filter(({ definition }) => definition.eventSlug === eventSlug);
    return clamped(own / all.reduce((sum, each) => sum + this.#oddsOf(each), 0));
  }

  #oddsOf({ definition }: BotMarket): number {
    return Math.exp(this.#opinions.get(definition.instrumentId) ?? 0);
  }

  #chanceOfUp({ definition, strike }: BotMarket): number {
    const { priceE8, state } = this.#options;
    const { endMs, reference } = definition;
    const now = reference && priceE8(reference.symbol, reference.source);
    if (now === undefined || strike === undefined || strike === null) return 0.5;
    const strikeE8 = Number(strike.sumE8) / strike.samples.length;
    return probabilityAbove({
      price: now,
      strike: strikeE8,
      secondsLeft: (endMs - state().timeMs) / 1_000,
    });
  }
}

/**
 * Returns the probability that a random walk with the step size of simulated prices ends at or
 * above a strike.
 */
export function probabilityAbove(walk: {
  readonly price: number;
  readonly strike: number;
  readonly secondsLeft: number;
}): number {
  const deviation = STEP_DEVIATION * Math.sqrt(Math.max(1, walk.secondsLeft));
  const distance = Math.log(walk.price / walk.strike) / deviation;
  // This logistic curve differs from the normal distribution by less than 0.01.
  return 1 / (1 + Math.exp(-1.702 * distance));
}

function clamped(probability: number): number {
  return Math.min(1 - PROBABILITY_MIN, Math.max(PROBABILITY_MIN, probability));
}

function logit(probability: number): number {
  return Math.log(probability / (1 - probability));
}
