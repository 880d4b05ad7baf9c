import { useMemo, useState } from 'react';
import type uPlot from 'uplot';
import { toPixels } from '../../lib/decimal.ts';
import { compact, money } from '../../lib/format.ts';
import { dateTimeSecond } from '../../lib/time.ts';
import { useWords } from '../../lib/words.ts';
import { usePlot } from '../../ui/use-plot.ts';
import type { CurvePoint } from './use-portfolio.ts';
import type { PastPrice } from '../../market/past-prices.ts';

type CurveKind = 'equity' | 'pnl';

const SPAN_MS_MIN = 10 * 60 * 1_000;
/** Less than this is a point rather than a curve. */
const YOUNG_MS_MIN = 60_000;
const OWN = { colour: 'var(--accent)', isFilled: true } as const;
const BESIDE = { colour: 'var(--muted)', isDotted: true, isBroken: true } as const;
const NOTHING_BESIDE: Beside = [];

/** The value of the account over time, or what it won. */
export function Curve({
  points,
  kind,
  beside = NOTHING_BESIDE,
}: {
  readonly points: readonly CurvePoint[];
  readonly kind: CurveKind;
  /** Drawn to the left of it, dotted. */
  readonly beside?: Beside;
}) {
  const t = useWords();
  const [at, setAt] = useState<number | null>(null);
  // A young account has a curve of seconds: there is as much room before it, which a stroke at the edge would not fill.
  const endMs = points.at(-1)?.time ?? 0;
  const ageMs = endMs - (points[0]?.time ?? endMs);
  const startMs = endMs - Math.min(SPAN_MS_MIN, Math.max(YOUNG_MS_MIN, 2 * ageMs));
  const hasBeside = beside.length > 0;
  const isYoung = !hasBeside && points.length > 0 && points[0]!.time > startMs;
  const data = useMemo(
    () => drawnOf(points, kind, { beside, startMs: isYoung ? startMs : undefined }),
    [points, kind, isYoung, startMs, beside],
  );
  const options = useMemo(
    () => ({
      lines: hasBeside ? [OWN, BESIDE] : [OWN],
      bounds: spread,
      label: amountLabel,
      onPoint: setAt,
    }),
    [hasBeside],
  );
  const { hasFailed, target } = usePlot(hasBeside ? 'beside' : 'curve', options, data);
  const before = isYoung ? 1 : beside.length;
  const shown = at === null ? undefined : points[at - before];
  const last = points.at(-1);
  return (
    <div className="relative h-full min-h-0">
      <div
        ref={target}
        role="img"
        aria-label={t('portfolio.curveOf', {
          what: t(`portfolio.${kind}`),
          value: money(last && valueOf(last, kind)),
        })}
        className="absolute inset-0 overflow-hidden"
      />
      {hasFailed && (
        <p className="absolute inset-0 flex items-center justify-center text-12 text-muted">
          {t('portfolio.curveFailed')}
        </p>
      )}
      {shown !== undefined && (
        <p className="pointer-events-none absolute top-1 start-4 text-12 text-muted tabular-nums">
          {dateTimeSecond(shown.time)}{' '}
          <span className="text-text">
            {money(valueOf(shown, kind), { isSigned: kind === 'pnl' })}
          </span>
        </p>
      )}
    </div>
  );
}

/** Before the first point stands something else, or some empty room. */
function drawnOf(
  points: readonly CurvePoint[],
  kind: CurveKind,
  { beside, startMs }: { readonly beside: Beside; readonly startMs: number | undefined },
): uPlot.AlignedData {
  const values = points.map((point) => toPixels(valueOf(point, kind)));
  const seconds = points.map(({ time }) => time / 1_000);
  if (startMs !== undefined) {
    return [
      [startMs / 1_000, ...seconds],
      [null, ...values],
    ];
  }
  if (beside.length === 0) return [seconds, values];
  return [
    [...beside.map(({ timeMs }) => timeMs / 1_000), ...seconds],
    [...beside.map(() => null), ...values],
    // Up to where the account begins.
    [...beside.map(({ value }) => value), values[0] ?? null, ...values.slice(1).map(() => null)],
  ];
}

function valueOf(point: CurvePoint, kind: CurveKind): string {
  return kind === 'equity' ? point.accountValue : point.pnl;
}

/** A line that never moved stands in the middle, not on the edge. */
function spread(low: number, high: number): [number, number] {
  const room = high === low ? Math.max(1, Math.abs(high) * 0.02) : (high - low) * 0.12;
  return [low - room, high + room];
}

const SHORT_FROM = 1_000_000;

function amountLabel(value: number, step: number): string {
  if (Math.abs(value) >= SHORT_FROM) return compact(value.toFixed(0));
  const decimals = step >= 1 || step === 0 ? 0 : step >= 0.1 ? 1 : 2;
  return money(value.toFixed(decimals), { decimals });
}

/** What stands to the left of a curve, in its own units. */
export type Beside = readonly { readonly timeMs: number; readonly value: number }[];

/**
 * What the money of the first point would have been worth in something else before the account began, so that a young
 * curve has something to stand beside. It ends where the account begins and is drawn, never counted.
 */
export function besideOf(
  past: readonly PastPrice[],
  first: CurvePoint | undefined,
  kind: 'equity' | 'pnl',
  startMs: number,
): Beside {
  const last = past.findLast(({ timeMs }) => first !== undefined && timeMs < first.time);
  if (first === undefined || last === undefined || last.value === 0) return [];
  const worth = toPixels(first.accountValue);
  const before = past.filter(({ timeMs }) => timeMs >= startMs && timeMs <= last.timeMs);
  return before.map(({ timeMs, value }) => {
    const held = (worth * value) / last.value;
    return { timeMs, value: kind === 'equity' ? held : held - worth };
  });
}

/** A curve that never moved tells nothing by itself. */
export function isFlat(points: readonly CurvePoint[]): boolean {
  return points.every(({ pnl }) => pnl === points[0]?.pnl);
}
