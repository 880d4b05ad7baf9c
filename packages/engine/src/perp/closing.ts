import { divHalfUp } from '@oddlot/units';
import { type Closing, SAMPLES_MIN } from '../state/closing.ts';
import { SAMPLE_MS, SAMPLES_PER_HOUR } from '../state/funding-hour.ts';
import { isOracleStale, type Perp } from '../state/perp.ts';

/**
 * Takes the samples of the instants before a time, at the oracle in force; an instant at which it is
 * stale has none. Returns how many were taken.
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
 * The mark of the closing hour: what it would settle at if the oracle stood still, with the oracle
 * for each sample to come. One that was missed counts nowhere, as in the settlement: else the mark
 * would jump at the end. Half up; undefined when none was taken and none is to come.
 */
export function closingMark({ looked, samples, sum }: Closing, oracle: number): number | undefined {
  const toCome = SAMPLES_PER_HOUR - looked;
  return samples + toCome === 0 ? undefined : average(sum + toCome * oracle, samples + toCome);
}

/** What the hour settles at, half up; undefined when too few samples were taken. */
export function settlementPrice({ samples, sum }: Closing): number | undefined {
  return samples < SAMPLES_MIN ? undefined : average(sum, samples);
}

function average(sum: number, count: number): number {
  return Math.max(1, Number(divHalfUp(BigInt(sum), BigInt(count))));
}
