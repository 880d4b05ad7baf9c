import { LineSeries, type ISeriesApi } from 'lightweight-charts';
import { useEffect } from 'react';
import type { StoreApi } from 'zustand/vanilla';
import type { Candle } from '@oddlot/sdk';
import { onFrame } from '../../../market/frame.ts';
import type { indicatorLines } from './indicator-lines.ts';
import { hasOwnPane, type Indicator } from './indicators.ts';
import { secondsOf, type PriceChart } from './make-chart.ts';

type Candles = { readonly candles: readonly Candle[] };

export function useIndicators(
  made: PriceChart | undefined,
  store: StoreApi<Candles>,
  kinds: readonly Indicator[],
): void {
  const chosen = kinds.join(' ');
  useEffect(() => {
    if (made === undefined || chosen === '') return undefined;
    let leave: (() => void) | undefined;
    let isLeft = false;
    const begin = async (): Promise<void> => {
      const { indicatorLines: linesOf } = await import('./indicator-lines.ts');
      if (isLeft) return;
      const drawing = new Drawing(made, chosen.split(' ') as Indicator[], linesOf);
      const draw = (): void => drawing.draw(store.getState().candles);
      draw();
      const stop = onFrame(store, draw);
      leave = () => {
        stop();
        drawing.remove();
      };
    };
    void begin();
    return () => {
      isLeft = true;
      leave?.();
    };
  }, [made, store, chosen]);
}

type Lines = typeof indicatorLines;

/** The height of the candles, where that of another pane is one. */
const PRICES_SHARE = 3;

class Drawing {
  readonly #made: PriceChart;
  readonly #kinds: readonly Indicator[];
  readonly #linesOf: Lines;
  readonly #series = new Map<string, ISeriesApi<'Line'>>();
  #drawn: readonly Candle[] | undefined;

  constructor(made: PriceChart, kinds: readonly Indicator[], linesOf: Lines) {
    this.#made = made;
    this.#kinds = kinds;
    this.#linesOf = linesOf;
  }

  draw(candles: readonly Candle[]): void {
    if (candles === this.#drawn) return;
    this.#drawn = candles;
    let pane = 0;
    for (const kind of this.#kinds) {
      if (hasOwnPane(kind)) pane += 1;
      for (const { name, points } of this.#linesOf(kind, candles)) {
        const series = this.#of(name, hasOwnPane(kind) ? pane : 0);
        series.setData(points.map(({ timeMs, value }) => ({ time: secondsOf(timeMs), value })));
      }
    }
  }

  #of(name: string, pane: number): ISeriesApi<'Line'> {
    const known = this.#series.get(name);
    if (known !== undefined) return known;
    const made = this.#made.chart.addSeries(
      LineSeries,
      {
        color: plotColour(this.#series.size),
        lineWidth: 1,
        title: name,
        priceLineVisible: false,
        crosshairMarkerVisible: false,
        // Prices alone decide how the chart is scaled.
        ...(pane === 0 ? { autoscaleInfoProvider: () => null } : {}),
      },
      pane,
    );
    // The candles keep the larger part, whatever stands under them.
    this.#made.chart.panes()[0]?.setStretchFactor(PRICES_SHARE);
    this.#series.set(name, made);
    return made;
  }

  /** With the last line of a pane the pane goes too. */
  remove(): void {
    if (this.#made.isGone()) return;
    for (const series of this.#series.values()) this.#made.chart.removeSeries(series);
  }
}

const PLOT_COLOURS = 6;

function plotColour(at: number): string {
  const style = getComputedStyle(document.documentElement);
  return style.getPropertyValue(`--plot-${1 + (at % PLOT_COLOURS)}`).trim();
}
