import { useMemo } from 'react';
import { csvOf, saveFile } from '../../lib/browser.ts';
import { add } from '../../lib/decimal.ts';
import { dateTime, dayOf } from '../../lib/format.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { Segmented } from '../../ui/controls.tsx';
import { Money } from '../../ui/figures.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { byDay, DAY_MS, isEventful, type Day } from './by-day.ts';
import { Calendar } from './calendar.tsx';
import { usePortfolio } from './use-portfolio.ts';

const EVERY_MS = 60_000;
const VIEWS = ['calendar', 'table'] as const;

type DaysProps = {
  readonly user: string;
  readonly chosen: unknown;
  readonly onChoose: (view: string) => void;
};

export function Days({ user, chosen, onChoose }: DaysProps) {
  const t = useWords();
  const { data, days, sinceMs } = useDays(user);
  const columns = useMemo(() => columnsOf(t), [t]);
  const view = VIEWS.find((each) => each === chosen) ?? 'calendar';
  const sum = days.reduce((total, { pnl }) => add(total, pnl), '0');
  return (
    <section
      aria-labelledby="days"
      className="flex min-w-0 flex-col border-line max-desktop:border-t desktop:h-[292px] desktop:border-s"
    >
      <div className="flex h-9 shrink-0 items-center border-b border-line px-4">
        <h2 id="days" className="text-13 font-medium whitespace-nowrap">
          {t('portfolio.byDay')}
        </h2>
        {days.length > 0 && view === 'table' && (
          <p
            className="ms-4 truncate text-12 text-muted max-tablet:hidden"
            title={t('portfolio.daysSumTitle')}
          >
            {sinceMs === undefined
              ? t('portfolio.pnl')
              : t('portfolio.daysSumSince', { time: dateTime(sinceMs) })}{' '}
            <Money value={sum} isSigned isColoured />
          </p>
        )}
        <span className="ms-auto flex items-center gap-3">
          <Segmented
            label={t('portfolio.byDay')}
            size="small"
            value={view}
            onChange={onChoose}
            segments={VIEWS.map((value) => ({ value, label: t(`portfolio.days.${value}`) }))}
          />
          <button
            type="button"
            aria-label={t('portfolio.csvOf', { name: t('portfolio.byDay') })}
            className="-my-2 py-2 text-12 text-muted hover:text-text"
            onClick={() => saveFile('days.csv', csvOf(days.map(withDate)))}
          >
            {t('portfolio.csv')}
          </button>
        </span>
      </div>
      {view === 'calendar' ? (
        <Calendar days={days} />
      ) : (
        <div className="min-h-0 max-desktop:max-h-72 max-desktop:overflow-auto">
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
        </div>
      )}
    </section>
  );
}

/**
 * Returns all days of an account. The points of a very old account are more than a day apart, so
 * only its last month has daily values.
 */
function useDays(user: string) {
  const whole = usePortfolio(user, 'all', EVERY_MS);
  const [first, second] = whole.points;
  const isDaily = first === undefined || second === undefined || second.time - first.time <= DAY_MS;
  const { data, known, points } = usePortfolio(user, isDaily ? 'all' : 'month', EVERY_MS);
  const days = useMemo(() => byDay(points).filter(isEventful), [points]);
  return { data, days, sinceMs: known.sinceMs };
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
