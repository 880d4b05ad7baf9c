import { createHash, createHmac } from 'node:crypto';
import { type ScoredTemplate, templateOf } from './event-templates.ts';

type PathMarket = {
  readonly slug: string;
  readonly eventSlug: string;
  readonly startMs: number;
  readonly endMs: number;
};

export const STEP_MS = 5_000;
/** The weight of the first step, so that rounds open at different odds. */
const OPENING_WEIGHT = 6;
/**
 * A step is the sum of this many bytes minus the mean, which is approximately normally distributed.
 */
const STEP_BYTES = 4;
const STEP_MEAN = STEP_BYTES * 127.5;
const STEP_DEVIATION = 147.8;
const STEPS_PER_HASH = 32 / STEP_BYTES;

type Reached = { readonly steps: number; readonly score: number };
const NOWHERE: Reached = { steps: -1, score: 0 };
/**
 * The maximum number of cached positions, more than the number of paths in use at the same time.
 */
const REACHED_MAX = 256;

/**
 * Computes the fair values of the demo markets, which also decide their results. Each market has a
 * score that follows a random walk from its start to its end, independent of trades. The fair value
 * is the probability that YES wins, given the score and the time left. All steps follow from a seed
 * per market, which is derived from a secret of the venue. A market's description contains the hash
 * of its seed, and its resolution record the seed itself. The result therefore cannot be predicted
 * before the end, but can be verified afterwards.
 */
export class FairPaths {
  readonly #secret: Uint8Array;
  /**
   * The last computed position on each path, by market slug. The next query continues from there.
   */
  readonly #reached = new Map<string, Reached>();

  constructor(secret: Uint8Array) {
    this.#secret = secret;
  }

  /**
   * Returns the seed in hexadecimal. The seed determines the result and is published together with
   * it.
   */
  seedOf(marketSlug: string): string {
    return createHmac('sha256', this.#secret).update(marketSlug).digest('hex');
  }

  /** Returns the hash of the seed, which is published in advance. */
  commitmentOf(marketSlug: string): string {
    return createHash('sha256')
      .update(Buffer.from(this.seedOf(marketSlug), 'hex'))
      .digest('hex');
  }

  /**
   * Returns the score as an integer. In an independent market, YES wins if the score is 0 or more.
   */
  scoreOf({ slug, startMs }: Pick<PathMarket, 'slug' | 'startMs'>, atMs: number): number {
    const steps = Math.max(0, Math.floor((atMs - startMs) / STEP_MS));
    const before = this.#reached.get(slug);
    const isAhead = before !== undefined && before.steps <= steps;
    const score = scoreAfter(this.seedOf(slug), steps, isAhead ? before : undefined);
    if (before === undefined && this.#reached.size >= REACHED_MAX) this.#reached.clear();
    this.#reached.set(slug, { steps, score });
    return score;
  }

  /** Returns the unrounded probability of YES, or undefined for a market without a template. */
  valueOf(market: PathMarket, atMs: number): number | undefined {
    const template = templateOf(market.eventSlug);
    if (template === undefined) return undefined;
    const untilMs = Math.min(atMs, market.endMs);
    // At least one step remains even at the close, so that a value of one half still divides the
    // two results.
    const stepsLeft = Math.max(1, (market.endMs - untilMs) / STEP_MS);
    const odds = ({ slug }: { readonly slug: string }): number =>
      Math.exp(
        (1.702 * this.scoreOf({ ...market, slug }, untilMs)) /
          (STEP_DEVIATION * Math.sqrt(stepsLeft)),
      );
    const own = odds(market);
    return template.mutuallyExclusive
      ? own / sum(siblings(template, market).map(odds))
      : own / (1 + own);
  }
}

/** Returns the score after a number of steps. It can be recomputed from a published seed. */
function scoreAfter(seed: string, steps: number, from: Reached = NOWHERE): number {
  let { score } = from;
  let bytes: Uint8Array | undefined;
  for (let step = from.steps + 1; step <= steps; step++) {
    const at = (step % STEPS_PER_HASH) * STEP_BYTES;
    if (at === 0 || bytes === undefined) {
      bytes = createHash('sha256')
        .update(`${seed} ${Math.floor(step / STEPS_PER_HASH)}`)
        .digest();
    }
    const drawn = sum([...bytes.subarray(at, at + STEP_BYTES)]) - STEP_MEAN;
    score += step === 0 ? OPENING_WEIGHT * drawn : drawn;
  }
  return score;
}

function siblings(
  template: ScoredTemplate,
  { eventSlug }: PathMarket,
): { readonly slug: string }[] {
  return template.markets.map(({ slug }) => ({ slug: `${eventSlug}-${slug}` }));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
