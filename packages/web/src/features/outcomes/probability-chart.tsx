import type { OutcomeEventMeta, OutcomeMarketMeta, OutcomeProbability, Ticker } from '@oddlot/sdk';
import { useMemo, useState } from 'react';
import type { AlignedData } from 'uplot';
import { isDecimal, toPixels } from '../../lib/decimal.ts';
import { dateTime, percent, probability } from '../../lib/format.ts';
import { useWords } from '../../lib/words.ts';
import { DEFAULT_MARK, isMarketPrice } from '../../market/streams.ts';
import { venueNow } from '../../market/venue.ts';
import { Segmented } from '../../ui/controls.tsx';
import { usePlot } from '../../ui/use-plot.ts';
import { markOf, nameOf, plotColour, wasNeverTraded } from './market-facts.ts';
import { RANGES, useProbabilities, type Range } from './queries.ts';

const LINES_MAX = 6;
const QUARTER = 25;

export type ProbabilityChartProps = {
  readonly event: OutcomeEventMeta;
  readonly markets: readonly OutcomeMarketMeta[];
  readonly byId: ReadonlyMap<number, Ticker>;
  readonly range: Range;
  readonly onRange: (range: Range) => void;
};

export function ProbabilityChart({
  event,
  markets: all,
  byId,
  range,
  onRange,
}: ProbabilityChartProps) {
  const t = useWords();
  const [place, setPlace] = useState<number | null>(null);
  const markets = all.slice(0, LINES_MAX);
  const ids = markets.map(({ instrument_id: id }) => id);
  const { data } = useProbabilities(ids, range, event.start_time);
  const marks = markets.map((market) => markOf(market, byId));
  const isLive = event.status === 'open';
  const unpriced = markets
    .filter((market) => !isMarketPrice(DEFAULT_MARK, market))
    .map(({ instrument_id: id }) => id);
  const lines = useMemo(
    () => linesOf(data, { ids, unpriced }, isLive ? marks : []),
    // The joined texts stand in for the lists, which are new objects on every render.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [data, ids.join(), unpriced.join(), marks.join(), isLive],
  );
  const options = useMemo(
    () => ({
      lines: ids.map((_, at) => ({ colour: plotColour(at) })),
      bounds: boundsOf,
      label: (value: number) => percent(String(Math.round(value) / 100), { decimals: 0 }),
      ticks: (_: number, high: number) => quartersTo(high),
      onPoint: setPlace,
    }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [ids.join()],
  );
  const { hasFailed, target } = usePlot(ids.join(), options, lines);
  return (
    <section aria-label={t('outcomes.chart.label')}>
      <div className="flex min-h-8 flex-wrap items-center gap-x-5 gap-y-1">
        <Legend event={event} markets={markets} marks={marks} lines={lines} place={place} />
        <Segmented
          label={t('outcomes.chart.range')}
          size="small"
          value={range}
          onChange={onRange}
          segments={(Object.keys(RANGES) as Range[]).map((value) => ({
            value,
            label: value === 'All' ? t('outcomes.chart.all') : value,
          }))}
        />
      </div>
      <div
        ref={target}
        role="img"
        aria-label={t('outcomes.chart.picture')}
        className="relative h-52 overflow-hidden tablet:h-64"
      >
        {(hasFailed || !hasLine(lines)) && <NoLine hasFailed={hasFailed} markets={markets} />}
      </div>
    </section>
  );
}

type NoLineProps = { readonly hasFailed: boolean; readonly markets: readonly OutcomeMarketMeta[] };

function NoLine({ hasFailed, markets }: NoLineProps) {
  const t = useWords();
  const why = markets.every(wasNeverTraded) ? 'outcomes.activity.never' : 'outcomes.chart.none';
  return (
    <p className="absolute inset-0 z-10 flex items-center justify-center bg-panel text-12 text-muted">
      {t(hasFailed ? 'outcomes.chart.failed' : why)}
    </p>
  );
}

type LegendProps = {
  readonly event: OutcomeEventMeta;
  readonly markets: readonly OutcomeMarketMeta[];
  readonly marks: readonly (string | undefined)[];
  readonly lines: AlignedData;
  readonly place: number | null;
};

function Legend({ event, markets, marks, lines, place }: LegendProps) {
  const time = place === null ? undefined : lines[0][place];
  return (
    <ul className="flex min-w-0 flex-1 flex-wrap gap-x-5 gap-y-1 text-13 max-tablet:basis-full">
      {markets.map((market, at) => (
        <li key={market.instrument_id} className="flex min-w-0 items-center gap-2">
          <span
            aria-hidden="true"
            className="size-2 shrink-0 rounded-[1px]"
            style={{ background: plotColour(at) }}
          />
          {markets.length > 1 && <span className="max-w-48 truncate">{nameOf(market, event)}</span>}
          {markets.length === 1 && <span>{market.outcomes[0]}</span>}
          <span className="w-11 font-semibold">
            {shownChance(lines[at + 1]?.[place ?? -1], marks[at])}
          </span>
        </li>
      ))}
      {time !== undefined && <li className="text-muted">{dateTime(time * 1_000)}</li>}
    </ul>
  );
}

function shownChance(pointed: number | null | undefined, now: string | undefined): string {
  if (typeof pointed !== 'number') return probability(now);
  return probability((pointed / 100).toFixed(4));
}

function linesOf(
  data: OutcomeProbability | undefined,
  { ids, unpriced }: { readonly ids: readonly number[]; readonly unpriced: readonly number[] },
  marks: readonly (string | undefined)[],
): AlignedData {
  const points = ids.map((id) => {
    const known = data?.series.find(({ instrumentId }) => instrumentId === id)?.points ?? [];
    return begun(known, unpriced.includes(id));
  });
  const times = new Set(points.flatMap((series) => series.map(({ t }) => t)));
  const nowMs = venueNow();
  if (times.size > 0 && marks.length > 0) times.add(nowMs);
  const sorted = [...times].sort((a, b) => a - b);
  const lines = points.map((series, at) => {
    const byTime = new Map(series.map(({ p, t }) => [t, p]));
    const mark = marks[at];
    if (isDecimal(mark)) byTime.set(nowMs, mark);
    let last: number | null = null;
    return sorted.map((time) => {
      const p = byTime.get(time);
      if (p !== undefined) last = toPixels(p) * 100;
      return last;
    });
  });
  return [sorted.map((time) => time / 1_000), ...lines];
}

/**
 * Returns the points from the first quote or trade onwards. Before that, the venue reports a
 * probability of 0.5.
 */
function begun<Point extends { readonly p: string }>(
  points: readonly Point[],
  isUnpriced: boolean,
): readonly Point[] {
  const first = points.findIndex(({ p }) => p !== DEFAULT_MARK);
  if (first < 0) return isUnpriced ? [] : points;
  return points.slice(first);
}

const LINE_MIN_S = 30;

function hasLine([times]: AlignedData): boolean {
  return (times.at(-1) ?? 0) - (times[0] ?? 0) >= LINE_MIN_S;
}

function boundsOf(_: number, high: number): [number, number] {
  return [0, Math.min(100, Math.ceil((high + 4) / QUARTER) * QUARTER)];
}

function quartersTo(high: number): number[] {
  const count = Math.floor(high / QUARTER) + 1;
  return Array.from({ length: count }, (_, at) => at * QUARTER);
}
