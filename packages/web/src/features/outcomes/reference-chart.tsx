import type { OutcomeMarketMeta, OutcomeSeriesTimeline, OutcomeTimelineItem } from '@oddlot/sdk';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type uPlot from 'uplot';
import { isDecimal, toPixels } from '../../lib/decimal.ts';
import { number } from '../../lib/format.ts';
import { useWords } from '../../lib/words.ts';
import { channelOf, referencePrices } from '../../market/streams.ts';
import { reader, venueNow } from '../../market/venue.ts';
import { usePlot } from '../../ui/use-plot.ts';
import { lacksStrike } from './market-facts.ts';

export type Reference = {
  readonly timeline: Pick<OutcomeSeriesTimeline, 'underlying' | 'windowMs'>;
  readonly current: OutcomeTimelineItem;
  readonly market: OutcomeMarketMeta | undefined;
};

/** Shows the price of the underlying, and the windows whose averages decide the market (R-series). */
export function ReferenceChart({ timeline, current, market }: Reference) {
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

/** Prices arrive about once per second. A few late prices are not a gap. */
const GAP_MS_MIN = 10_000;
/**
 * Over long periods, the venue thins out the history evenly, so the limit grows with the usual
 * interval between prices.
 */
const GAP_TIMES = 4;

type Point = { readonly t: number; readonly value: number | null };

export function withGaps(seen: readonly Seen[]): readonly Point[] {
  const leastMs = Math.max(GAP_MS_MIN, GAP_TIMES * usualMs(seen));
  return seen.flatMap((point, at): Point[] => {
    const before = seen[at - 1];
    if (before === undefined || point.t - before.t < leastMs) return [point];
    return [{ t: before.t + 1, value: null }, point];
  });
}

function usualMs(seen: readonly Seen[]): number {
  const steps = seen.slice(1).map(({ t }, at) => t - (seen[at]?.t ?? t));
  return steps.sort((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0;
}

type Seen = { readonly t: number; readonly value: number };

const BEFORE_MS = 180_000;
const STALE_MS = 60_000;

export function useLastReference(market: OutcomeMarketMeta | undefined): number | undefined {
  return referencePrices.use(channelOf(market), ({ prices }) => prices.at(-1)?.value);
}

function useReference(
  market: OutcomeMarketMeta | undefined,
  { endTime, startTime }: OutcomeTimelineItem,
): readonly Seen[] {
  const live = referencePrices.use(channelOf(market), ({ prices }) => prices);
  const [fromMs] = useState(() => Math.min(startTime, venueNow()) - BEFORE_MS);
  const { symbol, source } = market?.underlying ?? {};
  const { data } = useQuery({
    queryKey: ['cryptoPriceHistory', symbol, source, fromMs],
    queryFn: ({ signal }) =>
      reader.info.cryptoPriceHistory(
        {
          symbol: symbol ?? '',
          source: source === 'spot' ? 'spot' : 'oracle',
          startTime: fromMs,
          endTime: Math.min(endTime, venueNow()),
        },
        { signal },
      ),
    enabled: symbol !== undefined,
    refetchInterval: STALE_MS,
  });
  const past = (data?.data ?? []).map(({ timestamp, value }) => ({
    t: timestamp,
    value: toPixels(value),
  }));
  const lastMs = past.at(-1)?.t ?? fromMs;
  const fresh = live
    .filter(({ timestamp }) => timestamp > lastMs && timestamp <= endTime)
    .map(({ timestamp, value }) => ({ t: timestamp, value }));
  return [...past, ...fresh];
}
