import { normal, REVERSION, startPrice, STEP_DEVIATION } from './random-walk.ts';
import { REFERENCE_DECIMALS } from './reference-feed.ts';

/** A price that never was, 10^-8. */
type PastPoint = { readonly atMs: number; readonly priceE8: number };

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A week of hours, the last day of it in quarters. */
const WEEK_MS = 7 * DAY_MS;
const FINE_MS = HOUR_MS / 4;
const FIGURES = 6;

/**
 * What a simulated price could have been before there was a venue, oldest first, up to where its walk begins. The walk
 * is drawn backwards, which makes no difference to one around a centre. It is the same whenever and wherever it is
 * asked for, and counts nowhere: it is for eyes that would look at an empty chart.
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

/** As many figures as anybody reads off a line. */
function rounded(price: number): number {
  return Math.max(1, Math.round(Number(price.toPrecision(FIGURES))));
}

/** Uniform in [0, 1), the same for the same words. */
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
