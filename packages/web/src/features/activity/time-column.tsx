import { Time } from '../../account-tables/cells.tsx';
import type { Words } from '../../lib/words.ts';
import type { Column } from '../../ui/table.tsx';

/** When something happened; `isShort` where other columns need the room. */
export function timeColumn<Row extends { readonly time: number }>(
  t: Words,
  { isShort = false }: { readonly isShort?: boolean } = {},
): Column<Row> {
  return {
    id: 'time',
    header: t('activity.column.time'),
    width: isShort ? '64px' : '104px',
    phoneWidth: '56px',
    cell: ({ time }) => <Time ms={time} isShort={isShort} />,
    compare: (a, b) => a.time - b.time,
  };
}
