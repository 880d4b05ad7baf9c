import type { Fill } from '@oddlot/sdk';
import { startOf, type CandleInterval } from '../../../market/candles.ts';

type FillMarker = {
  readonly timeMs: number;
  readonly isBuy: boolean;
  /** The number of orders that this marker represents. */
  readonly orders: number;
};

/**
 * Returns the markers of a market's fills, oldest first. The fills of an order have a single marker
 * at the candle of the first fill, and orders on the same side in one candle share a marker.
 */
export function fillMarkers(
  fills: readonly Fill[],
  instrumentId: number,
  interval: CandleInterval,
): readonly FillMarker[] {
  const first = new Map<string, Fill>();
  for (const fill of fills) {
    if (fill.instrumentId !== instrumentId) continue;
    // Liquidations and ADL have no order, so each of their fills is separate.
    const key = fill.oid === 0 ? `fill ${fill.time} ${fill.hash}` : `order ${fill.oid}`;
    const known = first.get(key);
    if (known === undefined || fill.time < known.time) first.set(key, fill);
  }
  const markers = new Map<string, FillMarker>();
  for (const { side, time } of first.values()) {
    const timeMs = startOf(time, interval);
    const key = `${timeMs} ${side}`;
    const orders = (markers.get(key)?.orders ?? 0) + 1;
    markers.set(key, { timeMs, isBuy: side === 'B', orders });
  }
  return [...markers.values()].toSorted((a, b) => a.timeMs - b.timeMs);
}
