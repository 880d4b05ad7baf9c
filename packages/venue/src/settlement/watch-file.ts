import {
  closeSync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Hex } from 'viem';
import { type DepositBook, EMPTY_BOOK } from './deposit-book.ts';
import type { ForeignPayout } from './foreign-payout.ts';

/** How far the chain has been read, and what came of it that is not in the engine. */
export type Watched = {
  readonly chainId: number;
  readonly bridge: Hex;
  /** The last block that was read, and what it was: another one under its number is a reorganisation. */
  readonly block: number;
  readonly blockHash: Hex | null;
  readonly book: DepositBook;
  /** Found once, it stays: numbers that come later would hide it. */
  readonly foreign?: ForeignPayout;
};

/** What a watcher starts from where nothing, or another bridge, was watched before. */
export function startOf(bridge: Pick<Watched, 'chainId' | 'bridge'>, fromBlock: number): Watched {
  return { ...bridge, block: fromBlock - 1, blockHash: null, book: EMPTY_BOOK };
}

/**
 * What was read last time, if it is of this bridge. The file only saves time: all that it says is
 * computed again from the chain where it is missing, and the engine credits nothing twice.
 */
export function readWatched(
  file: string,
  start: Watched,
  onDamaged: (why: string) => void = () => undefined,
): Watched {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return start;
    throw error;
  }
  const known = parsed(text);
  if (known === undefined) {
    const aside = `${file}.damaged`;
    renameSync(file, aside);
    onDamaged(`${file} is damaged and was put aside as ${aside}: the chain is read again`);
  }
  const isSame = known?.chainId === start.chainId && known.bridge === start.bridge;
  return isSame ? { ...known, book: { ...EMPTY_BOOK, ...known.book } } : start;
}

/** Undefined when the disk has damaged it: a checksum stands before the text. */
function parsed(text: string): Watched | undefined {
  const said = text.slice(CHECKSUM_CHARACTERS + 1);
  if (text.slice(0, CHECKSUM_CHARACTERS) !== checksumOf(said)) return undefined;
  return JSON.parse(said) as Watched;
}

const CHECKSUM_CHARACTERS = 8;
const checksumOf = (text: string): string =>
  crc32(text).toString(16).padStart(CHECKSUM_CHARACTERS, '0');

/** Whole or not at all. */
export function writeWatched(file: string, watched: Watched): void {
  mkdirSync(dirname(file), { recursive: true });
  const beside = `${file}.new`;
  const descriptor = openSync(beside, 'w');
  try {
    const text = JSON.stringify(watched);
    writeSync(descriptor, `${checksumOf(text)} ${text}`);
    fdatasyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(beside, file);
}
