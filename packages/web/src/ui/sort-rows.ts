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
  const compare = columns.find(({ id }) => id === sorting?.id)?.compare;
  if (sorting === undefined || compare === undefined) return rows;
  return [...rows].sort((left, right) =>
    sorting.isDescending ? -compare(left, right) : compare(left, right),
  );
}
