import { useMemo, useState } from 'react';
import type uPlot from 'uplot';
import { toPixels } from '../../lib/decimal.ts';
import { compact, money } from '../../lib/format.ts';
import { dateTimeSecond } from '../../lib/time.ts';
import { useWords } from '../../lib/words.ts';
import { usePlot } from '../../ui/use-plot.ts';
import type { CurvePoint } from './money-steps.ts';

export type CurveKind = 'equity' | 'pnl';

const LINES = [{ colour: 'var(--accent)', isFilled: true }] as const;

/** The value of the account over time, or what it won. */
export function Curve({
  points,
  kind,
}: {
  readonly points: readonly CurvePoint[];
  readonly kind: CurveKind;
}) {
  const t = useWords();
  const [at, setAt] = useState<number | null>(null);
  const data = useMemo<uPlot.AlignedData>(
    () => [
      points.map(({ time }) => time / 1_000),
      points.map((point) => toPixels(valueOf(point, kind))),
    ],
    [points, kind],
  );
  const options = useMemo(
    () => ({ lines: LINES, bounds: spread, label: amountLabel, onPoint: setAt }),
    [],
  );
  const { hasFailed, target } = usePlot('curve', options, data);
  const shown = at === null ? undefined : points[at];
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
        <p className="pointer-events-none absolute top-1 left-4 text-12 text-muted tabular-nums">
          {dateTimeSecond(shown.time)}{' '}
          <span className="text-text">
            {money(valueOf(shown, kind), { isSigned: kind === 'pnl' })}
          </span>
        </p>
      )}
    </div>
  );
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
