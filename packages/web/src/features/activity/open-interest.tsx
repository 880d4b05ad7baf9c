import { useQuery } from '@tanstack/react-query';
import type { OpenInterestRow, PerpMeta } from '@oddlot/sdk';
import { useMemo, useState } from 'react';
import type uPlot from 'uplot';
import { multiply, toPixels } from '../../lib/decimal.ts';
import { compact, number } from '../../lib/format.ts';
import { dateTime } from '../../lib/time.ts';
import { useWords } from '../../lib/words.ts';
import { contexts } from '../../market/contexts.ts';
import { usePerps } from '../../market/queries.ts';
import { reader, venueNow } from '../../market/venue.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Menu } from '../../ui/menu.tsx';
import { usePlot } from '../../ui/use-plot.ts';
import { Panel } from './panel.tsx';
import { withNow } from './with-now.ts';

const SHOWN_MS = 14 * 86_400_000;
const AGAIN_MS = 60_000;
const LINES = [{ colour: 'var(--accent)', isFilled: true }] as const;

/** What is held of a perp, hour by hour; the last point is now. */
export function OpenInterest({
  market,
  onLook,
}: {
  readonly market: unknown;
  readonly onLook: (change: Record<string, string>) => void;
}) {
  const t = useWords();
  const { data } = usePerps();
  const perps = data?.universe ?? [];
  const perp = perps.find(({ name }) => name === market) ?? perps[0];
  return (
    <Panel
      title={t('activity.interest')}
      aside={
        perp !== undefined && (
          <Menu
            trigger={
              <Button size="small">
                {perp.name} <span aria-hidden="true">▾</span>
              </Button>
            }
            items={perps.map(({ name }) => ({
              label: name,
              isChosen: name === perp.name,
              onSelect: () => onLook({ market: name }),
            }))}
          />
        )
      }
    >
      <div className="h-56">
        {perp === undefined ? (
          data !== undefined && <EmptyState title={t('markets.noPerps')} />
        ) : (
          <Line key={perp.index} perp={perp} />
        )}
      </div>
    </Panel>
  );
}

const NO_ROWS: readonly OpenInterestRow[] = [];

function Line({ perp }: { readonly perp: PerpMeta }) {
  const t = useWords();
  const coin = String(perp.index);
  const { data } = useQuery({
    queryKey: ['openInterestHistory', coin],
    queryFn: ({ signal }) =>
      reader.info.openInterestHistory({ coin, startTime: venueNow() - SHOWN_MS }, { signal }),
    refetchInterval: AGAIN_MS,
  });
  const held = contexts.use(coin, ({ ctx }) => ctx?.openInterest);
  const mark = contexts.use(coin, ({ ctx }) => ctx?.markPx);
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
        title={t('activity.noInterest')}
        text={t('activity.noInterestText', { held: `${number(held)} ${perp.baseCurrency}` })}
      />
    );
  }
  return (
    <div className="relative h-full">
      <div
        ref={target}
        role="img"
        aria-label={t('activity.interestOf', { market: perp.name, held: number(held) })}
        className="absolute inset-0 overflow-hidden"
      />
      {hasFailed && (
        <p className="absolute inset-0 flex items-center justify-center text-12 text-muted">
          {t('activity.notDrawn')}
        </p>
      )}
      {shown !== undefined && (
        <p className="pointer-events-none absolute start-4 top-1 text-12 text-muted tabular-nums">
          {dateTime(shown.time)}{' '}
          <span className="text-text">
            {number(shown.openInterest)} {perp.baseCurrency}
          </span>{' '}
          {t('activity.worth', { amount: compact(multiply(shown.openInterest, shown.markPx)) })}
        </p>
      )}
    </div>
  );
}

/** From nothing on: how much is held is told by the height. */
function bounds(_low: number, high: number): [number, number] {
  return [0, high <= 0 ? 1 : high * 1.15];
}

function amountLabel(value: number, step: number): string {
  if (value >= 100_000) return compact(value.toFixed(0));
  const decimals = step >= 1 || step === 0 ? 0 : Math.min(6, Math.ceil(-Math.log10(step)));
  return number(value.toFixed(decimals), { decimals });
}
