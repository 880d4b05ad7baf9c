import { LineSeries } from 'lightweight-charts';
import { useEffect } from 'react';
import { toPixels } from '../../../lib/decimal.ts';
import { candleSeries, type CandleInterval } from '../../../market/candles.ts';
import { onFrame } from '../../../market/frame.ts';
import { palette } from '../../../ui/canvas.ts';
import { secondsOf, type PriceChart } from './make-chart.ts';

/** Another market to compare with: its id as text, and its name. */
export type Compared = { readonly coin: string; readonly name: string };

/** Draws another market as a line beside the candles. Both are then in percent of where the chart begins. */
export function useComparison(
  made: PriceChart | undefined,
  interval: CandleInterval,
  compared: Compared | undefined,
): void {
  const coin = compared?.coin;
  const name = compared?.name ?? '';
  const store = candleSeries.useStore(coin === undefined ? undefined : { coin, interval });
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
