import type { PriceSource, State } from '@oddlot/engine';
import { present } from '@oddlot/units';
import type { FairPaths } from '../exhibition/fair-paths.ts';
import { normal, STEP_DEVIATION } from '../oracle/random-walk.ts';

/** A market that can be traded, as the engine keeps it. */
export type BotMarket = NonNullable<ReturnType<State['outcomes']['markets']['get']>>;

export type FairValuesOptions = {
  readonly state: () => State;
  /** The newest reference price, 10^-8. */
  readonly priceE8: (symbol: string, source: PriceSource) => number | undefined;
  /** What the venue's own made-up markets are worth, whoever trades them. */
  readonly paths: Pick<FairPaths, 'valueOf'>;
  /** Uniform in [0, 1). */
  readonly random: () => number;
};

/** Markets that simulated traders look at, those that end first. */
const MARKETS_MAX = 40;
/** Who still trades in the last seconds would only be in the way of the close. */
const LEFT_MS_MIN = 5_000;
/** Nothing is ever certain. */
const PROBABILITY_MIN = 0.03;
/** How far a made-up opinion moves in one round, in logits. */
const DRIFT = 0.025;

/**
 * What simulated traders believe a YES share to be worth. Where a market is about a price it follows
 * from that price, the strike and the time that is left; those of the exhibition walk a path that decides
 * them; elsewhere opinions drift. The markets of an exclusive event share one certainty.
 */
export class FairValues {
  readonly #options: FairValuesOptions;
  /** Opinions in logits, by instrument id. */
  readonly #opinions = new Map<number, number>();
  #values: ReadonlyMap<BotMarket, number> = new Map();

  constructor(options: FairValuesOptions) {
    this.#options = options;
  }

  /** Markets that are worth trading, with the probability of YES. */
  get markets(): ReadonlyMap<BotMarket, number> {
    return this.#values;
  }

  /** Looks at the markets anew; opinions drift a little. */
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
    // A new process goes on where the last one traded.
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
    return chanceAbove({
      price: now,
      strike: strikeE8,
      secondsLeft: (endMs - state().timeMs) / 1_000,
    });
  }
}

/** The chance that a walk of simulated steps ends at or above a strike. */
export function chanceAbove(walk: {
  readonly price: number;
  readonly strike: number;
  readonly secondsLeft: number;
}): number {
  const deviation = STEP_DEVIATION * Math.sqrt(Math.max(1, walk.secondsLeft));
  const distance = Math.log(walk.price / walk.strike) / deviation;
  // The logistic curve is within a hundredth of the normal distribution.
  return 1 / (1 + Math.exp(-1.702 * distance));
}

function clamped(probability: number): number {
  return Math.min(1 - PROBABILITY_MIN, Math.max(PROBABILITY_MIN, probability));
}

function logit(probability: number): number {
  return Math.log(probability / (1 - probability));
}
