import type { Candle } from '@oddlot/sdk';
import { LineSeries, LineStyle } from 'lightweight-charts';
import { useEffect } from 'react';
import type { StoreApi } from 'zustand/vanilla';
import { toPixels } from '../../../lib/decimal.ts';
import { candleSeries, intervalMs, startOf, type CandleInterval } from '../../../market/candles.ts';
import { onFrame } from '../../../market/frame.ts';
import { pastLine, usePastPrices } from '../../../market/past-prices.ts';
import { venueNow } from '../../../market/venue.ts';
import { palette } from '../../../ui/canvas.ts';
import { useTradedPerp } from '../use-account.ts';
import { secondsOf, showLatest, type PriceChart } from './make-chart.ts';

const STEPS_MAX = 300;
const HOUR_MS = 3_600_000;

type Candles = { readonly candles: readonly Candle[]; readonly isLoaded: boolean };

/**
 * Draws a dotted line of simulated prices before the first candle. Returns true if the line exists.
 */
export function usePastLine(
  made: PriceChart | undefined,
  store: StoreApi<Candles>,
  {
    interval,
    firstMs,
    isWanted,
  }: {
    readonly interval: CandleInterval;
    readonly firstMs: number | undefined;
    readonly isWanted: boolean;
  },
): boolean {
  const { perp } = useTradedPerp();
  const stepMs = intervalMs(interval);
  const past = usePastPrices(
    isWanted ? perp.baseCurrency : undefined,
    stepMs < HOUR_MS / 4 ? 'day' : 'week',
  );
  useEffect(() => {
    if (made === undefined || !isWanted || past.length === 0) return undefined;
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
    const lastMs = store.getState().candles.at(-1)?.t ?? line.at(-1)?.timeMs;
    if (lastMs !== undefined) showLatest(made.chart, lastMs, line.length);
    return () => {
      if (!made.isGone()) made.chart.removeSeries(series);
    };
  }, [made, past, firstMs, interval, isWanted, stepMs, store]);
  return isWanted && past.length > 0;
}

export type Compared = { readonly coin: string; readonly name: string };

export function useComparison(
  made: PriceChart | undefined,
  interval: CandleInterval,
  compared: Compared | undefined,
): void {
  const coin = compared?.coin;
  const name = compared?.name ?? '';
  const store = candleSeries.useStore(
    coin === undefined ? undefined : { coin, interval, price: 'trade' },
  );
  useEffect(() => {
    if (made === undefined || coin === undefined) return undefined;
    const line = made.chart.addSeries(LineSeries, {
      color: palette().accent,
      lineWidth: 1,
      title: name,
      priceLineVisible: false,
    });
    const draw = (): void =>
      line.setData(
        store.getState().candles.map(({ c, t }) => ({ time: secondsOf(t), value: toPixels(c) })),
      );
    draw();
    const leave = onFrame(store, draw);
    return () => {
      leave();
      if (!made.isGone()) made.chart.removeSeries(line);
    };
  }, [made, coin, name, store]);
}
