import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { readSync } from 'node:fs';

/**
 * A line is a check, a mark and a record as JSON. The check continues that of the line before, so that no line can change, go, or
 * take the place of another unnoticed. The mark says whether the next line was appended together with this one: what was
 * appended together counts together.
 *
 * Files of earlier releases have a checksum of each line by itself and a space. Such lines may only stand before the others.
 */
export const RECORD_LINES: LineForm = {
  write: (record, before, isLast) => {
    const said = `${isLast ? LAST : MORE}${JSON.stringify(record)}`;
    const check = chainedCheck(before, said);
    return { text: `${check}${said}`, check };
  },
  read: readLine,
  canHaveHoles: true,
  countsWithoutEnd: false,
};

const CHECK_CHARACTERS = 16;
const LAST = ' ';
const MORE = '+';
const LINE = /^([0-9a-f]{16})([ +])/;
const EARLIER_LINE = /^([0-9a-f]{8}) /;
const EARLIER_CHARACTERS = 8;

/** A line that is wrong is passed over by what it says of itself: the next one may still be right. */
function readLine(text: string, before: ReadLine | undefined): ReadLine {
  const [, check = text.slice(0, CHECK_CHARACTERS), mark] = LINE.exec(text) ?? [];
  const said = text.slice(CHECK_CHARACTERS);
  const checkBefore = before?.check ?? '';
  if (mark !== undefined && check === chainedCheck(checkBefore, said)) {
    const record: unknown = JSON.parse(said.slice(1));
    return { record, check, isRight: true, isLast: mark === LAST, isEarlier: false };
  }
  const mayBeEarlier = before?.isEarlier ?? true;
  const earlier = mayBeEarlier ? EARLIER_LINE.exec(text)?.[1] : undefined;
  if (earlier !== undefined) {
    const json = text.slice(EARLIER_CHARACTERS + 1);
    const isRight = earlier === sumOf(json);
    const record: unknown = isRight ? JSON.parse(json) : undefined;
    const continued = chainedCheck(checkBefore, text);
    return { record, check: continued, isRight, isLast: true, isEarlier: true };
  }
  const isEarlier = mayBeEarlier && mark === undefined;
  return { record: undefined, check, isRight: false, isLast: mark === LAST, isEarlier };
}

/** Of what a line says, and of all lines before it. */
export function chainedCheck(before: string, said: string): string {
  const hash = createHash('sha256').update(before).update(said);
  return hash.digest('hex').slice(0, CHECK_CHARACTERS);
}

function sumOf(text: string): string {
  return crc32(text).toString(16).padStart(EARLIER_CHARACTERS, '0');
}

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

/** How records stand in the lines of a file, without the lines' ends. */
export type LineForm = {
  /** `isLast` is false when the next line is appended together with this one. */
  readonly write: (record: unknown, before: string, isLast: boolean) => WrittenLine;
  /** `before` is the line that it stands behind; undefined for the first. */
  readonly read: (text: string, before: ReadLine | undefined) => ReadLine;
  /** What a crash can leave of a line that nobody was told of, beside one without its end: its end, and holes before it. */
  readonly canHaveHoles: boolean;
  /** A line that lacks nothing but its end counts: somebody may have acted on it all the same. */
  readonly countsWithoutEnd: boolean;
};

type WrittenLine = {
  readonly text: string;
  /** The next line's check continues this one. */
  readonly check: string;
};

export type ReadLine = {
  readonly record: unknown;
  readonly check: string;
  /** It is as it was written, and behind what it was written behind. */
  readonly isRight: boolean;
  /** Nothing more was appended with it. */
  readonly isLast: boolean;
  /** It is of a release before the form, and so are all lines before it. */
  readonly isEarlier?: boolean;
};
