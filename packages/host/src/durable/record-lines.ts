import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { readSync } from 'node:fs';

/**
 * The format of a line: a checksum, a mark, and a record as JSON. The checksum continues that of
 * the previous line, so that changed, removed and reordered lines are detected. The mark states
 * whether the next line was appended together with this line; if so, both are valid only together.
 *
 * Files of earlier releases have an independent checksum per line, followed by a space. These lines
 * can only precede lines in the current format.
 */
export const RECORD_LINES: LineForm = {
  write: (record, before, isLast) => {
    const body = `${isLast ? LAST : MORE}${JSON.stringify(record)}`;
    const check = chainedCheck(before, body);
    return { text: `${check}${body}`, check };
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

/**
 * Reads a line. A damaged line passes on its own stored checksum, because the next line may be
 * intact.
 */
function readLine(text: string, before: ReadLine | undefined): ReadLine {
  const [, check = text.slice(0, CHECK_CHARACTERS), mark] = LINE.exec(text) ?? [];
  const body = text.slice(CHECK_CHARACTERS);
  const checkBefore = before?.check ?? '';
  if (mark !== undefined && check === chainedCheck(checkBefore, body)) {
    const record: unknown = JSON.parse(body.slice(1));
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

/** Returns the checksum of a line and all lines before it. */
export function chainedCheck(before: string, body: string): string {
  const hash = createHash('sha256').update(before).update(body);
  return hash.digest('hex').slice(0, CHECK_CHARACTERS);
}

function sumOf(text: string): string {
  return crc32(text).toString(16).padStart(EARLIER_CHARACTERS, '0');
}

/** The position of an altered line that cannot be explained by a crash. */
export type DamagedLine = { readonly line: number; readonly byte: number };

type ReadLines = {
  readonly damaged: readonly DamagedLine[];
  /**
   * The number of lines up to an incomplete, unacknowledged append, and the byte offset of that
   * append.
   */
  readonly lines: number;
  readonly end: number;
  readonly isTorn: boolean;
  /** The checksum of the last line, from which the next line continues. */
  readonly check: string;
  /** The records of an incomplete append that lacks only the final newline. */
  readonly unended: readonly unknown[];
};

type Line = ReadLine & {
  readonly start: number;
  readonly end: number;
  /**
   * True if a crash may have caused the fault: the end is missing, or there is a hole that was
   * never written to disk.
   */
  readonly canBeTorn: boolean;
  /** The records of the line if it lacks only its newline. */
  readonly unended: readonly unknown[];
};

const CHUNK_BYTES = 1 << 20;
const NEW_LINE = 0x0a;
const HOLE = '\0';

/**
 * Reads a file in chunks and passes on its records. An append is passed on once the next one
 * begins, because it was synced before that. An incomplete last append is not passed on.
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
  // The checksums of lines after a hole depend on the missing content, so they cannot be verified.
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

/**
 * Returns the record of a line that lacks its newline, even if there is another byte in the
 * newline's place.
 */
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
    // The bytes are copied, because the chunk is reused.
    if (from < length) pieces.push(Buffer.from(chunk.subarray(from, length)));
    read += length;
  }
  if (pieces.length > 0) yield { bytes: Buffer.concat(pieces), start, hasEnd: false };
}

/** The format of records as lines of a file, without the newlines. */
export type LineForm = {
  /** `isLast` is false if the next line is appended together with this one. */
  readonly write: (record: unknown, before: string, isLast: boolean) => WrittenLine;
  /** `before` is the previous line, or undefined for the first line. */
  readonly read: (text: string, before: ReadLine | undefined) => ReadLine;
  /** True if a crash can leave holes in an unacknowledged line, not just cut off its end. */
  readonly canHaveHoles: boolean;
  /**
   * True if a line that lacks only its end is accepted, because its record may already have taken
   * effect.
   */
  readonly countsWithoutEnd: boolean;
};

type WrittenLine = {
  readonly text: string;
  /** The checksum from which the next line continues. */
  readonly check: string;
};

export type ReadLine = {
  readonly record: unknown;
  readonly check: string;
  /** True if the line is unchanged and continues the correct predecessor. */
  readonly isRight: boolean;
  /** True if the append ends with this line. */
  readonly isLast: boolean;
  /** True if the line and all lines before it have the format of an earlier release. */
  readonly isEarlier?: boolean;
};
