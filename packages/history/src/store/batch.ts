import { present } from '@oddlot/units';
import { accountKey, clientIdKey, hashKey, keysOf, packReceipts, packTxs } from './chain-codecs.ts';
import type { Fill, HistOrderRow } from '@oddlot/protocol';
import { type BlockRows, isLive } from '../rows/block-rows.ts';
import {
  accountValueCodec,
  addressBytes,
  bytesOf,
  candleCodec,
  claimCodec,
  earningCodec,
  encodeRanked,
  fillPacker,
  fundingCodec,
  kindOf,
  kindOfAll,
  ledgerCodec,
  liquidationCodec,
  openInterestCodec,
  orderCodec,
  orderPacker,
  withdrawalCodec,
} from './row-codecs.ts';
import type { HistoryTables, TableName } from './history-tables.ts';
import { bucketsOf, encodeArrivals, type StoredEnd } from './trace-codec.ts';
import type { Kysely, Transaction } from 'kysely';
import type { Placed, RowPacker } from './packed/packed-rows.ts';

/**
 * What some blocks leave, as rows of the tables. Versions of one thing that follow each other within the
 * blocks are one row, the last: most orders come and go within one transaction, and cost one write.
 */
type Value = string | number | Uint8Array | null;
export type Batch = {
  readonly tables: ReadonlyMap<TableName, readonly (readonly Value[])[]>;
  /** How many rows there are more than before, by kind. */
  readonly added: Readonly<Record<string, number>>;
};

const DAY_MS = 86_400_000;
/** Rows of a block, for keys that are made of a height and a place. */
const ROWS_PER_BLOCK = 2 ** 20;

export function batchOf(blocks: readonly BlockRows[]): Batch {
  const draft = new Draft();
  for (const block of blocks) {
    addChain(draft, block);
    addUserRows(draft, block);
    addArrivals(draft, block);
    addBuilderRows(draft, block);
    addMarketRows(draft, block);
    addFigures(draft, block);
  }
  addOrderEnds(draft, blocks);
  addRuns(draft, blocks);
  return draft;
}

/** Rows of an account that come together are kept together. */
function addRuns(draft: Draft, blocks: readonly BlockRows[]): void {
  const fills = new RunDrafts(fillPacker);
  const orders = new RunDrafts(orderPacker);
  for (const block of blocks) {
    addFills(draft, fills, block);
    addEndedOrders(draft, orders, block);
  }
  for (const run of fills.runs()) addRun(draft, 'fill', run);
  for (const run of orders.runs()) addRun(draft, 'order', run);
}

function addFills(draft: Draft, fills: RunDrafts<Fill>, block: BlockRows): void {
  const { height } = block.head;
  for (const [index, { accountType, instrumentId, row, user }] of block.fills.entries()) {
    const place = { timeMs: row.time, height, index, instrumentId };
    fills.add(user, kindOf(accountType), { place, row });
  }
  draft.count('fills', block.fills.length);
}

/** Those that live on are with whoever makes the rows; those of earlier eras come again. */
function addEndedOrders(draft: Draft, orders: RunDrafts<HistOrderRow>, block: BlockRows): void {
  const { height } = block.head;
  for (const { accountType, index, instrumentId, isChild, orderId, row, user } of block.orders) {
    if (index === undefined || isLive(row)) continue;
    const place = { timeMs: row.statusTimestamp, height, index, instrumentId };
    orders.add(user, kindOf(accountType), { place, row });
    draft.count('orders');
    if (isChild) draft.add('child_orders', [addressBytes(user), orderId, orderCodec.encode(row)]);
    const { cloid } = row.order;
    if (cloid === null) continue;
    draft.add('order_cloids', [clientIdKey(user, cloid), orderId, place.timeMs, height]);
  }
}

function addRun(draft: Draft, name: 'fill' | 'order', run: DraftedRun): void {
  const { body, firstMs, instrumentIds, kind, last, rows, user } = run;
  const account = addressBytes(user);
  const position = [last.timeMs, last.height, last.index];
  draft.add(`${name}_runs`, [account, kind, ...position, firstMs, rows, body]);
  for (const instrumentId of instrumentIds) {
    draft.add(`${name}_run_instruments`, [account, instrumentId, ...position, kind]);
  }
}

