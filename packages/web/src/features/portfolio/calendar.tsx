import { useMemo, useState } from 'react';
import { add, compare, larger, magnitude, multiply, sign } from '../../lib/decimal.ts';
import { compact, dateFormatter, dayOf, money } from '../../lib/format.ts';
import { useWords } from '../../lib/words.ts';
import { venueNow } from '../../market/venue.ts';
import { Money } from '../../ui/figures.tsx';
import { classes } from '../../ui/styles.ts';
import { DAY_MS, type Day } from './by-day.ts';

/** Shows the daily results of one month in UTC. Larger results have stronger colours. */
export function Calendar({ days }: { readonly days: readonly Day[] }) {
  const t = useWords();
  const nowMs = venueNow();
  const [back, setBack] = useState(0);
  const startMs = monthStart(nowMs, -back);
  const endMs = monthStart(nowMs, 1 - back);
  const byTime = useMemo(() => new Map(days.map((day) => [day.time, day])), [days]);
  const shown = days.filter(({ time }) => time >= startMs && time < endMs);
  const total = shown.reduce((sum, { pnl }) => add(sum, pnl), '0');
  const largest = shown.reduce((most, { pnl }) => larger(most, magnitude(pnl)), '0');
  const hasEarlier = (days.at(-1)?.time ?? startMs) < startMs;
  const name = dateFormatter({ month: 'long', year: 'numeric', timeZone: 'UTC' }).format(startMs);
  const weeks = weeksOf(startMs, endMs);
  return (
    <div className="flex min-h-0 flex-1 flex-col px-4 pb-2">
      <div className="flex h-8 shrink-0 items-center gap-2 text-12">
        <Step
          label={t('portfolio.days.before')}
          isOn={hasEarlier}
          onPress={() => setBack(back + 1)}
        >
          ‹
        </Step>
        <span className="min-w-28 text-center font-medium">{name}</span>
        <Step label={t('portfolio.days.after')} isOn={back > 0} onPress={() => setBack(back - 1)}>
          ›
        </Step>
        <span className="ms-auto text-muted" title={t('portfolio.daysSumTitle')}>
          {t('portfolio.days.month')} <Money value={total} isSigned isColoured />
        </span>
      </div>
      <table className="w-full flex-1 table-fixed border-separate border-spacing-0.5">
        <caption className="visually-hidden">{t('portfolio.days.of', { month: name })}</caption>
        <thead>
          <tr className="text-11 text-muted">
            {(weeks[0] ?? []).map((time) => (
              <th key={time} scope="col" className="font-normal">
                {dateFormatter({ weekday: 'short', timeZone: 'UTC' }).format(time)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week[0]}>
              {week.map((time) => (
                <DayCell
                  key={time}
                  time={time}
                  day={byTime.get(time)}
                  largest={largest}
                  isOutside={time < startMs || time >= endMs}
                  isToday={time <= nowMs && nowMs < time + DAY_MS}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type StepProps = Readonly<{ label: string; isOn: boolean; onPress: () => void; children: string }>;

function Step({ label, isOn, onPress, children }: StepProps) {
  return (
    <button
      type="button"
      aria-label={label}
      disabled={!isOn}
      onClick={onPress}
      className="size-6 rounded text-15 text-muted hover:bg-raised hover:text-text disabled:opacity-40"
    >
      {children}
    </button>
  );
}

type DayCellProps = {
  readonly time: number;
  readonly day: Day | undefined;
  readonly largest: string;
  readonly isOutside: boolean;
  readonly isToday: boolean;
};

function DayCell({ day, isOutside, isToday, largest, time }: DayCellProps) {
  const t = useWords();
  if (isOutside) return <td />;
  const direction = day === undefined ? 0 : sign(day.pnl);
  const isLarge = day !== undefined && compare(multiply(magnitude(day.pnl), '2'), largest) >= 0;
  return (
    <td
      aria-current={isToday ? 'date' : undefined}
      title={day && titleOf(day)}
      className={classes(
        'h-7.5 rounded px-1 align-top text-11 leading-3.75 tabular-nums',
        direction === 0 && 'bg-raised/50',
        direction > 0 && (isLarge ? 'bg-buy/25' : 'bg-buy/12'),
        direction < 0 && (isLarge ? 'bg-sell/25' : 'bg-sell/12'),
        isToday && 'outline outline-accent/60',
      )}
    >
      {/* Muted text has too little contrast on the strong colours of results. */}
      <span className={classes('block', direction === 0 && 'text-muted')}>
        {new Date(time).getUTCDate()}
      </span>
      <span
        className={classes(
          'block truncate text-end',
          direction > 0 && 'text-buy-strong',
          direction < 0 && 'text-sell-strong',
        )}
      >
        {day !== undefined && direction !== 0 && inShort(day.pnl)}
      </span>
    </td>
  );

  function titleOf({ fees, pnl, volume }: Day): string {
    const sums = { pnl: money(pnl, { isSigned: true }), volume: money(volume), fees: money(fees) };
    return t('portfolio.days.title', { day: dayOf(time), ...sums });
  }
}

const WHOLE_FROM = '1000';
const SHORT_FROM = '100000';

/** Formats a result in at most eight characters, so that it fits in a cell on a phone. */
function inShort(pnl: string): string {
  const size = magnitude(pnl);
  const signed = { isSigned: true };
  if (compare(size, WHOLE_FROM) < 0) return money(pnl, signed);
  if (compare(size, SHORT_FROM) < 0) return money(pnl, { ...signed, decimals: 0 });
  return `${sign(pnl) > 0 ? '+' : '−'}${compact(size)}`;
}

/** Returns the start, in UTC, of the month that is `months` after the month of the given time. */
function monthStart(ms: number, months: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months);
}

const WEEK_DAYS = 7;

/** Returns the days of all weeks that overlap the month. Weeks start on Monday. */
export function weeksOf(startMs: number, endMs: number): readonly (readonly number[])[] {
  const sinceMonday = (new Date(startMs).getUTCDay() + 6) % WEEK_DAYS;
  const weeks: number[][] = [];
  for (let ms = startMs - sinceMonday * DAY_MS; ms < endMs; ms += WEEK_DAYS * DAY_MS) {
    weeks.push(Array.from({ length: WEEK_DAYS }, (_, at) => ms + at * DAY_MS));
  }
  return weeks;
}
