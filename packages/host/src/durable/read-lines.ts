import { readSync } from 'node:fs';
import type { LineForm, ReadLine } from './line-form.ts';

/** Where in a file a line stands that is not as it was written, which no crash explains. */
export type DamagedLine = { readonly line: number; readonly byte: number };

type ReadLines = {
  readonly damaged: readonly DamagedLine[];
  /** Lines up to what a crash left of an append that nobody was told of, and where that begins. */
  readonly lines: number;
  readonly end: number;
  readonly isTorn: boolean;
  /** Of the last line: the next continues it. */
  readonly check: string;
  /** What was left of an append although all of it was there but the end of its line. */
  readonly unended: readonly unknown[];
};

type Line = ReadLine & {
  readonly start: number;
  readonly end: number;
  /** A crash can leave it so: without its end, or with a hole where the disk had not come to. */
  readonly canBeTorn: boolean;
  /** What it says if its end alone is missing. */
  readonly unended: readonly unknown[];
};

const CHUNK_BYTES = 1 << 20;
const NEW_LINE = 0x0a;
const HOLE = '\0';

/**
 * Reads a file piece by piece, and hands over what its lines say: of each append once the next one has begun, since all of it was
 * synced before that. What is left of the last one, if it is torn, is not handed over.
 */
export function readLines(
  descriptor: number,
  form: LineForm,
  onRecord: (record: unknown) => void,
): ReadLines {
  const damaged: DamagedLine[] = [];
  let lines = 0;
  let last: Line | undefined = undefined;
  let appended: Line[] = [];
  const take = (): void => {
    for (const line of appended) {
      lines++;
      last = line;
      if (line.isRight) onRecord(line.record);
      else damaged.push({ line: lines, byte: line.start });
    }
    appended = [];
  };
  for (const line of parsed(descriptor, form)) {
    if (appended.at(-1)?.isLast === true) take();
    appended.push(line);
  }
  // What comes behind a hole continues what was in it: whether that is right cannot be told.
  const wrong = appended.find(({ isRight }) => !isRight);
  const isTorn = wrong?.canBeTorn ?? appended.at(-1)?.isLast !== true;
  const unended = isTorn && appended.length === 1 ? (appended[0]?.unended ?? []) : [];
  if (!isTorn) take();
  const { check = '', end = 0 } = (last as Line | undefined) ?? {};
  return { damaged, lines, end, isTorn: isTorn && appended.length > 0, check, unended };
}

function* parsed(descriptor: number, form: LineForm): Generator<Line> {
  let before: Line | undefined = undefined;
  for (const { bytes, hasEnd, start } of splitLines(descriptor)) {
    const text = bytes.toString('utf8');
    const line: ReadLine = form.read(text, before);
    const unended: readonly unknown[] =
      hasEnd || !form.countsWithoutEnd ? [] : unendedOf(form, text, before);
    const canBeTorn = !hasEnd || (form.canHaveHoles && text.includes(HOLE));
    const end = start + bytes.length + (hasEnd ? 1 : 0);
    before = { ...line, isRight: line.isRight && hasEnd, start, end, canBeTorn, unended };
    yield before;
  }
}

/** Also where something else stands in the place of its end. */
function unendedOf(form: LineForm, text: string, before: Line | undefined): readonly unknown[] {
  const found = [text, text.slice(0, -1)].map((each) => form.read(each, before));
  const right = found.find(({ isRight }) => isRight);
  return right === undefined ? [] : [right.record];
}

type Split = { readonly bytes: Buffer; readonly start: number; readonly hasEnd: boolean };

function* splitLines(descriptor: number): Generator<Split> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let pieces: Buffer[] = [];
  let start = 0;
  for (let read = 0; ;) {
    const length = readSync(descriptor, chunk, 0, CHUNK_BYTES, read);
    if (length === 0) break;
    let from = 0;
    for (let at = chunk.indexOf(NEW_LINE); at >= 0 && at < length;) {
      const bytes = Buffer.concat([...pieces, chunk.subarray(from, at)]);
      yield { bytes, start, hasEnd: true };
      pieces = [];
      from = at + 1;
      start = read + from;
      at = chunk.indexOf(NEW_LINE, from);
    }
    // The chunk is read into again.
    if (from < length) pieces.push(Buffer.from(chunk.subarray(from, length)));
    read += length;
  }
  if (pieces.length > 0) yield { bytes: Buffer.concat(pieces), start, hasEnd: false };
}
