import { type BookLevel, bookLevels, type State } from '@oddlot/engine';
import {
  type L2Book,
  type L2Diff,
  type Level,
  type LevelTuple,
  LIMITS,
  refusal,
  type WireError,
} from '@oddlot/protocol';
import { instrumentId, parseExact } from '@oddlot/units';
import { type Instrument, outcomeName } from '../instruments.ts';
import { formatPrice, formatSize, priceDecimals, type Scale } from '../format.ts';
import { answer, findPerp, type InfoHandler, type StateQueries } from './info-context.ts';
import { crc32 } from 'node:zlib';

export type BookRequest = { readonly coin: string; readonly tick?: string | undefined };

export type BookOwner = {
  readonly instrumentId: number;
  readonly name: string;
  readonly szDecimals: number;
  readonly priceTick: number;
  /** The tick sizes that the book can be aggregated to, finest first, in price units. */
  readonly bookTicks: readonly number[];
};

const l2Book: InfoHandler<'l2Book', L2Book> = ({ state }, query) => {
  const found = findBook(state, query);
  if (!found.ok) return found;
  const { owner, tick } = found;
  return answer({ coin: owner.name, time: state.timeMs, levels: bookSides(state, owner, tick) });
};

/** Returns the instrument of a request and its aggregation tick in price units, or a refusal. */
export function findBook(
  state: State,
  request: BookRequest,
): { ok: true; owner: BookOwner; tick: number } | { ok: false; error: WireError } {
  const { coin, tick: asked = '' } = request;
  const id = Number.parseInt(coin, 10);
  const owner = findPerp(state, id) ?? findMarket(state, id);
  if (owner === undefined) {
    return { ok: false, error: refusal('instrumentNotFound', [], { field: 'coin', got: coin }) };
  }
  const { bookTicks, priceTick } = owner;
  if (asked === '') return { ok: true, owner, tick: bookTicks[0] ?? priceTick };
  const units = parseExact(asked, priceDecimals(owner));
  const tick = bookTicks.find((each) => BigInt(each) === units);
  if (tick !== undefined) return { ok: true, owner, tick };
  const allowed = bookTicks.map((each) => formatPrice(owner, each));
  const details = { field: 'tick', got: asked, allowed };
  return { ok: false, error: refusal('wrongType', ['tick'], details) };
}

/** Finds an outcome market. A settled market has an empty book without aggregation ticks. */
function findMarket({ outcomes }: State, id: number): BookOwner | undefined {
  const { markets, settled } = outcomes;
  const name = outcomeName(id);
  const definition = markets.get(id)?.definition;
  if (definition !== undefined) {
    const { priceTick, szDecimals } = definition;
    return { instrumentId: id, name, szDecimals, priceTick, bookTicks: [priceTick] };
  }
  const szDecimals = settled.get(id)?.szDecimals;
  if (szDecimals === undefined) return undefined;
  return { instrumentId: id, name, szDecimals, priceTick: 1, bookTicks: [] };
}

/** Returns the levels of both sides, bids first, each with its best price first. */
export function bookSides(state: State, owner: BookOwner, tick: number): L2Book['levels'] {
  const side = (isBuy: boolean): Level[] => {
    const max = LIMITS.bookLevelsMax;
    const id = instrumentId(owner.instrumentId);
    // Orders placed before the tick became coarser can be between two ticks. Only then does the
    // finest book need to be aggregated.
    const plain = tick === owner.priceTick ? bookLevels(state, id, isBuy, max) : undefined;
    const isOnTick = plain?.every(({ price }) => price % tick === 0) === true;
    const levels =
      plain !== undefined && isOnTick ? plain : bookLevels(state, id, isBuy, max, tick);
    return levels.map((level) => ({
      px: formatPrice(owner, level.price),
      sz: formatSize(owner, level.size),
      n: level.count,
    }));
  };
  return [side(true), side(false)];
}

export type WholeBook = {
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
};

/** The number of levels per side that the checksum covers. */
const CHECKED_LEVELS = 20;

export function wholeBook(state: State, instrument: Instrument): WholeBook {
  const side = (isBuy: boolean): readonly BookLevel[] =>
    bookLevels(state, instrumentId(instrument.instrumentId), isBuy, Number.MAX_SAFE_INTEGER);
  return { bids: side(true), asks: side(false) };
}

/** Builds the frame sent to a new subscriber, with all levels of the book. */
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

/**
 * Builds the frame with the changes from one book to the next, or returns undefined if they are
 * equal.
 */
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

/** Returns new and changed levels, best price first, followed by removed levels with size 0. */
function changedLevels(
  scale: Scale,
  before: readonly BookLevel[],
  after: readonly BookLevel[],
): LevelTuple[] {
  const removed = new Map(before.map((level) => [level.price, level]));
  const changed: LevelTuple[] = [];
  for (const level of after) {
    const known = removed.get(level.price);
    removed.delete(level.price);
    if (known?.size === level.size && known.count === level.count) continue;
    changed.push(levelTuple(scale, level));
  }
  for (const price of removed.keys()) changed.push([formatPrice(scale, price), '0', 0]);
  return changed;
}

function levelTuple(scale: Scale, { count, price, size }: BookLevel): LevelTuple {
  return [formatPrice(scale, price), formatSize(scale, size), count];
}

/**
 * Computes the CRC-32 of the top levels. For each rank, the checked string has the bid and then the
 * ask as `px:sz`.
 */
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

export const BOOK_QUERIES = {
  l2Book: { answer: l2Book, isCommon: true },
} as const satisfies StateQueries;
