import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState, type CSSProperties, type ReactNode } from 'react';
import { compare, isDecimal } from '../lib/decimal.ts';
import { useWords } from '../lib/words.ts';
import { pressesKey } from './keyboard.tsx';
import { LoadingRows } from './states.tsx';
import { classes, useIsWide } from './styles.ts';

export type Column<Row> = {
  readonly id: string;
  readonly header: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  readonly align?: 'left' | 'right' | undefined;
  readonly width?: string | undefined;
  readonly tabletWidth?: string | undefined;
  readonly phoneWidth?: string | undefined;
  readonly compare?: ((left: Row, right: Row) => number) | undefined;
  readonly from?: 'tablet' | 'desktop' | undefined;
};

const FROM = { tablet: 'max-tablet:hidden', desktop: 'max-desktop:hidden' } as const;
export const ROW_PX = 32;
export const TWO_LINES_PX = 44;
const VIRTUAL_FROM = 60;
const OVERSCAN = 12;

type TableProps<Row> = {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string | number;
  /** The content of an empty table. It is not shown while rows are loading. */
  readonly empty: ReactNode;
  readonly rowHeight?: number;
  readonly stackedRowHeight?: number | undefined;
  readonly sortedBy?: Sorting | undefined;
  readonly onRowClick?: ((row: Row) => void) | undefined;
  readonly rowHotkey?: { readonly key: string; readonly act: (row: Row) => void } | undefined;
  readonly isSelected?: ((row: Row) => boolean) | undefined;
  readonly older?: Older | undefined;
};

export function Table<Row>(props: TableProps<Row>) {
  const { columns, empty, label, rowKey, rows, sortedBy } = props;
  const rowHeight = useRowHeight(props);
  const [sorting, setSorting] = useState<Sorting | undefined>(sortedBy);
  const sorted = useMemo(() => sortRows(rows, { columns, sorting }), [rows, columns, sorting]);
  const scroller = useRef<HTMLDivElement>(null);
  const isVirtual = sorted.length >= VIRTUAL_FROM;
  const virtual = useVirtualizer({
    count: isVirtual ? sorted.length : 0,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
  });
  const inSight = isVirtual ? virtual.getVirtualItems() : [];
  const above = inSight[0]?.start ?? 0;
  const below = isVirtual ? virtual.getTotalSize() - (inSight.at(-1)?.end ?? 0) : 0;
  const drawn = isVirtual ? inSight.flatMap(({ index }) => sorted[index] ?? []) : sorted;
  return (
    <div
      ref={scroller}
      className="max-h-full min-h-0 overflow-auto px-3 tablet:px-2"
      tabIndex={0}
      role="group"
      aria-label={label}
    >
      <table className="w-full table-fixed border-collapse" aria-rowcount={sorted.length + 1}>
        <Widths columns={columns} />
        <Head columns={columns} sorting={sorting} onSort={setSorting} />
        <tbody>
          {above > 0 && <Gap height={above} columns={columns.length} />}
          {drawn.map((row) => (
            <TableRow key={rowKey(row)} {...props} row={row} height={rowHeight} />
          ))}
          {below > 0 && <Gap height={below} columns={columns.length} />}
        </tbody>
      </table>
      {sorted.length === 0 && (empty || <LoadingRows />)}
      {props.older !== undefined && <OlderRows older={props.older} />}
    </div>
  );
}

function useRowHeight<Row>({ rowHeight = ROW_PX, stackedRowHeight }: TableProps<Row>): number {
  return useIsWide() ? rowHeight : (stackedRowHeight ?? rowHeight);
}

function Widths<Row>({ columns }: Pick<TableProps<Row>, 'columns'>) {
  return (
    <colgroup>
      {columns.map(({ from, id, phoneWidth, width, tabletWidth = width }) => (
        <col
          key={id}
          style={
            { '--wide': width, '--tablet': tabletWidth, '--phone': phoneWidth } as CSSProperties
          }
          className={classes(
            'w-(--phone) tablet:w-(--tablet) desktop:w-(--wide)',
            from && FROM[from],
          )}
        />
      ))}
    </colgroup>
  );
}

function TableRow<Row>({
  columns,
  row,
  height,
  onRowClick,
  rowHotkey,
  isSelected,
}: TableProps<Row> & { readonly row: Row; readonly height: number }) {
  return (
    <tr
      style={{ height }}
      onClick={onRowClick && (() => onRowClick(row))}
      onKeyDown={rowHotkey && ((event) => pressesKey(event, rowHotkey.key) && rowHotkey.act(row))}
      aria-selected={isSelected?.(row)}
      className={classes(
        'border-b border-line/50 last:border-b-0 hover:bg-raised/60 aria-selected:bg-raised',
        onRowClick && 'cursor-pointer',
      )}
    >
      {columns.map(({ align, cell, from, id }) => (
        <td
          key={id}
          className={classes(
            'overflow-hidden px-1 text-ellipsis whitespace-nowrap tablet:px-2',
            align === 'right' ? 'text-end' : 'text-start',
            from && FROM[from],
          )}
        >
          {cell(row)}
        </td>
      ))}
    </tr>
  );
}

