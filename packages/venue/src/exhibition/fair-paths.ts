import { createHash, createHmac } from 'node:crypto';
import { type EventTemplate, templateOf } from './event-templates.ts';

/** What a path needs to know of a market. */
type PathMarket = {
  readonly slug: string;
  readonly eventSlug: string;
  readonly startMs: number;
  readonly endMs: number;
};

/** A score takes a step this often. */
export const STEP_MS = 5_000;
/** The first step weighs this much, so that rounds open at different odds. */
const OPENING_WEIGHT = 6;
/** A step is the sum of this many bytes without its mean: close to normal. */
const STEP_BYTES = 4;
const STEP_MEAN = STEP_BYTES * 127.5;
/** The standard deviation of such a sum. */
const STEP_DEVIATION = 147.8;
const STEPS_PER_HASH = 32 / STEP_BYTES;

/** A place on a path. */
type Reached = { readonly steps: number; readonly score: number };
const NOWHERE: Reached = { steps: -1, score: 0 };
/** More paths than are ever walked at a time. */
const REACHED_MAX = 256;

/**
 * What the made-up markets are worth, and what decides them: each has a score that walks at random from
 * its start to its end, whatever anybody trades. The fair value is the chance that YES wins, given the
 * score and the time that is left. All steps follow from a seed per market, which follows from a secret
 * of the venue. A market's description carries the hash of its seed, its receipt the seed itself, so
 * that nobody knows the end of a path before and everybody can walk it afterwards.
 */
export class FairPaths {
  readonly #secret: Uint8Array;
  /** How far each path was walked last, by market: a look a moment later goes on from there. */
  readonly #reached = new Map<string, Reached>();

  constructor(secret: Uint8Array) {
    this.#secret = secret;
  }

  /** Hexadecimal; it gives the result away and is told with it. */
  seedOf(marketSlug: string): string {
    return createHmac('sha256', this.#secret).update(marketSlug).digest('hex');
  }

  /** What is told of the seed beforehand. */
  commitmentOf(marketSlug: string): string {
    return createHash('sha256')
      .update(Buffer.from(this.seedOf(marketSlug), 'hex'))
      .digest('hex');
  }

  /** A whole number; YES of a market for itself wins from 0 on. */
  scoreOf({ slug, startMs }: Pick<PathMarket, 'slug' | 'startMs'>, atMs: number): number {
    const steps = Math.max(0, Math.floor((atMs - startMs) / STEP_MS));
    const before = this.#reached.get(slug);
    const isAhead = before !== undefined && before.steps <= steps;
    const score = scoreAfter(this.seedOf(slug), steps, isAhead ? before : undefined);
    if (before === undefined && this.#reached.size >= REACHED_MAX) this.#reached.clear();
    this.#reached.set(slug, { steps, score });
    return score;
  }

  /** The chance of YES, without rounding; undefined for a market that no template made. */
  valueOf(market: PathMarket, atMs: number): number | undefined {
    const template = templateOf(market.eventSlug);
    if (template === undefined) return undefined;
    const untilMs = Math.min(atMs, market.endMs);
    // At the close there is as much left as for one more step: a half is where the result turns.
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

/** The score after so many steps of a seed. Anybody can compute it who knows the seed. */
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

/** The markets of one round of a template. */
function siblings(template: EventTemplate, { eventSlug }: PathMarket): { readonly slug: string }[] {
  return template.markets.map(({ slug }) => ({ slug: `${eventSlug}-${slug}` }));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
