import { crc32 } from 'node:zlib';
import type { LineForm } from '@oddlot/host/durable';

const CHECKSUM_CHARACTERS = 8;

/** A line is a checksum, a space and JSON; the checksum continues that of the line before, so lines can't change places. */
export const CHAIN_LINES: LineForm = {
  write: (value, before) => {
    const text = JSON.stringify(value);
    const check = checksumOf(text, before);
    return { text: `${check} ${text}`, check };
  },
  read: (line, before) => {
    const text = line.slice(CHECKSUM_CHARACTERS + 1);
    const check = before?.isRight === false ? '' : checksumOf(text, before?.check ?? '');
    const isRight = check !== '' && line.startsWith(`${check} `);
    const record: unknown = isRight ? JSON.parse(text) : undefined;
    return { record, check, isRight, isLast: true };
  },
  canHaveHoles: true,
  countsWithoutEnd: false,
};

function checksumOf(text: string, before: string): string {
  const checksum = crc32(text, before === '' ? 0 : Number.parseInt(before, 16));
  return checksum.toString(16).padStart(CHECKSUM_CHARACTERS, '0');
}
