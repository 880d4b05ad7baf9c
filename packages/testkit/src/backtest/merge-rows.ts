import { type PlacedRow, readRecording, timeFault } from './read-recording.ts';
import type { RecordedRow } from './recorded-row.ts';
import { RecordingError } from './recording-error.ts';
import { rowFault } from './row-fault.ts';

/** Where rows come from: files, or rows that somebody makes. */
export type Recording =
  | string
  | readonly string[]
  | Iterable<RecordedRow>
  | AsyncIterable<RecordedRow>;

/** The rows of all files by their time; at the same time those of the file that was named first. */
export async function* mergeRows(recording: Recording): AsyncGenerator<PlacedRow> {
  const paths = pathsOf(recording);
  if (paths === undefined) {
    yield* checkedRows(recording as AsyncIterable<RecordedRow>);
    return;
  }
  const files = paths.map((path) => readRecording(path));
  try {
    const heads = await Promise.all(files.map((file) => file.next()));
    for (;;) {
      const times = heads.map(({ done, value }) => (done === true ? Infinity : value.row.timeMs));
      const at = times.indexOf(Math.min(...times));
      const head = heads[at];
      if (head === undefined || head.done === true) return;
      yield head.value;
      heads[at] = await files[at]!.next();
    }
  } finally {
    for (const file of files) await file.return(undefined);
  }
}

async function* checkedRows(
  rows: Iterable<RecordedRow> | AsyncIterable<RecordedRow>,
): AsyncGenerator<PlacedRow> {
  let line = 0;
  let beforeMs = 0;
  for await (const row of rows) {
    line += 1;
    const fault = rowFault(row) ?? timeFault(row, beforeMs);
    if (fault !== undefined) throw new RecordingError({ line }, fault);
    beforeMs = row.timeMs;
    yield { row, place: { line } };
  }
}

function pathsOf(recording: Recording): readonly string[] | undefined {
  if (typeof recording === 'string') return [recording];
  if (!Array.isArray(recording)) return undefined;
  const rows = recording as readonly unknown[];
  return rows.every((row) => typeof row === 'string') ? (rows as readonly string[]) : undefined;
}
