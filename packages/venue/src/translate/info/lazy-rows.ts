/**
 * A list whose rows are made when they are told. Each row holds what it needs of the state from the
 * start, so that all of them are of one moment although the last is made some turns of the event loop
 * later: a list of thousands would else keep everybody waiting.
 */
export class LazyRows<Row> {
  readonly #makers: readonly (() => Row)[];

  constructor(makers: readonly (() => Row)[]) {
    this.#makers = makers;
  }

  get length(): number {
    return this.#makers.length;
  }

  slice(start: number, end: number): Row[] {
    return this.#makers.slice(start, end).map((make) => make());
  }
}

/** Rows that are made in one turn. */
export const ROWS_AT_ONCE = 250;

/** A list that is short as it is, a long one for later. */
export function rowsOf<Row>(makers: readonly (() => Row)[]): Row[] | LazyRows<Row> {
  return makers.length <= ROWS_AT_ONCE ? makers.map((make) => make()) : new LazyRows(makers);
}
