import { type ByteReader, ByteWriter } from '@oddlot/replica/codec/bytes';
import type { Kysely, Transaction } from 'kysely';
import type {
  ArrivalTrace,
  BlockPlace,
  BlockRows,
  EnteredBook,
  LaterTrace,
  OrderEndRecord,
  PackedArrivals,
  Rest,
  TraceEnd,
} from '../rows/block-rows.ts';
import type { Draft, HistoryTables } from './history-tables.ts';
import { opened, sealed } from './packed-rows.ts';

/** Returns the arrivals of a block, which must be in the order of their ids. */
export function packedArrivals(arrivals: readonly ArrivalTrace[]): PackedArrivals | undefined {
  const [first] = arrivals;
  if (first === undefined) return undefined;
  const body = encodeArrivals(arrivals);
  return { firstOrderId: first.orderId, count: arrivals.length, body };
}

export function addArrivals(draft: Draft, { arrivals, head }: BlockRows): void {
  if (arrivals === undefined) return;
  const { body, count, firstOrderId } = arrivals;
  draft.add('arrivals', [firstOrderId, head.height, head.timeMs, body]);
  draft.count('arrivals', count);
}

export function addOrderEnds(draft: Draft, blocks: readonly BlockRows[]): void {
  const ended = blocks.flatMap(({ ends = [], head: { height, timeMs } }) =>
    ends.map((end): StoredEnd => ({ ...end, height, timeMs })),
  );
  for (const row of bucketsOf(ended)) draft.add('order_ends', row);
  draft.count('orderEnds', ended.length);
}

/**
 * Traces are encoded as bytes. The orders of a block form one value: their ids are close to each
 * other, and a field equal to that of the previous order is written as a zero. Prices are
 * differences from the mark. A bit shows whether an optional section exists.
 */

const INITIAL_BYTES = 4_096;
/** A buffer that has grown beyond this size is released. */
const RETAINED_BYTES_MAX = 1024 * 1024;
const writer = new ByteWriter(INITIAL_BYTES);

/**
 * The bits of the optional sections of an order. New bits are appended; none is ever removed or
 * moved.
 */
const PARTS = {
  entered: 1,
  rest: 2,
  taker: 4,
  fills: 8,
  ended: 16,
  received: 32,
  txHash: 64,
} as const;
const FORM = 1;

export function encodeArrivals(arrivals: readonly ArrivalTrace[]): Uint8Array {
  begin();
  writer.int(arrivals.length);
  let last = FIRST;
  for (const trace of arrivals) {
    const { commandIndex, ended, entered, instrumentId, orderId, received, rest, taker } = trace;
    writer.int(
      (entered === undefined ? 0 : PARTS.entered) |
        (rest === undefined ? 0 : PARTS.rest) |
        (taker === undefined ? 0 : PARTS.taker) |
        (trace.hasFills ? PARTS.fills : 0) |
        (ended === undefined ? 0 : PARTS.ended) |
        (received === undefined ? 0 : PARTS.received) |
        (trace.txHash === undefined ? 0 : PARTS.txHash),
    );
    writer.int(orderId - last.orderId);
    writer.int(instrumentId - last.instrumentId);
    writer.int(commandIndex - last.commandIndex);
    writer.int(trace.szDecimals);
    let { markHalves } = last;
    if (entered !== undefined) {
      writeEntered(entered, markHalves);
      ({ markHalves } = entered);
    }
    if (rest !== undefined) writeRest(rest, markHalves);
    if (taker !== undefined) writeTaker(taker);
    if (ended !== undefined) writeEnd(ended);
    if (received !== undefined) {
      writer.number(received.height);
      writer.number(received.timeMs);
    }
    if (trace.txHash !== undefined) writer.text(trace.txHash);
    last = { orderId, instrumentId, commandIndex, markHalves };
  }
  return sealed(writer);
}

const FIRST = { orderId: 0, instrumentId: 0, commandIndex: 0, markHalves: 0 };

