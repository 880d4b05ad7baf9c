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
import type { Hex } from 'viem';
import { type DepositBook, EMPTY_BOOK } from './deposit-book.ts';

/** How far the chain has been read, and what came of it that is not in the engine. */
export type Watched = {
  readonly chainId: number;
  readonly bridge: Hex;
  /** The last block that was read, and what it was: another one under its number is a reorganisation. */
  readonly block: number;
  readonly blockHash: Hex | null;
  readonly book: DepositBook;
};

/** What a watcher starts from where nothing, or another bridge, was watched before. */
export function startOf(bridge: Pick<Watched, 'chainId' | 'bridge'>, fromBlock: number): Watched {
  return { ...bridge, block: fromBlock - 1, blockHash: null, book: EMPTY_BOOK };
}

/**
 * What was read last time, if it is of this bridge. The file only saves time: all that it says is
 * computed again from the chain where it is missing, and the engine credits nothing twice.
 */
export function readWatched(file: string, start: Watched): Watched {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return start;
    throw error;
  }
  const known = parsed(text);
  const isSame = known?.chainId === start.chainId && known.bridge === start.bridge;
  return isSame ? { ...known, book: { ...EMPTY_BOOK, ...known.book } } : start;
}

/** A file that a disk has damaged is as good as none. */
function parsed(text: string): Watched | undefined {
  try {
    return JSON.parse(text) as Watched;
  } catch {
    return undefined;
  }
}

/** Whole or not at all. */
export function writeWatched(file: string, watched: Watched): void {
  mkdirSync(dirname(file), { recursive: true });
  const beside = `${file}.new`;
  const descriptor = openSync(beside, 'w');
  try {
    writeSync(descriptor, JSON.stringify(watched));
    fdatasyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(beside, file);
}
