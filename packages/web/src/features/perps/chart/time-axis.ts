import type { IChartApi, UTCTimestamp } from 'lightweight-charts';
import type { Candle } from '@oddlot/sdk';

/** Where a time is on the chart, and back. Beyond the candles it goes on in steps of one. */
export type TimeAxis = {
  readonly toX: (timeMs: number) => number | undefined;
  /** On the step. */
  readonly toTime: (x: number) => number | undefined;
  readonly stepMs: number;
};

export function timeAxis(
  chart: IChartApi,
  candles: () => readonly Candle[],
  stepMs: number,
): TimeAxis {
  const scale = chart.timeScale();
  const indexOf = (timeMs: number): number | undefined =>
    scale.timeToIndex((timeMs / 1_000) as UTCTimestamp, true) ?? undefined;
  const ends = (): { readonly firstMs: number; readonly lastMs: number } | undefined => {
    const all = candles();
    const [first, last] = [all[0], all.at(-1)];
    return first === undefined || last === undefined
      ? undefined
      : { firstMs: first.t, lastMs: last.t };
  };
  return {
    stepMs,
    toX: (timeMs) => {
      const known = ends();
      if (known === undefined) return undefined;
      const inside = Math.min(Math.max(timeMs, known.firstMs), known.lastMs);
      const index = indexOf(inside);
      if (index === undefined) return undefined;
      const logical = index + (timeMs - inside) / stepMs;
      return scale.logicalToCoordinate(logical as never) ?? undefined;
    },
    toTime: (x) => {
      const known = ends();
      const logical = scale.coordinateToLogical(x);
      if (known === undefined || logical === null) return undefined;
      const [first, last] = [indexOf(known.firstMs), indexOf(known.lastMs)];
      if (first === undefined || last === undefined) return undefined;
      const at = Math.round(logical);
      if (at >= last) return known.lastMs + (at - last) * stepMs;
      if (at <= first) return known.firstMs + (at - first) * stepMs;
      const time = scale.coordinateToTime(x);
      return time === null ? undefined : Number(time) * 1_000;
    },
  };
}
