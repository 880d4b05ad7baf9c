import { toPixels } from '../../lib/decimal.ts';
import type { PastPrice } from '../../market/past-prices.ts';
import type { CurvePoint } from './money-steps.ts';

/** What stands to the left of a curve, in its own units. */
export type Beside = readonly { readonly timeMs: number; readonly value: number }[];

/**
 * What the money of the first point would have been worth in something else before the account began, so that a young
 * curve has something to stand beside. It ends where the account begins and is drawn, never counted.
 */
export function besideOf(
  past: readonly PastPrice[],
  first: CurvePoint | undefined,
  kind: 'equity' | 'pnl',
  startMs: number,
): Beside {
  const last = past.findLast(({ timeMs }) => first !== undefined && timeMs < first.time);
  if (first === undefined || last === undefined || last.value === 0) return [];
  const worth = toPixels(first.accountValue);
  const before = past.filter(({ timeMs }) => timeMs >= startMs && timeMs <= last.timeMs);
  return before.map(({ timeMs, value }) => {
    const held = (worth * value) / last.value;
    return { timeMs, value: kind === 'equity' ? held : held - worth };
  });
}

/** A curve that never moved tells nothing by itself. */
export function isFlat(points: readonly CurvePoint[]): boolean {
  return points.every(({ pnl }) => pnl === points[0]?.pnl);
}
