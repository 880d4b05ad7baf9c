import { crc32 } from 'node:zlib';
import { bookLevels, type BookLevel, type State } from '@oddlot/engine';
import type { L2Diff, LevelTuple } from '@oddlot/protocol';
import { instrumentId } from '@oddlot/units';
import type { Instrument } from './actions/instrument-lookup.ts';
import { formatPrice, formatSize, type Scale } from './format.ts';

/** A book with every level, and what changed between two of them. */

export type WholeBook = {
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
};

/** Levels per side that the checksum covers. */
const CHECKED_LEVELS = 20;

export function wholeBook(state: State, instrument: Instrument): WholeBook {
  const side = (isBuy: boolean): readonly BookLevel[] =>
    bookLevels(state, instrumentId(instrument.instrumentId), isBuy, Number.MAX_SAFE_INTEGER);
  return { bids: side(true), asks: side(false) };
}

/** All of a book, for those who start. */
export function bookSnapshot(instrument: Instrument, book: WholeBook, timeMs: number): L2Diff {
  return {
    coin: instrument.name,
    instrumentId: instrument.instrumentId,
    time: timeMs,
    isSnapshot: true,
    bids: book.bids.map((level) => levelTuple(instrument, level)),
    asks: book.asks.map((level) => levelTuple(instrument, level)),
    checksum: bookChecksum(instrument, book),
  };
}

/** What leads from one book to the next; undefined when they are the same. */
export function bookDiff(
  instrument: Instrument,
  { before, after }: { readonly before: WholeBook; readonly after: WholeBook },
  timeMs: number,
): L2Diff | undefined {
  const bids = changedLevels(instrument, before.bids, after.bids);
  const asks = changedLevels(instrument, before.asks, after.asks);
  if (bids.length === 0 && asks.length === 0) return undefined;
  return {
    coin: instrument.name,
    instrumentId: instrument.instrumentId,
    time: timeMs,
    bids,
    asks,
    checksum: bookChecksum(instrument, after),
  };
}

/** New and changed levels, best first, then those that are gone. */
function changedLevels(
  scale: Scale,
  before: readonly BookLevel[],
  after: readonly BookLevel[],
): LevelTuple[] {
  const gone = new Map(before.map((level) => [level.price, level]));
  const changed: LevelTuple[] = [];
  for (const level of after) {
    const known = gone.get(level.price);
    gone.delete(level.price);
    if (known?.size === level.size && known.count === level.count) continue;
    changed.push(levelTuple(scale, level));
  }
  for (const price of gone.keys()) changed.push([formatPrice(scale, price), '0', 0]);
  return changed;
}

function levelTuple(scale: Scale, { count, price, size }: BookLevel): LevelTuple {
  return [formatPrice(scale, price), formatSize(scale, size), count];
}

/** CRC-32 of the top of a book: rank by rank the bid, then the ask, as `px:sz`. */
function bookChecksum(scale: Scale, { asks, bids }: WholeBook): number {
  const parts: string[] = [];
  for (let rank = 0; rank < CHECKED_LEVELS; rank++) {
    for (const level of [bids[rank], asks[rank]]) {
      if (level === undefined) continue;
      parts.push(formatPrice(scale, level.price), formatSize(scale, level.size));
    }
  }
  return crc32(parts.join(':'));
}
