import { dateTime, wholeDate } from '../../lib/time.ts';
import type { Words } from '../../lib/words.ts';
import type { Column } from '../../ui/table.tsx';

export function timeColumn<Row extends { readonly time: number }>(t: Words): Column<Row> {
  return {
    id: 'time',
    header: t('activity.column.time'),
    width: '104px',
    phoneWidth: '84px',
    cell: ({ time }) => (
      <time dateTime={new Date(time).toISOString()} title={wholeDate(time)} className="text-muted">
        {dateTime(time)}
      </time>
    ),
    compare: (a, b) => a.time - b.time,
  };
}
