import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { applyBlock, createState, type Block } from '@oddlot/engine';
import { present } from '@oddlot/units';
import type { AppliedBlock, BlockHead, LogEntry } from '../packages/replica/src/block.ts';
import { countOf } from '../packages/history/src/indexer/row-buffer.ts';
import type { ReceiptRow } from '../packages/history/src/receipt.ts';
import { Receipts } from '../packages/history/src/receipts.ts';
import type { BlockRows } from '../packages/history/src/rows/block-rows.ts';
import { HistoryProjector } from '../packages/history/src/rows/history-projector.ts';
import { batchOf } from '../packages/history/src/store/batch.ts';
import {
  bytesOf,
  fillCodec,
  kindOf,
  orderCodec,
} from '../packages/history/src/store/row-codecs.ts';
import {
  openHistoryStore,
  type HistoryStore,
} from '../packages/history/src/store/history-store.ts';
import type { TableName } from '../packages/history/src/store/history-tables.ts';
import { MarketData } from '../packages/translate/src/read-models/market-data.ts';
import {
  createBlockHasher,
  createTextHasher,
  GENESIS_HEAD,
} from '../packages/replica/src/block-hash.ts';
import { instrumentLookup } from '../packages/translate/src/instruments.ts';
import { createEngineFlow } from './engine-flow.ts';
import { createOutcomeFlow } from './outcome-flow.ts';
import { loggedCommands } from './replay.ts';
import {
  atLeast,
  collectGarbage,
  cpuMs,
  cpuMsOf,
  median,
  medianRatio,
  same,
  show,
  sized,
  type Row,
  type Scale,
} from './report.ts';

/**
 * Blocks that were applied become rows, and the rows are written into the history's store; against
 * rows that lie ready, inserted one by one into tables of another file with nothing around them: of each
 * fill one, and of each order the newest, with the indexes by which the store finds them. Both commit at
 * the same blocks.
 */

const TARGET = 0.5;
/** As the indexer writes them. */
const ROWS_AT_ONCE = 5_000;

export async function rowRates(scale: Scale): Promise<readonly Row[]> {
  const orders = sized(scale, { full: 100_000, quick: 20_000, tiny: 500 });
  const rounds = sized(scale, { full: 5, quick: 4, tiny: 2 });
  const perps = createEngineFlow({ orders, ordersPerAction: 1, actionsPerBlock: 200 });
  const outcomes = createOutcomeFlow({ orders, ordersPerAction: 1, actionsPerBlock: 200 });
  const rows: Row[] = [];
  for (const [name, flow] of [
    ['perps', perps],
    ['outcome markets', outcomes],
  ] as const) {
    rows.push(await measure(name, [...flow.setUp, ...flow.blocks], rounds));
  }
  return rows;
}

async function measure(name: string, blocks: readonly Block[], rounds: number): Promise<Row> {
  const ours: number[] = [];
  const raw: number[] = [];
  let projected: number[] = [];
  let count = 0;
  for (let round = 0; round < rounds; round++) {
    const directory = await mkdtemp(join(tmpdir(), 'oddlot-bench-'));
    try {
      collectGarbage();
      const spent = await project(directory, blocks);
      // The first round compiles.
      if (round === 0) continue;
      ours.push(spent.projectMs + spent.writeMs);
      projected = [...projected, spent.projectMs];
      raw.push(spent.rawMs);
      count = spent.rows;
    } finally {
      await rm(directory, { recursive: true });
    }
  }
  const rate = (ms: readonly number[]): string => show((count * 1_000) / median(ms));
  const part = show((median(projected) * 1_000) / count);
  const words =
    `${rate(ours)} against ${rate(raw)} rows a second of CPU; ${show(count)} rows, ` +
    `${part} µs of projecting each`;
  return atLeast(`rows of ${name}, against a raw insert`, words, medianRatio(raw, ours), TARGET);
}

type Spent = {
  readonly projectMs: number;
  readonly writeMs: number;
  readonly rawMs: number;
  readonly rows: number;
};

/** First the rows that lie ready, alone; then, without those in memory, the same from the blocks on. */
async function project(directory: string, blocks: readonly Block[]): Promise<Spent> {
  const raw = await RawTables.open(join(directory, 'raw.sqlite'));
  let batches: Tables[] = [];
  const isTold = () => true;
  await follow(blocks, isTold, async (rows) => void batches.push(rowByRow(rows)));
  let rows = 0;
  for (const tables of batches) for (const table of tables.values()) rows += table.length;
  collectGarbage();
  const rawMs = cpuMs(() => {
    for (const batch of batches) raw.insert(batch);
  });
  batches = [];
  collectGarbage();
  const store = await openHistoryStore({ file: join(directory, 'history.sqlite') });
  let writeMs = 0;
  // Nobody watches: rows of orders that live are made for whoever asks.
  const nobody = () => false;
  const projectMs = await follow(blocks, nobody, async (some) => {
    writeMs += await cpuMsOf(() => store.write(some));
  });
  await check(store, raw, directory);
  return { projectMs, writeMs, rawMs, rows };
}

/** Makes the rows of blocks and hands them over in portions; the CPU time of making them, in ms. */
async function follow(
  blocks: readonly Block[],
  isTold: () => boolean,
  take: (rows: readonly BlockRows[]) => Promise<void>,
): Promise<number> {
  let waiting: BlockRows[] = [];
  let held = 0;
  let spentMs = 0;
  const follower = await Follower.create(isTold, (rows) => {
    waiting.push(rows);
    held += countOf(rows);
  });
  for (const block of blocks) {
    const applied = follower.apply(block);
    spentMs += cpuMs(() => follower.projector.onBlock(applied));
    if (held < ROWS_AT_ONCE) continue;
    await take(waiting);
    waiting = [];
    held = 0;
  }
  if (held > 0) await take(waiting);
  return spentMs;
}

