import { useMemo } from 'react';
import { useWords, type Words } from '../../lib/words.ts';
import { timeColumn } from '../../market/time-column.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { useBuilderRows, type BuilderRowsOptions } from './use-builder-rows.ts';

type BuilderTableProps<Row> = BuilderRowsOptions<Row> & {
  readonly label: string;
  /** Beside the time, which all of them have. */
  readonly columnsOf: (t: Words) => readonly Column<Row>[];
  readonly empty: { readonly title: string; readonly text: string };
};

/** What a builder earned or claimed, a row each, to the first one. */
export function BuilderTable<Row extends { readonly time: number }>({
  columnsOf,
  empty,
  idOf,
  label,
  type,
  user,
}: BuilderTableProps<Row>) {
  const t = useWords();
  const { isLoaded, older, rows } = useBuilderRows<Row>({ user, type, idOf });
  const columns = useMemo(() => [timeOf<Row>(t), ...columnsOf(t)], [columnsOf, t]);
  return (
    <Table
      label={label}
      columns={columns}
      rows={rows}
      rowKey={idOf}
      older={older}
      empty={isLoaded && <EmptyState {...empty} />}
    />
  );
}

function timeOf<Row extends { readonly time: number }>(t: Words): Column<Row> {
  return timeColumn(t('builder.time'), ({ time }) => time, {
    phoneWidth: '104px',
    short: 'never',
    isSortable: false,
  });
}
