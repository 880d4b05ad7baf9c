import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { LineForm, ReadLine } from './line-form.ts';

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