/** The engine and what the projector looks at, whose time is not measured. */
class Follower {
  readonly projector: HistoryProjector;
  readonly #state = createState();
  readonly #markets = new MarketData(() => this.#state);
  readonly #receipts: Receipts;
  readonly #hashBlock: ReturnType<typeof createBlockHasher>;
  #made: readonly ReceiptRow[] = [];
  #head: BlockHead = GENESIS_HEAD;

  private constructor(
    hashBlock: ReturnType<typeof createBlockHasher>,
    isTold: () => boolean,
    onRows: (rows: BlockRows) => void,
  ) {
    const state = () => this.#state;
    this.#hashBlock = hashBlock;
    this.#receipts = new Receipts({
      instruments: instrumentLookup(state),
      onReceipts: ({ receipts }) => void (this.#made = receipts),
    });
    const receiptsOf = () => this.#made;
    const markets = this.#markets;
    this.projector = new HistoryProjector({ state, markets, receiptsOf, onRows, isTold });
  }

  static async create(isTold: () => boolean, onRows: (rows: BlockRows) => void): Promise<Follower> {
    return new Follower(createBlockHasher(await createTextHasher()), isTold, onRows);
  }

  apply(block: Block): AppliedBlock {
    const { height: seq, timeMs } = block;
    const entry: LogEntry = { seq, timeMs, commands: loggedCommands(block) };
    const applied = this.#hashBlock(
      this.#head,
      entry,
      applyBlock(this.#state, block, this.projector.observer),
    );
    this.#head = applied;
    this.#markets.onBlock(applied);
    this.#receipts.onBlock(applied);
    return applied;
  }
}

/** The tables of the history without the history: one plain statement for each, and a transaction. */
class RawTables {
  readonly #database: DatabaseSync;
  readonly #inserts = new Map<string, StatementSync>();

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  static async open(file: string): Promise<RawTables> {
    // The store makes the tables, and leaves.
    await (await openHistoryStore({ file })).close();
    const database = new DatabaseSync(file);
    for (const pragma of ['locking_mode = EXCLUSIVE', 'journal_mode = WAL', 'synchronous = FULL']) {
      database.exec(`PRAGMA ${pragma}`);
    }
    database.exec('PRAGMA wal_autocheckpoint = 20000');
    database.exec('PRAGMA cache_size = -65536');
    return new RawTables(database);
  }

  insert(tables: Tables): void {
    this.#database.exec('BEGIN');
    for (const [name, rows] of tables) {
      const insert = this.#insertInto(name, rows[0]?.length ?? 0);
      for (const row of rows) insert.run(...(row as SQLInputValue[]));
    }
    this.#database.exec('COMMIT');
  }

  #insertInto(name: string, columns: number): StatementSync {
    let insert = this.#inserts.get(name);
    if (insert === undefined) {
      const marks = Array.from({ length: columns }, () => '?').join(', ');
      insert = this.#database.prepare(`INSERT OR REPLACE INTO ${name} VALUES (${marks})`);
      this.#inserts.set(name, insert);
    }
    return insert;
  }

  close(): void {
    this.#database.close();
  }
}

type Tables = Map<TableName, (readonly unknown[])[]>;

/** What a portion leaves when each fill and each order is a row of its own. */
function rowByRow(blocks: readonly BlockRows[]): Tables {
  const packed = new Set<TableName>(['fill_runs', 'fill_run_instruments']);
  for (const name of ['order_runs', 'order_run_instruments'] as const) packed.add(name);
  const tables: Tables = new Map();
  for (const [name, rows] of batchOf(blocks).tables) {
    if (!packed.has(name)) tables.set(name, [...rows]);
  }
  const fills: unknown[][] = [];
  const orders = new Map<number, readonly unknown[]>();
  for (const { fills: some, head, orders: changed } of blocks) {
    const { height } = head;
    for (const [index, { accountType, instrumentId, row, user }] of some.entries()) {
      const owner = [bytesOf(user), kindOf(accountType)];
      fills.push([...owner, row.time, height, index, instrumentId, fillCodec.encode(row)]);
    }
    for (const { accountType, index, instrumentId, orderId, row, user } of changed) {
      const place = [row.statusTimestamp, height, index, instrumentId, orderId];
      const body = orderCodec.encode(row);
      orders.set(orderId, [bytesOf(user), kindOf(accountType), ...place, body]);
    }
  }
  return tables.set('fills', fills).set('orders', [...orders.values()]);
}

/** Both files hold the same rows; those of orders that live are in one of them. */
async function check(store: HistoryStore, raw: RawTables, directory: string): Promise<void> {
  await store.close();
  raw.close();
  const [ours, theirs] = [
    {
      name: 'history.sqlite',
      fills: 'sum(rows) FROM fill_runs',
      orders: 'sum(rows) FROM order_runs',
    },
    {
      name: 'raw.sqlite',
      fills: 'count(*) FROM fills',
      orders: `count(*) FROM orders WHERE body NOT LIKE '%"open",1%'`,
    },
  ].map(({ fills, name, orders }) => {
    same(`${name} is there`, existsSync(join(directory, name)), true);
    const database = new DatabaseSync(join(directory, name), { readOnly: true });
    const others = ['receipt_keys', 'blocks'].map((table) => `count(*) FROM ${table}`);
    const counts = [fills, orders, ...others].map((what) =>
      Object.values(present(database.prepare(`SELECT ${what}`).get(), 'a count')),
    );
    database.close();
    return counts.join(' ');
  });
  same('rows', ours, theirs);
}
