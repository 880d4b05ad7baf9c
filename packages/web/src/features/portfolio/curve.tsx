import type { PortfolioPoint } from '@oddlot/sdk';
import { useEffect, useRef, useState } from 'react';
import { toPixels } from '../../lib/decimal.ts';
import { money } from '../../lib/format.ts';
import { mendLanguage } from '../../lib/locale.ts';
import { dateTime } from '../../lib/time.ts';
import { useWords } from '../../lib/words.ts';
import { preferences } from '../../ui/preferences.ts';
import type { CurveChart } from './curve-chart.ts';

export type CurveKind = 'equity' | 'pnl';

/** The value of the account over time, or what it won. */
export function Curve({
  points,
  kind,
}: {
  readonly points: readonly PortfolioPoint[];
  readonly kind: CurveKind;
}) {
  const t = useWords();
  const frame = useRef<HTMLDivElement>(null);
  const chart = useRef<CurveChart | undefined>(undefined);
  const latest = useRef({ points, kind });
  const [at, setAt] = useState<number>();
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    let isGone = false;
    const begin = async (): Promise<void> => {
      mendLanguage();
      const { curveChart } = await import('./curve-chart.ts');
      if (!isGone) chart.current = curveChart(element, dataOf(latest.current), setAt);
    };
    void begin();
    const sizes = new ResizeObserver(() =>
      chart.current?.resize(element.clientWidth, element.clientHeight),
    );
    sizes.observe(element);
    // The colours change with the document, one step after the choice.
    const leave = preferences.subscribe(() => queueMicrotask(() => chart.current?.recolour()));
    return () => {
      isGone = true;
      leave();
      sizes.disconnect();
      chart.current?.destroy();
      chart.current = undefined;
    };
  }, []);
  useEffect(() => {
    latest.current = { points, kind };
    chart.current?.set(dataOf({ points, kind }));
  }, [points, kind]);
  const shown = at === undefined ? undefined : points[at];
  const last = points.at(-1);
  return (
    <div className="relative h-full min-h-0">
      <div
        ref={frame}
        role="img"
        aria-label={t('portfolio.curveOf', {
          what: t(`portfolio.${kind}`),
          value: money(last && valueOf(last, kind)),
        })}
        className="absolute inset-0"
      />
      {shown !== undefined && (
        <p className="pointer-events-none absolute top-1 left-4 text-12 text-muted tabular-nums">
          {dateTime(shown.time)}{' '}
          <span className="text-text">
            {money(valueOf(shown, kind), { isSigned: kind === 'pnl' })}
          </span>
        </p>
      )}
    </div>
  );
}

function valueOf(point: PortfolioPoint, kind: CurveKind): string {
  return kind === 'equity' ? point.accountValue : point.pnl;
}

function dataOf({
  points,
  kind,
}: {
  readonly points: readonly PortfolioPoint[];
  readonly kind: CurveKind;
}) {
  return {
    times: points.map(({ time }) => time),
    values: points.map((point) => toPixels(valueOf(point, kind))),
  };
}