class Draft implements Batch {
  readonly tables = new Map<TableName, (readonly Value[])[]>();
  readonly added: Record<string, number> = {};
  /** Places of rows that later ones replace, by table and key. */
  readonly #places = new Map<TableName, Map<string | number, number>>();

  add(table: TableName, row: readonly Value[]): void {
    const rows = this.tables.get(table);
    if (rows === undefined) this.tables.set(table, [row]);
    else rows.push(row);
  }

  /** Replaces what has the same key; `merged` makes one of both. */
  put(
    table: TableName,
    key: string | number,
    row: readonly Value[],
    merged?: (earlier: readonly Value[]) => readonly Value[],
  ): void {
    let places = this.#places.get(table);
    if (places === undefined) this.#places.set(table, (places = new Map()));
    const place = places.get(key);
    const rows = this.tables.get(table);
    if (place === undefined || rows === undefined) {
      places.set(key, rows?.length ?? 0);
      this.add(table, row);
      return;
    }
    rows[place] = merged?.(present(rows[place], 'a row that was put')) ?? row;
  }

  count(name: string, count = 1): void {
    if (count === 0) return;
    this.added[name] = (this.added[name] ?? 0) + count;
  }
}

function addChain(draft: Draft, block: BlockRows): void {
  const { head, receipts, txs } = block;
  const { hash, height, parentHash, stateHash, timeMs } = head;
  draft.add('blocks', [
    height,
    timeMs,
    bytesOf(hash),
    hashKey(hash.slice(2)),
    bytesOf(parentHash),
    bytesOf(stateHash),
    txs.length,
  ]);
  draft.count('blocks');
  const keys = new Set<number>();
  if (txs.length > 0) {
    const packed = packTxs(height, txs);
    draft.add('tx_blocks', [height, packed.txs, packed.crc, packed.packed]);
    draft.count('txs', txs.length);
    for (const { txHash, user } of txs) keys.add(hashKey(txHash.slice(2))).add(accountKey(user));
  }
  if (receipts.length > 0) {
    const packed = packReceipts({ height, timeMs, blockHash: hash, receipts });
    const { crc, packed: bytes, receipts: text } = packed;
    draft.add('receipt_blocks', [height, timeMs, hash, text, crc, bytes]);
    draft.count('receipts', receipts.length);
    for (const receipt of receipts) for (const key of keysOf(receipt)) keys.add(key);
  }
  for (const key of keys) draft.add('receipt_keys', [key, height]);
}

function addUserRows(draft: Draft, block: BlockRows): void {
  const { height, timeMs } = block.head;
  for (const [index, record] of block.orders.entries()) {
    const { accountType, instrumentId, orderId, row, user } = record;
    if (record.index !== undefined) continue;
    const position = [row.statusTimestamp, height, index];
    const key = orderId > 0 ? orderId : -(height * ROWS_PER_BLOCK + index);
    const head = [addressBytes(user), kindOf(accountType), ...position, instrumentId, key];
    draft.put('orders', key, [...head, orderCodec.encode(row)]);
    if (row.order.timestamp === timeMs) draft.count('orders');
  }
  for (const [index, record] of block.fundings.entries()) {
    const { amountMicroUsdc, instrumentId, row, user } = record;
    const position = [row.time, height, index];
    const body = fundingCodec.encode(row);
    draft.add('fundings', [addressBytes(user), ...position, instrumentId, amountMicroUsdc, body]);
    draft.count('fundings');
  }
  for (const [index, { accountTypes, first, row, user }] of block.ledger.entries()) {
    const position = [row.time, first.height, first.index];
    const head = [addressBytes(user), kindOfAll(accountTypes), ...position, height, index];
    draft.put('ledger', first.height * ROWS_PER_BLOCK + first.index, [
      ...head,
      ledgerCodec.encode(row),
    ]);
    if (first.height === height && first.index === index) draft.count('ledger');
  }
  for (const [index, record] of block.withdrawals.entries()) {
    const { user, withdrawalId } = record;
    const row = [addressBytes(user), withdrawalId, height, index, record.timeMs];
    const body = withdrawalCodec.encode(record);
    draft.put('withdrawals', `${user} ${withdrawalId}`, [...row, body]);
    if (record.timeMs === record.updatedMs) draft.count('withdrawals');
  }
  for (const record of block.accountValues) {
    const { stepMs, user } = record;
    const row = [addressBytes(user), stepMs, record.timeMs, accountValueCodec.encode(record)];
    draft.put('account_values', `${user} ${stepMs} ${record.timeMs}`, row);
    draft.count('accountValues');
  }
}

