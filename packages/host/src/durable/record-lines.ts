import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * The text of a file of records. A line is a check, a mark and a record as JSON. The check continues that of the line before, so
 * that no line can change, go, or take the place of another unnoticed. The mark says whether the next line was appended
 * together with this one: what was appended together counts together.
 *
 * Files of earlier releases have a checksum of each line by itself and a space. Such lines may only stand before the others.
 */

const CHECK_CHARACTERS = 16;
const LAST = ' ';
const MORE = '+';
const LINE = /^([0-9a-f]{16})([ +])/;
const EARLIER_LINE = /^([0-9a-f]{8}) /;
const EARLIER_CHARACTERS = 8;
const NEW_LINE = 0x0a;
const HOLE = '\0';

export type ReadLines = {
  readonly records: readonly unknown[];
  /** Numbers of lines that are not as they were written, which no crash explains. */
  readonly damaged: readonly number[];
  /** Lines up to what a crash left of an append that nobody was told of, and where that begins. */
  readonly lines: number;
  readonly end: number;
  /** Of the last line: the next continues it. */
  readonly check: string;
};

/** The lines of one append, and the check of the last one. */
export function linesOf(
  records: readonly unknown[],
  before: string,
): { readonly text: string; readonly check: string } {
  let check = before;
  const lines = records.map((record, at) => {
    const said = `${at === records.length - 1 ? LAST : MORE}${JSON.stringify(record)}`;
    check = checkOf(check, said);
    return `${check}${said}\n`;
  });
  return { text: lines.join(''), check };
}

type Line = {
  /** Where the next begins. */
  readonly end: number;
  readonly record: unknown;
  readonly check: string;
  readonly isRight: boolean;
  /** Nothing more was appended with it. */
  readonly isLast: boolean;
  /** A crash can leave it so: without its end, or with a hole where the disk had not come to. */
  readonly canBeTorn: boolean;
};

export function readLines(content: Buffer): ReadLines {
  const lines = [...parsed(content)];
  const appended = lines.slice(startOfLastAppend(lines));
  // What comes behind a hole continues what was in it: whether that is right cannot be told.
  const wrong = appended.find(({ isRight }) => !isRight);
  const isTorn = wrong?.canBeTorn ?? appended.at(-1)?.isLast !== true;
  const whole = isTorn ? lines.slice(0, lines.length - appended.length) : lines;
  return {
    records: whole.flatMap(({ isRight, record }) => (isRight ? [record] : [])),
    damaged: whole.flatMap(({ isRight }, at) => (isRight ? [] : [at + 1])),
    lines: whole.length,
    end: whole.at(-1)?.end ?? 0,
    check: whole.at(-1)?.check ?? '',
  };
}

/** All before it was synced before it was begun. */
function startOfLastAppend(lines: readonly Line[]): number {
  const before = lines.findLastIndex(({ isLast }, at) => isLast && at < lines.length - 1);
  return before + 1;
}

function* parsed(content: Buffer): Generator<Line> {
  let check = '';
  let isEarlier = true;
  for (let at = 0; at < content.length;) {
    const found = content.indexOf(NEW_LINE, at);
    const end = found < 0 ? content.length : found + 1;
    const text = content.toString('utf8', at, found < 0 ? end : found);
    const line = lineOf(text, check, isEarlier && found >= 0);
    const isRight = line.isRight && found >= 0;
    yield { ...line, isRight, end, canBeTorn: found < 0 || text.includes(HOLE) };
    check = line.check;
    isEarlier &&= line.isEarlier;
    at = end;
  }
}

/** A line that is wrong is passed over by what it says of itself: the next one may still be right. */
function lineOf(
  text: string,
  before: string,
  mayBeEarlier: boolean,
): Pick<Line, 'record' | 'check' | 'isRight' | 'isLast'> & { readonly isEarlier: boolean } {
  const [, check = text.slice(0, CHECK_CHARACTERS), mark] = LINE.exec(text) ?? [];
  const said = text.slice(CHECK_CHARACTERS);
  if (mark !== undefined && check === checkOf(before, said)) {
    const record: unknown = JSON.parse(said.slice(1));
    return { record, check, isRight: true, isLast: mark === LAST, isEarlier: false };
  }
  const earlier = mayBeEarlier ? EARLIER_LINE.exec(text)?.[1] : undefined;
  if (earlier !== undefined) {
    const json = text.slice(EARLIER_CHARACTERS + 1);
    const isRight = earlier === sumOf(json);
    const record: unknown = isRight ? JSON.parse(json) : undefined;
    return { record, check: checkOf(before, text), isRight, isLast: true, isEarlier: true };
  }
  const isEarlier = mayBeEarlier && mark === undefined;
  return { record: undefined, check, isRight: false, isLast: mark === LAST, isEarlier };
}

function checkOf(before: string, said: string): string {
  const hash = createHash('sha256').update(before).update(said);
  return hash.digest('hex').slice(0, CHECK_CHARACTERS);
}

function sumOf(text: string): string {
  return crc32(text).toString(16).padStart(EARLIER_CHARACTERS, '0');
}
