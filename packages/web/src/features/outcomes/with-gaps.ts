import type { Seen } from './use-reference.ts';

/** Prices come about once a second; a few that are late are no outage. */
const GAP_MS_MIN = 10_000;
/** Of a long span the venue thins the past evenly: what is far apart there is farther than usual. */
const GAP_TIMES = 4;

/** A price, or none where nobody knows what it was. */
type Point = { readonly t: number; readonly value: number | null };

/** Where no price was seen for a while there is a gap, and no line that looks as if there had been one. */
export function withGaps(seen: readonly Seen[]): readonly Point[] {
  const leastMs = Math.max(GAP_MS_MIN, GAP_TIMES * usualMs(seen));
  return seen.flatMap((point, at): Point[] => {
    const before = seen[at - 1];
    if (before === undefined || point.t - before.t < leastMs) return [point];
    return [{ t: before.t + 1, value: null }, point];
  });
}

/** What half of the steps do not exceed. */
function usualMs(seen: readonly Seen[]): number {
  const steps = seen.slice(1).map(({ t }, at) => t - (seen[at]?.t ?? t));
  return steps.sort((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0;
}
