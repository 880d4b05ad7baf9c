import type { Candle } from '@oddlot/sdk';
import { useEffect, useMemo } from 'react';
import { createStore, type StoreApi } from 'zustand/vanilla';

type Candles = { readonly candles: readonly Candle[]; readonly isLoaded: boolean };

/**
 * Returns the candles up to a time. If no time is given, it returns all candles, including new
 * ones.
 */
export function useReplayed(
  live: StoreApi<Candles>,
  untilMs: number | undefined,
): StoreApi<Candles> {
  const isReplayed = untilMs !== undefined;
  const replayed = useMemo(
    () => (isReplayed ? createStore<Candles>(() => live.getState()) : undefined),
    [live, isReplayed],
  );
  useEffect(() => {
    if (untilMs === undefined) return;
    const { candles } = live.getState();
    replayed?.setState({ candles: candles.slice(0, countUntil(candles, untilMs)) });
  }, [live, replayed, untilMs]);
  return replayed ?? live;
}

/** Returns the number of candles that have started by the given time, and at least one. */
export function countUntil(candles: readonly Candle[], untilMs: number): number {
  const later = candles.findIndex(({ t }) => t > untilMs);
  return Math.max(1, later < 0 ? candles.length : later);
}

const HOUR_MS = 3_600_000;

/** Returns the start of the last full hour that has candles, or that of the first candle. */
export function replayStart(candles: readonly Candle[]): number {
  const [first, last] = [candles[0]?.t ?? 0, candles.at(-1)?.t ?? 0];
  return Math.max(first, last - (last % HOUR_MS) - HOUR_MS);
}
