import type { Command, ResolveMarketCommand, State } from '@oddlot/engine';
import { instrumentId, present } from '@oddlot/units';
import type { FairPaths } from './fair-paths.ts';
import { type ScoredTemplate, SERIES_TEMPLATES, templateOf } from './event-templates.ts';

type OutcomeMarket = NonNullable<ReturnType<State['outcomes']['markets']['get']>>;

export type ResultOptions = {
  readonly nowMs: number;
  /** The paths of the demo markets' fair values, which determine the results. */
  readonly paths: FairPaths;
  /** Returns the description of a listed market, which the engine does not store. */
  readonly descriptionOf: (instrumentId: number) => string | undefined;
};

/**
 * Results are published this many milliseconds after the end, so that users see the closed market
 * first.
 */
export const RESULT_AFTER_MS = 10_000;
/** The sum of the fractions in a mutually exclusive event (R-event-sets). */
const FRACTION_ONE = 1_000_000;
const STRANDED =
  'too few reference prices, for example because the venue was stopped: each outcome is paid half';
const UNKNOWN =
  'this venue does not have the seed with which the market was listed: all outcomes are paid equally';

/**
 * Returns the commands that resolve ended rounds, and markets of the venue's series that have too
 * few prices.
 */
export function exhibitionResults(state: State, options: ResultOptions): Command[] {
  const { outcomes } = state;
  const ended = [...outcomes.markets.values()].filter(
    ({ definition, phase }) =>
      phase === 'closed' && options.nowMs >= definition.endMs + RESULT_AFTER_MS,
  );
  const byEvent = Map.groupBy(ended, ({ definition }) => definition.eventSlug);
  return [...byEvent].flatMap(([slug, markets]): Command[] => {
    const template = templateOf(slug);
    if (template === undefined) {
      return markets.filter(isStranded).map((market) => result(market, market.unit / 2, STRANDED));
    }
    const areCommitted = markets.every((market) => isCommitted(market, options));
    return areCommitted
      ? scoredResults(state, template, markets, options.paths)
      : evenResults(state, template, markets);
  });
}

/**
 * Returns the text containing the commitment to a seed. It is published before the market ends and
 * can later be compared with the seed in the resolution record.
 */
export function seedCommitment(paths: FairPaths, marketSlug: string): string {
  return `The walk is generated from a seed fixed in advance, with SHA-256 0x${paths.commitmentOf(marketSlug)}. The resolution record reveals the seed.`;
}

/** Returns true if the venue still has the seed that the market's description commits to. */
function isCommitted(
  { definition }: OutcomeMarket,
  { descriptionOf, paths }: ResultOptions,
): boolean {
  const text = descriptionOf(definition.instrumentId);
  return text?.includes(`0x${paths.commitmentOf(definition.slug)}`) === true;
}

/** Resolves the markets by their fair values at the close, which cannot be influenced by trades. */
function scoredResults(
  state: State,
  { mutuallyExclusive }: ScoredTemplate,
  markets: readonly OutcomeMarket[],
  paths: FairPaths,
): Command[] {
  const scored = markets.map((market) => {
    const { definition } = market;
    return { market, score: paths.scoreOf(definition, definition.endMs) };
  });
  const best = Math.max(...scored.map(({ score }) => score));
  const winner = scored.find(({ score }) => score === best)?.market;
  return scored.map(({ market, score }) => {
    const isYes = mutuallyExclusive ? market === winner : score >= 0;
    const whole = mutuallyExclusive ? leftOf(state, market) : market.unit;
    return result(market, isYes ? whole : 0, evidenceOf(market, score, paths));
  });
}

/** Pays all outcomes equally, because the result is unknown. */
function evenResults(
  state: State,
  { mutuallyExclusive }: ScoredTemplate,
  markets: readonly OutcomeMarket[],
): Command[] {
  return markets.map((market, index) => {
    if (!mutuallyExclusive) return result(market, market.unit / 2, UNKNOWN);
    const left = leftOf(state, market);
    const share = Math.floor(left / markets.length);
    // The first market receives the remainder of the division, so that the fractions add up to one.
    return result(market, index === 0 ? left - share * (markets.length - 1) : share, UNKNOWN);
  });
}

/**
 * Returns the fraction of a mutually exclusive event that is left after earlier resolutions, by an
 * operator or before a crash.
 */
function leftOf({ outcomes }: State, { definition, unit }: OutcomeMarket): number {
  const { fractionSum } = present(
    outcomes.events.get(definition.eventSlug),
    'the event of a market',
  );
  return ((FRACTION_ONE - fractionSum) * unit) / FRACTION_ONE;
}

function evidenceOf({ definition }: OutcomeMarket, score: number, paths: FairPaths): string {
  const value = present(
    paths.valueOf(definition, definition.endMs),
    'the value of a made-up market',
  );
  return `fair value at the close ${value.toFixed(4)} (score ${score}); seed 0x${paths.seedOf(definition.slug)}`;
}

function result(
  { definition }: OutcomeMarket,
  fraction: number,
  evidence: string,
): ResolveMarketCommand {
  return {
    type: 'resolveMarket',
    instrumentId: instrumentId(definition.instrumentId),
    fraction,
    oracleOutcome: null,
    evidence,
  };
}

/**
 * Returns true for a market of the venue's series with too few prices (R-series). It must be
 * resolved by its operator: the venue itself.
 */
function isStranded({ definition, isJudged }: OutcomeMarket): boolean {
  return isJudged && SERIES_TEMPLATES.some(({ slug }) => slug === definition.seriesSlug);
}
