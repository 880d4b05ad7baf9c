import type { FundingHistoryRow } from '@oddlot/sdk';
import { createChart, HistogramSeries } from 'lightweight-charts';
import { useEffect, useRef } from 'react';
import { multiply, sign, toPixels } from '../../../lib/decimal.ts';
import { percent } from '../../../lib/format.ts';
import { inNextFrame } from '../../../market/frame.ts';
import { FONT, palette } from '../../../ui/canvas.ts';
import { preferences } from '../../../ui/preferences.ts';
import { crosshair, localization, secondsOf } from './make-chart.ts';

type FundingChartProps = { readonly rows: readonly FundingHistoryRow[]; readonly label: string };

export function FundingChart({ rows, label }: FundingChartProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (place.current === null) return undefined;
    const chart = createChart(place.current, {
      autoSize: true,
      layout: { attributionLogo: false },
      handleScale: false,
      handleScroll: false,
    });
    const bars = chart.addSeries(HistogramSeries, {
      base: 0,
      priceFormat: { type: 'custom', minMove: 0.00001, formatter: shown },
      lastValueVisible: false,
      priceLineVisible: false,
    });
    const draw = (): void => {
      const { accent, line, muted, panel, raised, warning } = palette();
      chart.applyOptions({
        layout: { background: { color: panel }, textColor: muted, fontFamily: FONT, fontSize: 11 },
        grid: { vertLines: { visible: false }, horzLines: { color: raised } },
        rightPriceScale: { borderVisible: false },
        timeScale: { borderColor: line, timeVisible: true, maxBarSpacing: 24 },
        crosshair: crosshair(),
        localization: localization(),
      });
      bars.setData(
        rows.map(({ fundingRate, time }) => ({
          time: secondsOf(time),
          value: toPixels(multiply(fundingRate, '100')),
          color: sign(fundingRate) < 0 ? warning : accent,
        })),
      );
    };
    draw();
    chart.timeScale().fitContent();
    const leave = preferences.subscribe(() => inNextFrame(draw));
    return () => {
      leave();
      chart.remove();
    };
  }, [rows]);
  return <div ref={place} role="img" aria-label={label} className="h-full w-full" />;
}

function shown(value: number): string {
  return percent((value / 100).toFixed(9), { decimals: 5 });
}
