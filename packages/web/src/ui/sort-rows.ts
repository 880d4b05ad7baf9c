import { compare, isDecimal } from '../lib/decimal.ts';

/** The column that rows are sorted by, and in which direction. */
export type Sorting = { readonly id: string; readonly isDescending: boolean };

/** What a column has to say about the order of rows. */
type Comparing<Row> = {
  readonly id: string;
  readonly compare?: ((left: Row, right: Row) => number) | undefined;
};

/**
 * Rows in the order of a column. Those that are equal by it stay in the order in which they came, in both directions; so do
 * all when no column compares.
 */
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

/** Compares rows by a decimal text of theirs. What has no number comes last when the largest are first. */
export function byDecimal<Row>(
  of: (row: Row) => string | undefined,
): (left: Row, right: Row) => number {
  return (left, right) => {
    const [a, b] = [of(left), of(right)];
    if (!isDecimal(a)) return isDecimal(b) ? -1 : 0;
    return isDecimal(b) ? compare(a, b) : 1;
  };
}
