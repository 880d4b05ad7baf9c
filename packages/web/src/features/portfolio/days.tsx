import { useMemo } from 'react';
import { csvOf, saveFile } from '../../lib/csv.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { dateTime, dayOf } from '../../lib/time.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Money } from '../../ui/figure.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { usePortfolio } from './use-portfolio.ts';
import type { PortfolioPoint } from '@oddlot/sdk';
import { subtract } from '../../lib/decimal.ts';

const EVERY_MS = 60_000;

export function Days({ user }: { readonly user: string }) {
  const t = useWords();
  const { data, kept, now, points } = usePortfolio(user, 'month', EVERY_MS);
  const days = useMemo(() => byDay(points).filter(isEventful), [points]);
  const columns = useMemo(() => columnsOf(t), [t]);
  return (
    <section
      aria-labelledby="days"
      className="flex min-w-0 flex-col border-line max-desktop:max-h-80 max-desktop:border-t desktop:h-[292px] desktop:border-s"
    >
      <div className="flex h-9 shrink-0 items-center border-b border-line px-4">
        <h2 id="days" className="text-13 font-medium">
          {t('portfolio.byDay')}
        </h2>
        {days.length > 0 && (
          <p className="ms-4 text-12 text-muted" title={t('portfolio.daysSumTitle')}>
            {kept.sinceMs === undefined
              ? t('portfolio.daysSum')
              : t('portfolio.daysSumSince', { time: dateTime(kept.sinceMs) })}{' '}
            <Money value={now?.pnl} isSigned isColoured />
          </p>
        )}
        <button
          type="button"
          aria-label={t('portfolio.csvOf', { name: t('portfolio.byDay') })}
          className="-my-2 ms-auto py-2 text-12 text-muted hover:text-text"
          onClick={() => saveFile('days.csv', csvOf(days.map(withDate)))}
        >
          {t('portfolio.csv')}
        </button>
      </div>
      <Table
        label={t('portfolio.byDay')}
        columns={columns}
        rows={days}
        rowKey={({ time }) => time}
        empty={
          data !== undefined && (
            <EmptyState title={t('portfolio.noDays')} text={t('portfolio.noDaysText')} />
          )
        }
      />
    </section>
  );
}

function withDate({ time, ...rest }: Day): object {
  return { day: new Date(time).toISOString().slice(0, 10), ...rest };
}

function columnsOf(t: Words): readonly Column<Day>[] {
  const amount = (name: 'volume' | 'fees'): Column<Day> => ({
    id: name,
    header: t(`portfolio.${name}`),
    align: 'right',
    cell: (day) => <Money value={day[name]} />,
  });
  return [
    {
      id: 'day',
      header: t('portfolio.day'),
      width: '96px',
      tabletWidth: 'auto',
      phoneWidth: '84px',
      cell: ({ time }) => <span className="text-muted">{dayOf(time)}</span>,
    },
    {
      id: 'pnl',
      header: t('portfolio.pnl'),
      align: 'right',
      tabletWidth: '120px',
      cell: ({ pnl }) => <Money value={pnl} isSigned isColoured />,
    },
    { ...amount('volume'), tabletWidth: '140px' },
    { ...amount('fees'), width: '72px', phoneWidth: '64px' },
    {
      id: 'value',
      header: t('portfolio.value'),
      align: 'right',
      width: '112px',
      from: 'tablet',
      cell: ({ value }) => <Money value={value} />,
    },
  ];
}

/** What a day brought; sums are of that day alone. */
type Day = {
  /** Its beginning, in UTC. */
  readonly time: number;
  readonly pnl: string;
  readonly volume: string;
  readonly fees: string;
  readonly funding: string;
  readonly value: string;
};

const DAY_MS = 24 * 60 * 60 * 1_000;
const SUMS = ['pnl', 'volume', 'fees', 'funding'] as const;

/** Days out of the sums of a portfolio, newest first. Points stand on borders of days, among others. */
export function byDay(points: readonly PortfolioPoint[]): readonly Day[] {
  const days: Day[] = [];
  let start = points[0];
  let last = start;
  if (start === undefined || last === undefined) return [];
  const close = (from: PortfolioPoint, to: PortfolioPoint): void => {
    const [pnl, volume, fees, funding] = SUMS.map((name) => subtract(to[name], from[name]));
    days.unshift({
      time: Math.floor(from.time / DAY_MS) * DAY_MS,
      pnl: pnl!,
      volume: volume!,
      fees: fees!,
      funding: funding!,
      value: to.accountValue,
    });
  };
  for (const point of points.slice(1)) {
    last = point;
    if (Math.floor(point.time / DAY_MS) === Math.floor(start.time / DAY_MS)) continue;
    // The first point of the next day has all that the day brought, when it stands on the border.
    close(start, point);
    start = point;
  }
  if (last !== start) close(start, last);
  return days;
}

/** A month begins before most accounts do: days on which there was nothing are left out, and no sum with them. */
export function isEventful(day: Day): boolean {
  return day.value !== '0' || SUMS.some((name) => day[name] !== '0');
}
