import type { OpenInterestRow } from '@oddlot/sdk';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type uPlot from 'uplot';
import { texts } from 'words:interest';
import { isDecimal, toPixels } from '../../lib/decimal.ts';
import { compact, dateTime, number } from '../../lib/format.ts';
import { addWords, useWords } from '../../lib/words.ts';
import { EmptyState } from '../../ui/states.tsx';
import { usePlot } from '../../ui/use-plot.ts';
import { reader, venueNow } from '../venue.ts';

addWords(texts);

const SHOWN_MS = 14 * 86_400_000;
const LINE_AGAIN_MS = 60_000;
const LINES = [{ colour: 'var(--accent)', isFilled: true }] as const;
const NO_ROWS: readonly OpenInterestRow[] = [];

export function InterestLine({
  coin,
  name,
  unit,
  decimals,
  held,
  mark,
  worthOf,
}: {
  readonly coin: string;
  readonly name: string;
  readonly unit: string;
  readonly decimals?: number | undefined;
  readonly held: string | undefined;
  readonly mark: string | undefined;
  readonly worthOf: (point: InterestPoint) => string;
}) {
  const t = useWords();
  const sizeText = (size: string | undefined) => `${number(size, { decimals })} ${unit}`;
  const { data } = useQuery({
    queryKey: ['openInterestHistory', coin],
    queryFn: ({ signal }) =>
      reader.info.openInterestHistory({ coin, startTime: venueNow() - SHOWN_MS }, { signal }),
    refetchInterval: LINE_AGAIN_MS,
  });
  const points = useMemo(
    () => withNow(data ?? NO_ROWS, { openInterest: held, markPx: mark }, venueNow()),
    [data, held, mark],
  );
  const [at, setAt] = useState<number | null>(null);
  const drawn = useMemo<uPlot.AlignedData>(
    () => [
      points.map(({ time }) => time / 1_000),
      points.map(({ openInterest }) => toPixels(openInterest)),
    ],
    [points],
  );
  const options = useMemo(() => ({ lines: LINES, bounds, label: amountLabel, onPoint: setAt }), []);
  const { hasFailed, target } = usePlot('interest', options, drawn);
  const shown = (at === null ? undefined : points[at]) ?? points.at(-1);
  if (data !== undefined && points.length < 2) {
    return (
      <EmptyState
        title={t('interest.none')}
        text={t('interest.noneText', { held: sizeText(held) })}
      />
    );
  }
  return (
    <div className="relative h-full">
      <div
        ref={target}
        role="img"
        aria-label={t('interest.of', { market: name, held: number(held, { decimals }) })}
        className="absolute inset-0 overflow-hidden"
      />
      {hasFailed && (
        <p className="absolute inset-0 flex items-center justify-center text-12 text-muted">
          {t('interest.notDrawn')}
        </p>
      )}
      {shown !== undefined && (
        <p className="pointer-events-none absolute start-4 top-1 text-12 text-muted tabular-nums">
          {dateTime(shown.time)} <span className="text-text">{sizeText(shown.openInterest)}</span>{' '}
          {t('interest.worth', { amount: compact(worthOf(shown)) })}
        </p>
      )}
    </div>
  );
}

function bounds(_low: number, high: number): [number, number] {
  return [0, high <= 0 ? 1 : high * 1.15];
}

function amountLabel(value: number, step: number): string {
  if (value >= 100_000) return compact(value.toFixed(0));
  const decimals = step >= 1 || step === 0 ? 0 : Math.min(6, Math.ceil(-Math.log10(step)));
  return number(value.toFixed(decimals), { decimals });
}

const NOW_AGAIN_MS = 10_000;

type OutcomeInterestProps = { readonly instrumentId: number; readonly name: string };

export function OutcomeInterest({ instrumentId, name }: OutcomeInterestProps) {
  const t = useWords();
  const { data } = useQuery({
    queryKey: ['outcomeAssetCtxs', instrumentId],
    queryFn: ({ signal }) =>
      reader.info.outcomeAssetCtxs({ instrumentIds: [instrumentId] }, { signal }),
    refetchInterval: NOW_AGAIN_MS,
  });
  const now = data?.[0];
  return (
    <InterestLine
      coin={String(instrumentId)}
      name={name}
      unit={t('interest.pairs')}
      held={now?.openInterest}
      mark={now?.markPx}
      worthOf={({ openInterest }) => openInterest}
    />
  );
}

type InterestPoint = Pick<OpenInterestRow, 'time' | 'openInterest' | 'markPx'>;

export function withNow(
  rows: readonly InterestPoint[],
  {
    markPx,
    openInterest,
  }: { readonly openInterest: string | undefined; readonly markPx: string | undefined },
  nowMs: number,
): readonly InterestPoint[] {
  if (!isDecimal(openInterest) || !isDecimal(markPx)) return rows;
  return [...rows.filter(({ time }) => time < nowMs), { time: nowMs, openInterest, markPx }];
}
