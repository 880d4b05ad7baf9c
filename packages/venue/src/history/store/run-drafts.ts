import { present } from '@oddlot/units';
import type { Placed, RowPacker } from './packed/packed-rows.ts';

/** Rows of a run: enough that what they share is written once, few enough to look through for one. */
const RUN_ROWS_MAX = 64;

/** A run as it is stored, and the instruments whose rows it has. */
export type DraftedRun = {
  readonly user: string;
  readonly kind: number;
  readonly last: Placed<unknown>['place'];
  readonly firstMs: number;
  readonly rows: number;
  readonly body: Uint8Array;
  readonly instrumentIds: readonly number[];
};

/** Rows of a transaction by account and kind, which become runs. They come in the order of their places. */
export class RunDrafts<Row> {
  readonly #packer: RowPacker<Row>;
  readonly #drafts = new Map<string, { user: string; kind: number; rows: Placed<Row>[] }>();

  constructor(packer: RowPacker<Row>) {
    this.#packer = packer;
  }

  add(user: string, kind: number, row: Placed<Row>): void {
    const key = `${kind} ${user}`;
    const draft = this.#drafts.get(key);
    if (draft === undefined) this.#drafts.set(key, { user, kind, rows: [row] });
    else draft.rows.push(row);
  }

  *runs(): Generator<DraftedRun> {
    for (const { kind, rows, user } of this.#drafts.values()) {
      for (let from = 0; from < rows.length; from += RUN_ROWS_MAX) {
        const some = rows.slice(from, from + RUN_ROWS_MAX);
        yield {
          user,
          kind,
          last: present(some.at(-1), 'the last row of a run').place,
          firstMs: present(some[0], 'the first row of a run').place.timeMs,
          rows: some.length,
          body: this.#packer.pack(some),
          instrumentIds: [...new Set(some.map(({ place }) => place.instrumentId))],
        };
      }
    }
  }
}
