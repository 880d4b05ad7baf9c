import type { Candle } from '@oddlot/sdk';
import { LineSeries, LineStyle, type ISeriesApi } from 'lightweight-charts';
import { useEffect } from 'react';
import type { StoreApi } from 'zustand/vanilla';
import { changedEnd } from '../../../../market/candles.ts';
import { onFrame } from '../../../../market/frame.ts';
import { secondsOf, type PriceChart } from '../make-chart.ts';
import { plotColour } from '../colours.tsx';
import { hasOwnPane, optionsOf, type Indicator } from './indicator-kinds.ts';
import type { IndicatorLine, IndicatorLines } from './indicator-lines.ts';

type Candles = { readonly candles: readonly Candle[] };

/** Draws the indicators on a chart. Their calculations are loaded with the first indicator. */
export function useIndicators(
  made: PriceChart | undefined,
  store: StoreApi<Candles>,
  indicators: readonly Indicator[],
): void {
  useEffect(() => {
    if (made === undefined || indicators.length === 0) return undefined;
    let leave: (() => void) | undefined;
    let isLeft = false;
    const begin = async (): Promise<void> => {
      const { IndicatorLines: Lines } = await import('./indicator-lines.ts');
      if (isLeft) return;
      let pane = 0;
      const drawings = indicators.map((each) => {
        if (hasOwnPane(each)) pane += 1;
        return new Drawing(made, each, {
          lines: new Lines(each),
          pane: hasOwnPane(each) ? pane : 0,
        });
      });
      let drawn: readonly Candle[] = [];
      const draw = (): void => {
        const { candles } = store.getState();
        if (candles === drawn) return;
        const changed = drawn.length === 0 ? undefined : changedEnd(drawn, candles);
        drawn = candles;
        for (const each of drawings) each.draw(candles, changed);
      };
      draw();
      const stop = onFrame(store, draw);
      leave = () => {
        stop();
        if (!made.isGone()) for (const each of drawings) each.remove();
      };
    };
    void begin();
    return () => {
      isLeft = true;
      leave?.();
    };
  }, [made, store, indicators]);
}

/** The pane with the candles is this many times as high as each pane below it. */
const PRICES_SHARE = 3;

class Drawing {
  readonly #made: PriceChart;
  readonly #indicator: Indicator;
  readonly #lines: IndicatorLines;
  readonly #pane: number;
  readonly #series = new Map<string, ISeriesApi<'Line'>>();

  constructor(
    made: PriceChart,
    indicator: Indicator,
    { lines, pane }: { readonly lines: IndicatorLines; readonly pane: number },
  ) {
    this.#made = made;
    this.#indicator = indicator;
    this.#lines = lines;
    this.#pane = pane;
  }

  draw(candles: readonly Candle[], changed: readonly Candle[] | undefined): void {
    if (changed === undefined) {
      for (const line of this.#lines.all(candles)) this.#of(line).setData(line.points.map(pointOf));
      return;
    }
    for (const line of this.#lines.end(changed)) {
      for (const point of line.points) this.#of(line).update(pointOf(point));
    }
  }

  #of({ name }: IndicatorLine): ISeriesApi<'Line'> {
    const known = this.#series.get(name);
    if (known !== undefined) return known;
    const { colour, kind } = this.#indicator;
    const isBand = ['upper', 'middle', 'lower'].includes(name);
    const isDots = kind === 'psar';
    const series = this.#made.chart.addSeries(
      LineSeries,
      {
        color: plotColour(isBand ? colour : colour + this.#series.size),
        lineWidth: 1,
        lineStyle: name === 'middle' ? LineStyle.Dashed : LineStyle.Solid,
        lineVisible: !isDots,
        pointMarkersVisible: isDots,
        priceLineVisible: false,
        crosshairMarkerVisible: false,
        lastValueVisible: this.#pane > 0,
        ...(optionsOf(kind).pane === 'price' ? { autoscaleInfoProvider: () => null } : {}),
      },
      this.#pane,
    );
    this.#made.chart.panes()[0]?.setStretchFactor(PRICES_SHARE);
    this.#series.set(name, series);
    return series;
  }

  remove(): void {
    for (const series of this.#series.values()) this.#made.chart.removeSeries(series);
  }
}

function pointOf({ timeMs, value }: IndicatorLine['points'][number]) {
  return { time: secondsOf(timeMs), value };
}
