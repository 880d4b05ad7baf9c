import { crc32 } from 'node:zlib';
import { HistoryDamagedError } from './store-errors.ts';

/** How far the rows go, and how many there are; it is written with the rows themselves. */
export type Progress = {
  readonly height: number;
  /** The first block with rows; 1 in a store that release 0.2.0 began, which did not record it. */
  readonly from?: number;
  /** Of whoever wrote last, where several share a server: who has a lower one is too late. */
  readonly term?: number;
  /** By kind of row, of those that were not deleted. */
  readonly rows: Readonly<Record<string, number>>;
};

export const NO_PROGRESS: Progress = { height: 0, rows: {} };

export function encodeProgress(progress: Progress): { text: string; crc: number } {
  const text = JSON.stringify(progress);
  return { text, crc: crc32(text) };
}

export function decodeProgress(row: { readonly text: string; readonly crc: number }): Progress {
  if (crc32(row.text) !== row.crc) {
    throw new HistoryDamagedError('the progress record is damaged');
  }
  return JSON.parse(row.text) as Progress;
}

/** The numbers of rows after some came, or went: by name, so that the same rows are noted alike in whatever batches they came. */
export function counted(
  rows: Readonly<Record<string, number>>,
  added: Readonly<Record<string, number>>,
): Record<string, number> {
  const sums = { ...rows };
  for (const [name, count] of Object.entries(added)) {
    const sum = (sums[name] ?? 0) + count;
    if (sum !== 0 || name in sums) sums[name] = Math.max(0, sum);
  }
  return Object.fromEntries(Object.entries(sums).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
