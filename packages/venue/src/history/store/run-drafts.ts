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
  readonly #drafts = new Map<number, Map<string, Placed<Row>[]>>();

  constructor(packer: RowPacker<Row>) {
    this.#packer = packer;
  }

  add(user: string, kind: number, row: Placed<Row>): void {
    let drafts = this.#drafts.get(kind);
    if (drafts === undefined) this.#drafts.set(kind, (drafts = new Map()));
    const rows = drafts.get(user);
    if (rows === undefined) drafts.set(user, [row]);
    else rows.push(row);
  }

  *runs(): Generator<DraftedRun> {
    for (const [kind, drafts] of this.#drafts) {
      for (const [user, rows] of drafts) {
        for (let from = 0; from < rows.length; from += RUN_ROWS_MAX) {
          const run = this.#run(rows.slice(from, from + RUN_ROWS_MAX));
          yield { user, kind, ...run };
        }
      }
    }
  }

  #run(rows: readonly Placed<Row>[]): Omit<DraftedRun, 'user' | 'kind'> {
    return {
      last: present(rows.at(-1), 'the last row of a run').place,
      firstMs: present(rows[0], 'the first row of a run').place.timeMs,
      rows: rows.length,
      body: this.#packer.pack(rows),
      instrumentIds: [...new Set(rows.map(({ place }) => place.instrumentId))],
    };
  }
}
