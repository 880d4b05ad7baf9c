import { dateTime, timeOrDay, wholeDate } from '../lib/time.ts';
import type { Column } from '../ui/table.tsx';
import { venueNow } from './venue.ts';
import { useEffect, useState } from 'react';

type TimeProps = {
  readonly ms: number;
  /** Where there is little room: there it is the time of day, or the day of what is older. */
  readonly short?: 'always' | 'onPhones' | 'never' | undefined;
  readonly write?: ((ms: number) => string) | undefined;
};

type TimeColumnOptions<Row> = Partial<Column<Row>> &
  Pick<TimeProps, 'short' | 'write'> & { readonly isSortable?: boolean | undefined };

/** When the thing in a row happened; a table says what differs, such as the width. */
export function timeColumn<Row>(
  header: string,
  of: (row: Row) => number,
  { isSortable = true, short, write, ...rest }: TimeColumnOptions<Row> = {},
): Column<Row> {
  return {
    id: 'time',
    header,
    width: '124px',
    compare: isSortable ? (left, right) => of(left) - of(right) : undefined,
    cell: (row) => <Time ms={of(row)} short={short} write={write} />,
    ...rest,
  };
}

export function Time({ ms, short = 'onPhones', write = dateTime }: TimeProps) {
  return (
    <time className="text-muted" dateTime={new Date(ms).toISOString()} title={wholeDate(ms)}>
      {short === 'never' && write(ms)}
      {short === 'always' && timeOrDay(ms, venueNow())}
      {short === 'onPhones' && (
        <>
          <span className="max-tablet:hidden">{write(ms)}</span>
          <span className="tablet:hidden">{timeOrDay(ms, venueNow())}</span>
        </>
      )}
    </time>
  );
}

const TICK_MS = 1_000;

/** The venue's time, told every second: for what counts down. What is read less often than it passes changes less often. */
export function useVenueSecond(read: (nowMs: number) => number = itself): number {
  const [shown, setShown] = useState(() => read(venueNow()));
  useEffect(() => {
    const timer = setInterval(() => setShown(read(venueNow())), TICK_MS);
    return () => clearInterval(timer);
  }, [read]);
  return shown;
}

function itself(nowMs: number): number {
  return nowMs;
}
