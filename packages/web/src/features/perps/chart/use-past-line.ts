import { createSeriesMarkers, LineSeries, LineStyle } from 'lightweight-charts';
import { useEffect } from 'react';
import type { StoreApi } from 'zustand/vanilla';
import type { Candle } from '@oddlot/sdk';
import { useWords } from '../../../lib/words.ts';
import { intervalMs, startOf, type CandleInterval } from '../../../market/candles.ts';
import { pastLine, usePastPrices } from '../../../market/past-prices.ts';
import { venueNow } from '../../../market/venue.ts';
import { palette } from '../../../ui/canvas.ts';
import { useTradedPerp } from '../traded-perp.ts';
import { secondsOf, showLatest, type PriceChart } from './make-chart.ts';

/** As many steps as a screen shows beside the first candles. */
const STEPS_MAX = 300;
/** The name of the line stands so many steps before its end, at most and at least. */
const [NAMED_FROM, NAMED_TO] = [64, 14];
const HOUR_MS = 3_600_000;

type Candles = { readonly candles: readonly Candle[]; readonly isLoaded: boolean };

/**
 * A dotted line before the first candle of a venue whose prices are simulated: it says what it is, and is no candle.
 * Returns whether there is one.
 */
export function usePastLine(
  made: PriceChart | undefined,
  store: StoreApi<Candles>,
  interval: CandleInterval,
  firstMs: number | undefined,
): boolean {
  const t = useWords();
  const { perp } = useTradedPerp();
  const stepMs = intervalMs(interval);
  const past = usePastPrices(perp.baseCurrency, stepMs < HOUR_MS / 4 ? 'day' : 'week');
  const title = t('perps.chart.before');
  useEffect(() => {
    if (made === undefined || past.length === 0) return undefined;
    const beforeMs = firstMs ?? startOf(venueNow(), interval);
    const line = pastLine(past, { beforeMs, stepMs, max: STEPS_MAX });
    const series = made.chart.addSeries(LineSeries, {
      color: palette().muted,
      lineWidth: 1,
      lineStyle: LineStyle.Dotted,
      priceLineVisible: false,
      lastValueVisible: store.getState().candles.length === 0,
      crosshairMarkerVisible: false,
    });
    series.setData(line.map(({ timeMs, value }) => ({ time: secondsOf(timeMs), value })));
    // Over the line itself, so that a picture of it says so too: a label at its end lay on the first candles.
    const named = namedAt(line);
    if (named !== undefined) {
      const { position, timeMs } = named;
      const mark = { shape: 'circle', size: 0, color: palette().muted } as const;
      createSeriesMarkers(series, [{ ...mark, position, time: secondsOf(timeMs), text: title }]);
    }
    // What was in sight has moved to the right by as many places.
    const lastMs = store.getState().candles.at(-1)?.t ?? line.at(-1)?.timeMs;
    if (lastMs !== undefined) showLatest(made.chart, lastMs, line.length);
    return () => {
      if (!made.isGone()) made.chart.removeSeries(series);
    };
  }, [made, past, firstMs, interval, stepMs, store, title]);
  return past.length > 0;
}

type Point = ReturnType<typeof pastLine>[number];

/** Over a peak of the line or under a valley, where it does not run through its own name. */
function namedAt(
  line: readonly Point[],
): { readonly timeMs: number; readonly position: 'aboveBar' | 'belowBar' } | undefined {
  const near = line.slice(-NAMED_FROM, -NAMED_TO);
  const [first, last] = [near[0] ?? line[0], near.at(-1)];
  if (first === undefined) return undefined;
  const isInside = (point: Point): boolean => point !== first && point !== last;
  const highest = near.reduce((best, each) => (each.value > best.value ? each : best), first);
  const lowest = near.reduce((best, each) => (each.value < best.value ? each : best), first);
  return !isInside(highest) && isInside(lowest)
    ? { timeMs: lowest.timeMs, position: 'belowBar' }
    : { timeMs: highest.timeMs, position: 'aboveBar' };
}
