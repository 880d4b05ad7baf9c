import { useMemo } from 'react';
import type { OutcomeMarketMeta, OutcomeSeriesTimeline, OutcomeTimelineItem } from '@oddlot/sdk';
import type uPlot from 'uplot';
import { isDecimal, toPixels } from '../../lib/decimal.ts';
import { number } from '../../lib/format.ts';
import { useWords } from '../../lib/words.ts';
import { usePlot } from '../../ui/use-plot.ts';
import { lacksStrike } from './market-facts.ts';
import { useReference } from './use-reference.ts';
import { withGaps } from './with-gaps.ts';

/** The reference price against the strike, with the spans that are averaged in shade. */
export function SeriesChart({
  timeline,
  current,
  market,
}: {
  readonly timeline: OutcomeSeriesTimeline;
  readonly current: OutcomeTimelineItem;
  readonly market: OutcomeMarketMeta | undefined;
}) {
  const t = useWords();
  const seen = useReference(market, current);
  const { windowMs } = timeline;
  const strike = isDecimal(current.openPrice) ? toPixels(current.openPrice) : undefined;
  const { endTime, startTime } = current;
  const data = useMemo<uPlot.AlignedData>(() => {
    const points = [...withGaps(seen), { t: endTime, value: null }];
    return [points.map(({ t: at }) => at / 1_000), points.map(({ value }) => value)];
  }, [seen, endTime]);
  const options = useMemo(
    () => ({
      lines: [{ colour: 'var(--plot-1)', isBroken: true }],
      bounds: (low: number, high: number): [number, number] => boundsOf(low, high, strike),
      label: (value: number) => number(value.toFixed(2), { decimals: 2 }),
      behind: (plot: uPlot, colours: (name: string) => string) => {
        shade(plot, colours('var(--warning)'), startTime - windowMs, startTime);
        shade(plot, colours('var(--warning)'), endTime - windowMs, endTime);
        if (strike !== undefined) level(plot, colours('var(--text)'), strike);
      },
    }),
    [strike, startTime, endTime, windowMs],
  );
  const { hasFailed, target } = usePlot(
    `${current.instrumentId} ${seen.length < 2}`,
    options,
    data,
  );
  return (
    <section aria-label={t('outcomes.series.chart')}>
      <div
        ref={target}
        role="img"
        aria-label={t('outcomes.series.picture', { symbol: timeline.underlying })}
        className="relative h-52 overflow-hidden tablet:h-64"
      >
        {(hasFailed || seen.length < 2) && (
          <p className="absolute inset-0 z-10 flex items-center justify-center bg-panel text-12 text-muted">
            {t(hasFailed ? 'outcomes.chart.failed' : 'outcomes.series.noPrices')}
          </p>
        )}
      </div>
      <p className="mt-1 flex flex-wrap gap-x-5 text-12 text-muted">
        <span className="flex items-center gap-2">
          <span aria-hidden="true" className="w-4 border-t border-dashed border-text" />
          {t(strikeWords(strike, market))}
        </span>
        <span className="flex items-center gap-2">
          <span aria-hidden="true" className="h-3 w-4 bg-warning/20" />
          {t('outcomes.series.windows', { seconds: windowMs / 1_000 })}
        </span>
      </p>
    </section>
  );
}

function strikeWords(strike: number | undefined, market: OutcomeMarketMeta | undefined) {
  if (strike !== undefined) return 'outcomes.series.strike';
  const hasNone = market !== undefined && lacksStrike(market);
  return hasNone ? 'outcomes.series.strikeNever' : 'outcomes.series.strikeLater';
}

/** Room above and below, with the strike in sight. */
function boundsOf(low: number, high: number, strike: number | undefined): [number, number] {
  const [least, most] = [Math.min(low, strike ?? low), Math.max(high, strike ?? high)];
  const room = Math.max((most - least) * 0.15, most * 0.0001);
  return [least - room, most + room];
}

function shade(plot: uPlot, colour: string, fromMs: number, toMs: number): void {
  const { ctx } = plot;
  const { height, left, top, width } = plot.bbox;
  const from = Math.max(left, plot.valToPos(fromMs / 1_000, 'x', true));
  const to = Math.min(left + width, plot.valToPos(toMs / 1_000, 'x', true));
  if (to <= from) return;
  ctx.save();
  ctx.globalAlpha = 0.16;
  ctx.fillStyle = colour;
  ctx.fillRect(from, top, to - from, height);
  ctx.restore();
}

function level(plot: uPlot, colour: string, value: number): void {
  const { ctx } = plot;
  const { left, width } = plot.bbox;
  const y = Math.round(plot.valToPos(value, 'y', true)) + 0.5;
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.setLineDash([4, 4]);
  ctx.beginPath();
  ctx.moveTo(left, y);
  ctx.lineTo(left + width, y);
  ctx.stroke();
  ctx.restore();
}