export function decodeArrivals(bytes: Uint8Array): ArrivalTrace[] {
  const reader = started(bytes);
  let { commandIndex, instrumentId, markHalves, orderId } = FIRST;
  return Array.from({ length: reader.int() }, () => {
    const parts = reader.int();
    orderId += reader.int();
    instrumentId += reader.int();
    commandIndex += reader.int();
    const szDecimals = reader.int();
    const has = (part: number): boolean => (parts & part) !== 0;
    const entered = has(PARTS.entered) ? readEntered(reader, markHalves) : undefined;
    markHalves = entered?.markHalves ?? markHalves;
    const rest = has(PARTS.rest) ? readRest(reader, markHalves) : undefined;
    const taker = has(PARTS.taker) ? readTaker(reader) : undefined;
    const ended = has(PARTS.ended) ? readEnd(reader) : undefined;
    const received = has(PARTS.received)
      ? { height: reader.number(), timeMs: reader.number() }
      : undefined;
    const txHash = has(PARTS.txHash) ? reader.text() : undefined;
    const hasFills = has(PARTS.fills);
    const order = { orderId, instrumentId, szDecimals, commandIndex, hasFills };
    return { ...order, received, entered, rest, taker, ended, txHash };
  });
}

export type StoredEnd = BlockPlace & OrderEndRecord;

export function encodeEnds(ends: readonly StoredEnd[]): Uint8Array {
  begin();
  writer.int(ends.length);
  let last = { orderId: 0, height: 0, timeMs: 0 };
  for (const { end, height, orderId, szDecimals, timeMs, trace } of ends) {
    const { entered, fills, rest, taker } = trace;
    writer.int(
      (entered === undefined ? 0 : PARTS.entered) |
        (rest === undefined ? 0 : PARTS.rest) |
        (taker === undefined ? 0 : PARTS.taker) |
        (fills === undefined ? 0 : PARTS.fills),
    );
    writer.int(orderId - last.orderId);
    writer.int(height - last.height);
    writer.int(timeMs - last.timeMs);
    writer.int(szDecimals);
    if (entered !== undefined) {
      writer.number(entered.height);
      writer.number(entered.timeMs);
      writeEntered(entered.book, 0);
    }
    if (rest !== undefined) {
      writer.number(rest.fromMs);
      writeRest(rest, 0);
    }
    if (taker !== undefined) writeTaker(taker);
    if (fills !== undefined) writeFills(fills);
    writeEnd(end);
    last = { orderId, height, timeMs };
  }
  return sealed(writer);
}

export function decodeEnds(bytes: Uint8Array): StoredEnd[] {
  const reader = started(bytes);
  let [orderId, height, timeMs] = [0, 0, 0];
  return Array.from({ length: reader.int() }, () => {
    const parts = reader.int();
    orderId += reader.int();
    height += reader.int();
    timeMs += reader.int();
    const place = { orderId, height, timeMs, szDecimals: reader.int() };
    const trace = readLater(reader, parts);
    return { ...place, trace, end: readEnd(reader) };
  });
}

function readLater(reader: ByteReader, parts: number): LaterTrace {
  const trace: LaterTrace = {};
  if ((parts & PARTS.entered) !== 0) {
    const place = { height: reader.number(), timeMs: reader.number() };
    trace.entered = { ...place, book: readEntered(reader, 0) };
  }
  if ((parts & PARTS.rest) !== 0) {
    const fromMs = reader.number();
    trace.rest = { ...readRest(reader, 0), fromMs };
  }
  if ((parts & PARTS.taker) !== 0) trace.taker = readTaker(reader);
  if ((parts & PARTS.fills) !== 0) trace.fills = readFills(reader);
  return trace;
}

function begin(): void {
  writer.clear(RETAINED_BYTES_MAX, INITIAL_BYTES);
  writer.byte(FORM);
}

function started(bytes: Uint8Array): ByteReader {
  const reader = opened(bytes);
  reader.byte();
  return reader;
}

/** The bid, ask and oracle prices are doubled like the mark. An empty side has price 0. */
function writeEntered(book: EnteredBook, markBefore: number): void {
  const { markHalves: mark } = book;
  writer.int(mark - markBefore);
  writer.int(2 * book.bestBid - mark);
  writer.int(2 * book.bestAsk - mark);
  writer.int(2 * book.oracle - mark);
  writer.int(book.met.length);
  let before = mark;
  for (const { price, size } of book.met) {
    writer.int(2 * price - before);
    writer.number(size);
    before = 2 * price;
  }
}

function readEntered(reader: ByteReader, markBefore: number): EnteredBook {
  const markHalves = markBefore + reader.int();
  const price = (from: number): number => (from + reader.int()) / 2;
  const book = {
    bestBid: price(markHalves),
    bestAsk: price(markHalves),
    markHalves,
    oracle: price(markHalves),
  };
  let before = markHalves;
  const met = Array.from({ length: reader.int() }, () => {
    const level = { price: price(before), size: reader.number() };
    before = 2 * level.price;
    return level;
  });
  return { ...book, met };
}

