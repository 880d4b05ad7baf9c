import { divFloor, divHalfUp, RATE_ONE } from '@oddlot/units';
import { LIMITS } from '../messages/limits.ts';
import { isOracleStale, type Perp } from '../state/perp.ts';
import { type Closing, SAMPLE_MS, SAMPLES_MIN, SAMPLES_PER_HOUR } from '../state/sampled-hours.ts';

/** The weight of one second in an average over 150 s: 2^32 × (1 − e^(−1/150)) (R-ema). */
const EMA_WEIGHT = 28_537_883n;
const EMA_SHIFT = 32n;
/** The EMA and the candidate mark prices are in 10^-6 price units. */
const SCALE = 1_000_000;
const SCALE_BIG = 1_000_000n;

/**
 * Returns the mark (R-mark): the median of three prices, clamped to a band around the oracle and
 * rounded half up to a price unit. A is the oracle plus a slow average of the mid price's distance
 * from it. B is the median of the best bid, the best ask and the last trade. C is the price of the
 * perpetual on another venue, or the oracle. The mark of a halted market is the oracle (R-halt),
 * and the mark of a closing market is the current settlement price.
 */
export function markPrice(perp: Perp, timeMs: number, externalStaleMs: number): number {
  const { closing, oracle } = perp;
  if (closing !== undefined && !closing.isWaiting) return closingMark(closing, oracle) ?? perp.mark;
  if (perp.halted) return oracle;
  const a = oracle * SCALE + perp.ema;
  const b = bookCandidate(perp, timeMs) * SCALE;
  const hasExternal = perp.external > 0 && timeMs - perp.externalMs <= externalStaleMs;
  const c = (hasExternal ? perp.external : oracle) * SCALE;
  const band = bandScaled(perp);
  const middle = median(a, b, c);
  const clamped = clamp(middle, oracle * SCALE - band, oracle * SCALE + band);
  return Math.max(1, Math.floor((clamped + SCALE / 2) / SCALE));
}

/**
 * Updates the average for all whole seconds that have passed, with the current book as the sample
 * for each.
 */
export function advanceEma(perp: Perp, timeMs: number): void {
  const seconds = Math.floor((timeMs - perp.emaMs) / 1_000);
  if (seconds <= 0) return;
  perp.emaMs += seconds * 1_000;
  const sample = emaSample(perp);
  perp.ema = seconds >= LIMITS.emaSecondsMax ? sample : emaAfter(perp.ema, sample, seconds);
}

/**
 * Returns the EMA after some seconds, each of which adds (sample − ema) × weight / 2^32, rounded
 * down.
 */
export function emaAfter(ema: number, sample: number, seconds: number): number {
  let value = BigInt(ema);
  const target = BigInt(sample);
  for (let i = 0; i < seconds; i++) {
    // The right shift of a bigint rounds towards minus infinity, as the rule requires.
    const step = ((target - value) * EMA_WEIGHT) >> EMA_SHIFT;
    if (step === 0n) break;
    value += step;
  }
  return Number(value);
}

/**
 * Returns the distance of the mid price from the oracle, clamped to the band, or 0 if a side is
 * empty. A halted book also returns 0, so that the mark starts at the oracle when trading resumes.
 */
function emaSample(perp: Perp): number {
  if (perp.halted) return 0;
  const bid = perp.book.bestPrice(true);
  const ask = perp.book.bestPrice(false);
  if (bid === 0 || ask === 0) return 0;
  const distance = (bid + ask) * (SCALE / 2) - perp.oracle * SCALE;
  const band = bandScaled(perp);
  return clamp(distance, -band, band);
}

function bookCandidate(perp: Perp, timeMs: number): number {
  const { oracle, lastTrade } = perp;
  const bid = perp.book.bestPrice(true);
  const ask = perp.book.bestPrice(false);
  const isRecent = lastTrade > 0 && timeMs - perp.lastTradeMs <= LIMITS.lastTradeMs;
  return median(bid === 0 ? oracle : bid, ask === 0 ? oracle : ask, isRecent ? lastTrade : oracle);
}

function bandScaled(perp: Perp): number {
  const band = BigInt(perp.oracle) * BigInt(perp.markBandE8) * SCALE_BIG;
  return Number(divFloor(band, BigInt(RATE_ONE)));
}

function median(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

/**
 * Takes the samples due before a time at the current oracle price; a stale oracle gives no samples.
 * Returns the number of samples.
 */
export function sampleClosing(perp: Perp, beforeMs: number, staleMs: number): number {
  const { closing } = perp;
  if (closing === undefined || closing.isWaiting || perp.delisted) return 0;
  const before = closing.samples;
  for (; closing.looked < SAMPLES_PER_HOUR; closing.looked++) {
    const instantMs = closing.startMs + closing.looked * SAMPLE_MS;
    if (instantMs >= beforeMs) break;
    if (isOracleStale(perp, instantMs, staleMs)) continue;
    closing.samples += 1;
    closing.sum += perp.oracle;
  }
  return closing.samples - before;
}

/**
 * Returns the mark in the closing hour: the settlement price that would result if the oracle no
 * longer changed. As in the settlement, missed samples are excluded; otherwise the mark would jump
 * at the end. The result is rounded half up, or undefined if there are no past or future samples.
 */
export function closingMark({ looked, samples, sum }: Closing, oracle: number): number | undefined {
  const toCome = SAMPLES_PER_HOUR - looked;
  return samples + toCome === 0 ? undefined : average(sum + toCome * oracle, samples + toCome);
}

/**
 * Returns the settlement price for the hour, rounded half up, or undefined if too few samples were
 * taken.
 */
export function settlementPrice({ samples, sum }: Closing): number | undefined {
  return samples < SAMPLES_MIN ? undefined : average(sum, samples);
}

function average(sum: number, count: number): number {
  return Math.max(1, Number(divHalfUp(BigInt(sum), BigInt(count))));
}