function Head<Row>({
  columns,
  sorting,
  onSort,
}: {
  readonly columns: readonly Column<Row>[];
  readonly sorting: Sorting | undefined;
  readonly onSort: (sorting: Sorting) => void;
}) {
  return (
    <thead className="sticky top-0 z-10 bg-panel">
      <tr className="h-8 text-11 text-muted">
        {columns.map(({ align, compare: compareRows, from, header, id }) => {
          const isSorted = sorting?.id === id;
          const order = isSorted ? (sorting.isDescending ? 'descending' : 'ascending') : undefined;
          return (
            <th
              key={id}
              scope="col"
              aria-sort={order}
              className={classes(
                'overflow-hidden px-1 font-normal text-ellipsis whitespace-nowrap tablet:px-2',
                align === 'right' ? 'text-end' : 'text-start',
                from && FROM[from],
              )}
            >
              {compareRows === undefined ? (
                header
              ) : (
                <button
                  type="button"
                  onClick={() => onSort({ id, isDescending: !(isSorted && sorting.isDescending) })}
                  className={classes('hover:text-text', isSorted && 'text-text')}
                >
                  {isSorted && <span aria-hidden="true">{sorting.isDescending ? '↓' : '↑'} </span>}
                  {header}
                </button>
              )}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

type StackedProps = Readonly<{ children: ReactNode; below: ReactNode; align?: 'left' | 'right' }>;

/** A cell with two lines. */
export function Stacked({ children, below, align = 'right' }: StackedProps) {
  return (
    <span
      className={`flex flex-col leading-tight ${align === 'left' ? 'items-start' : 'items-end'}`}
    >
      <span className="flex max-w-full min-w-0 items-center">{children}</span>
      <span className="flex items-center text-12 text-muted">{below}</span>
    </span>
  );
}

function Gap({ height, columns }: { readonly height: number; readonly columns: number }) {
  return (
    <tr aria-hidden="true" style={{ height }}>
      <td colSpan={columns} />
    </tr>
  );
}

type Sorting = { readonly id: string; readonly isDescending: boolean };

type Comparing<Row> = {
  readonly id: string;
  readonly compare?: ((left: Row, right: Row) => number) | undefined;
};

/** Sorts rows by a column. Rows with equal values keep their order in both directions. */
export function sortRows<Row>(
  rows: readonly Row[],
  by: { readonly columns: readonly Comparing<Row>[]; readonly sorting: Sorting | undefined },
): readonly Row[] {
  const { columns, sorting } = by;
  const order = columns.find(({ id }) => id === sorting?.id)?.compare;
  if (sorting === undefined || order === undefined) return rows;
  return [...rows].sort((left, right) =>
    sorting.isDescending ? -order(left, right) : order(left, right),
  );
}

export function byDecimal<Row>(
  of: (row: Row) => string | undefined,
): (left: Row, right: Row) => number {
  return (left, right) => {
    const [a, b] = [of(left), of(right)];
    if (!isDecimal(a)) return isDecimal(b) ? -1 : 0;
    return isDecimal(b) ? compare(a, b) : 1;
  };
}

export type Older = {
  readonly status: 'whole' | 'some' | 'asking' | 'failed' | 'end';
  more(): void;
};

const AHEAD = { scrollMargin: '400px', rootMargin: '400px' };

function OlderRows({ older: { more, status } }: { readonly older: Older }) {
  const t = useWords();
  const foot = useRef<HTMLDivElement>(null);
  const latest = useRef(more);
  useEffect(() => {
    latest.current = more;
  });
  useEffect(() => {
    if (status !== 'some' || foot.current === null) return undefined;
    const sight = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) latest.current();
    }, AHEAD);
    sight.observe(foot.current);
    return () => sight.disconnect();
  }, [status]);
  if (status === 'whole') return null;
  return (
    <div
      ref={foot}
      role="status"
      className="flex h-8 items-center justify-center gap-2 text-12 text-muted"
    >
      {status === 'end' && t('ui.noOlder')}
      {status === 'failed' && (
        <>
          {t('ui.olderFailed')}
          <button type="button" className="text-accent hover:underline" onClick={more}>
            {t('ui.tryAgain')}
          </button>
        </>
      )}
      {(status === 'some' || status === 'asking') && t('ui.asksOlder')}
    </div>
  );
}
