import { dateTime, timeOrDay, wholeDate } from '../../lib/time.ts';
import type { Words } from '../../lib/words.ts';
import { venueNow } from '../../market/venue.ts';
import type { Column } from '../../ui/table.tsx';

/** Where there is little room the time of day, or the day of what is older. */
export function timeColumn<Row extends { readonly time: number }>(
  t: Words,
  { isShort = false }: { readonly isShort?: boolean } = {},
): Column<Row> {
  return {
    id: 'time',
    header: t('activity.column.time'),
    width: isShort ? '64px' : '104px',
    phoneWidth: '56px',
    cell: ({ time }) => (
      <time dateTime={new Date(time).toISOString()} title={wholeDate(time)} className="text-muted">
        <span className={isShort ? 'hidden' : 'max-tablet:hidden'}>{dateTime(time)}</span>
        <span className={isShort ? undefined : 'tablet:hidden'}>{timeOrDay(time, venueNow())}</span>
      </time>
    ),
    compare: (a, b) => a.time - b.time,
  };
}