function writeRest({ aheadAtStart, price }: Rest, mark: number): void {
  writer.int(2 * price - mark);
  writeCount(aheadAtStart);
}

function readRest(reader: ByteReader, mark: number): Rest {
  return { price: (mark + reader.int()) / 2, aheadAtStart: readCount(reader) };
}

function writeTaker({
  lots,
  notional,
}: {
  readonly lots: number;
  readonly notional: number;
}): void {
  writer.number(lots);
  writer.number(notional);
}

function readTaker(reader: ByteReader): { lots: number; notional: number } {
  return { lots: reader.number(), notional: reader.number() };
}

function writeEnd({ ahead, builderFee }: TraceEnd): void {
  writeCount(ahead);
  writer.number(builderFee);
}

function readEnd(reader: ByteReader): TraceEnd {
  return { ahead: readCount(reader), builderFee: reader.number() };
}

/** Writes the number plus one; zero stands for an unknown number. */
function writeCount(count: number | undefined): void {
  writer.number(count === undefined ? 0 : count + 1);
}

function readCount(reader: ByteReader): number | undefined {
  const count = reader.number();
  return count === 0 ? undefined : count - 1;
}

/** Writes alternating times and heights, each as the difference from the previous one. */
function writeFills(fills: readonly number[]): void {
  writer.int(fills.length);
  for (const [at, value] of fills.entries()) writer.int(value - (fills[at - 2] ?? 0));
}

function readFills(reader: ByteReader): number[] {
  const fills: number[] = [];
  const count = reader.int();
  for (let at = 0; at < count; at += 1) fills.push((fills[at - 2] ?? 0) + reader.int());
  return fills;
}

/**
 * Ends of orders are grouped by order id, because a row per end would cost more than all other
 * execution data of an order. Most orders are short-lived, so those that end in one transaction
 * belong to a small number of groups.
 */
type Database = Kysely<HistoryTables> | Transaction<HistoryTables>;

const ORDERS_PER_BUCKET = 256;

export function bucketOf(orderId: number): number {
  return Math.floor(orderId / ORDERS_PER_BUCKET);
}

function* bucketsOf(
  ends: readonly StoredEnd[],
): Generator<readonly [bucket: number, height: number, body: Uint8Array]> {
  const buckets = new Map<number, StoredEnd[]>();
  for (const end of ends) {
    const bucket = bucketOf(end.orderId);
    const some = buckets.get(bucket);
    if (some === undefined) buckets.set(bucket, [end]);
    else some.push(end);
  }
  const height = ends.at(-1)?.height ?? 0;
  for (const [bucket, some] of buckets) yield [bucket, height, encodeEnds(some)];
}

/**
 * Returns the ends of orders with ids in a range, along with those of other orders in the same
 * groups.
 */
export async function endsBetween(
  database: Database,
  first: number,
  last: number,
): Promise<readonly StoredEnd[]> {
  const rows = await database
    .selectFrom('order_ends')
    .select('body')
    .where('bucket', '>=', bucketOf(first))
    .where('bucket', '<=', bucketOf(last))
    .execute();
  return rows.flatMap(({ body }) => decodeEnds(body));
}

export async function deleteEnds(database: Database, orderIds: readonly number[]): Promise<number> {
  const deletedIds = new Set(orderIds);
  let deleted = 0;
  for (const bucket of new Set(orderIds.map(bucketOf))) {
    const rows = await database
      .selectFrom('order_ends')
      .selectAll()
      .where('bucket', '=', bucket)
      .execute();
    for (const { body, height } of rows) {
      const ends = decodeEnds(body);
      const remaining = ends.filter(({ orderId }) => !deletedIds.has(orderId));
      if (remaining.length === ends.length) continue;
      deleted += ends.length - remaining.length;
      if (remaining.length > 0) {
        await database
          .updateTable('order_ends')
          .set({ body: encodeEnds(remaining) })
          .where('bucket', '=', bucket)
          .where('height', '=', height)
          .execute();
      } else {
        await database
          .deleteFrom('order_ends')
          .where('bucket', '=', bucket)
          .where('height', '=', height)
          .execute();
      }
    }
  }
  return deleted;
}
