/**
 * A duration: a number of milliseconds, or numbers with units, such as `250ms`, `8h` or `1d12h`.
 */
export type Duration = number | `${number}${Unit}` | (string & {});

type Unit = 'ms' | 's' | 'm' | 'h' | 'd';

const UNIT_MS: Readonly<Record<Unit, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;

/** Converts a duration to milliseconds. Throws unless the result is a non-negative integer. */
export function durationMs(duration: Duration): number {
  const ms = typeof duration === 'number' ? duration : partsMs(duration);
  if (Number.isSafeInteger(ms) && ms >= 0) return ms;
  throw new RangeError(
    `Invalid duration "${duration}". Use whole milliseconds, or text such as "250ms", "8h" or "1d12h"`,
  );
}

function partsMs(text: string): number {
  const parts = [...text.matchAll(PART)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== text) return Number.NaN;
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNIT_MS[unit as Unit], 0);
}