/** How orders came to their books. Earlier eras tell nothing of it. */
function addArrivals(draft: Draft, { arrivals = [], head }: BlockRows): void {
  const [first] = arrivals;
  if (first === undefined) return;
  draft.add('arrivals', [first.orderId, head.height, head.timeMs, encodeArrivals(arrivals)]);
  draft.count('arrivals', arrivals.length);
}

/** How orders fared that have ended, all that come together. */
function addOrderEnds(draft: Draft, blocks: readonly BlockRows[]): void {
  const ended: StoredEnd[] = [];
  for (const { ends = [], head } of blocks) {
    for (const { end, orderId, szDecimals, trace } of ends) {
      const { height, timeMs } = head;
      ended.push({ orderId, height, timeMs, szDecimals, trace, end });
    }
  }
  for (const row of bucketsOf(ended)) draft.add('order_ends', row);
  draft.count('orderEnds', ended.length);
}

function addBuilderRows(draft: Draft, block: BlockRows): void {
  const { height } = block.head;
  for (const [index, record] of block.earnings.entries()) {
    const { addedFeeMicroUsdc: added, builder, instrumentId, orderId, timeMs, user } = record;
    const row = [
      addressBytes(builder),
      timeMs,
      height,
      index,
      orderId,
      earningCodec.encode(record),
    ];
    draft.put('earnings', `${builder} ${orderId}`, row);
    if (added === record.feeMicroUsdc) draft.count('earnings');
    const day = Math.floor(timeMs / DAY_MS);
    const fees = [addressBytes(builder), day, addressBytes(user), instrumentId, added];
    draft.put('builder_days', `${builder} ${day} ${user} ${instrumentId}`, fees, (earlier) =>
      summed(earlier, [0, 0, 0, 0, added]),
    );
    addTotals(draft, builder, { earned: added, claimed: 0 });
  }
  for (const [index, record] of block.claims.entries()) {
    const { amountMicroUsdc, builder, timeMs } = record;
    draft.add('claims', [addressBytes(builder), timeMs, height, index, claimCodec.encode(record)]);
    draft.count('claims');
    addTotals(draft, builder, { earned: 0, claimed: amountMicroUsdc });
  }
}

function addTotals(
  draft: Draft,
  builder: string,
  { claimed, earned }: { readonly earned: number; readonly claimed: number },
): void {
  draft.put('builder_totals', builder, [addressBytes(builder), earned, claimed], (earlier) =>
    summed(earlier, [0, earned, claimed]),
  );
}

/** Numbers are added up where something is added; bytes stay. */
function summed(earlier: readonly Value[], added: readonly number[]): readonly Value[] {
  return earlier.map((value, at) => (typeof value === 'number' ? value + (added[at] ?? 0) : value));
}

function addMarketRows(draft: Draft, block: BlockRows): void {
  for (const record of block.candles) {
    const { instrumentId, startMs, stepMs } = record;
    const row = [instrumentId, stepMs, startMs, candleCodec.encode(record)];
    draft.put('candles', `${instrumentId} ${stepMs} ${startMs}`, row);
    draft.count('candles');
  }
  for (const { eventSlug, instrumentId, slug, title } of block.markets) {
    draft.put('markets', instrumentId, [instrumentId, slug, title, eventSlug]);
    draft.count('markets');
  }
  for (const record of block.settledEvents) {
    const { body, createdMs, endMs, eventId, markets, seriesSlug, settledMs, slug } = record;
    const times = [createdMs, record.startMs, endMs, settledMs, record.volumeMicroUsdc];
    const lists = [JSON.stringify(record.tags), JSON.stringify(markets)];
    const row = [eventId, slug, seriesSlug, ...times, ...lists, body];
    draft.put('settled_events', eventId, row);
    draft.count('settledEvents');
    for (const tag of new Set(record.tags)) {
      draft.put('event_tags', `${eventId} ${tag}`, [tag, eventId]);
    }
    for (const market of markets) {
      const { instrumentId } = market;
      draft.put('settled_markets', instrumentId, [instrumentId, market.slug, eventId]);
    }
  }
}

/** Earlier eras tell nothing of them. */
function addFigures(
  draft: Draft,
  { head, largestTrades = [], liquidations = [], openInterest = [] }: BlockRows,
): void {
  for (const [index, { instrumentId, row }] of liquidations.entries()) {
    const position = [row.time, head.height, index];
    draft.add('liquidations', [instrumentId, ...position, liquidationCodec.encode(row)]);
  }
  draft.count('liquidations', liquidations.length);
  for (const { isFirst, list, startMs, trades } of largestTrades) {
    draft.put('largest_trades', `${list} ${startMs}`, [list, startMs, encodeRanked(trades)]);
    if (isFirst === true) draft.count('largestTrades');
  }
  for (const { instrumentId, row } of openInterest) {
    draft.add('open_interest', [instrumentId, row.time, openInterestCodec.encode(row)]);
  }
  draft.count('openInterest', openInterest.length);
}

/** Rejects when a transaction that has begun must not be. */
export type Expectation = (transaction: Transaction<HistoryTables>) => Promise<void>;

/** A database that holds the tables. Its one caller awaits each call before the next. */
export interface HistoryDriver {
  readonly database: Kysely<HistoryTables>;
  /** All rows of a batch, or none. */
  write(tables: Batch['tables'], expect?: Expectation): Promise<void>;
  /** What it takes on disk. */
  bytes(): Promise<number>;
  close(): Promise<void>;
}

/** Rows of a run: enough that what they share is written once, few enough to look through for one. */
const RUN_ROWS_MAX = 64;

/** A run as it is stored, and the instruments whose rows it has. */
type DraftedRun = {
  readonly user: string;
  readonly kind: number;
  readonly last: Placed<unknown>['place'];
  readonly firstMs: number;
  readonly rows: number;
  readonly body: Uint8Array;
  readonly instrumentIds: readonly number[];
};

/** Rows of a transaction by account and kind, which become runs. They come in the order of their places. */
class RunDrafts<Row> {
  readonly #packer: RowPacker<Row>;
  readonly #drafts = new Map<number, Map<string, Placed<Row>[]>>();

  constructor(packer: RowPacker<Row>) {
    this.#packer = packer;
  }

  add(user: string, kind: number, row: Placed<Row>): void {
    let drafts = this.#drafts.get(kind);
    if (drafts === undefined) this.#drafts.set(kind, (drafts = new Map()));
    const rows = drafts.get(user);
    if (rows === undefined) drafts.set(user, [row]);
    else rows.push(row);
  }

  *runs(): Generator<DraftedRun> {
    for (const [kind, drafts] of this.#drafts) {
      for (const [user, rows] of drafts) {
        for (let from = 0; from < rows.length; from += RUN_ROWS_MAX) {
          const run = this.#run(rows.slice(from, from + RUN_ROWS_MAX));
          yield { user, kind, ...run };
        }
      }
    }
  }

  #run(rows: readonly Placed<Row>[]): Omit<DraftedRun, 'user' | 'kind'> {
    return {
      last: present(rows.at(-1), 'the last row of a run').place,
      firstMs: present(rows[0], 'the first row of a run').place.timeMs,
      rows: rows.length,
      body: this.#packer.pack(rows),
      instrumentIds: [...new Set(rows.map(({ place }) => place.instrumentId))],
    };
  }
}
