import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { applyBlock, createState, type Block } from '@oddlot/engine';
import type { Fill } from '@oddlot/protocol';
import { address, hash, present, type Address } from '@oddlot/units';
import type { Ask } from '../packages/history/src/history.ts';
import { countOf } from '../packages/history/src/indexer/row-buffer.ts';
import type { ReceiptRow } from '../packages/history/src/receipt.ts';
import { Receipts } from '../packages/history/src/receipts.ts';
import type { BlockRows } from '../packages/history/src/rows/block-rows.ts';
import { HistoryProjector } from '../packages/history/src/rows/history-projector.ts';
import {
  batchOf,
  openHistoryStore,
  type HistoryStore,
} from '../packages/history/src/store/history-store.ts';
import { fillCodec, fillPacker, orderCodec } from '../packages/history/src/store/run-rows.ts';
import { bytesOf, kindOf } from '../packages/history/src/store/table.ts';
import {
  createBlockHasher,
  createTextHasher,
  GENESIS_HEAD,
} from '../packages/replica/src/block-hash.ts';
import type { AppliedBlock, BlockHead, LogEntry } from '../packages/replica/src/block.ts';
import { instrumentLookup } from '../packages/translate/src/instruments.ts';
import { MarketData } from '../packages/translate/src/read-models/market-data.ts';
import { createEngineFlow, createOutcomeFlow } from './engine-flow.ts';
import { loggedCommands } from './engine.ts';
import {
  atLeast,
  atMost,
  collectGarbage,
  cpuMs,
  cpuMsOf,
  createRandom,
  median,
  medianRatio,
  same,
  show,
  sized,
  type Row,
  type Scale,
} from './report.ts';

/**
 * Measures the cost of the history: creating rows, storing them, and finding them in a large store.
 */
export async function historySection(scale: Scale): Promise<readonly Row[]> {
  return [...(await rowRates(scale)), ...(await fillPages(scale))];
}

/**
 * The target for creating and storing the history rows of applied blocks. The baseline inserts
 * prepared rows into plain tables in another file: one row per fill and order, with the same
 * indexes and the same commits.
 */

const TARGET = 0.5;
/** The batch size of the indexer. */
const ROWS_AT_ONCE = 5_000;

async function rowRates(scale: Scale): Promise<readonly Row[]> {
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
      // The first round includes compilation and is not counted.
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

/** Runs the baseline first and alone. Its rows are then freed before the history runs. */
async function project(directory: string, blocks: readonly Block[]): Promise<Spent> {
  const raw = await RawTables.open(join(directory, 'raw.sqlite'));
  let batches: Tables[] = [];
  const isReported = () => true;
  await follow(blocks, isReported, async (rows) => void batches.push(rowByRow(rows)));
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
  // With no subscribers, rows for live orders are created on request.
  const isWatched = () => false;
  const projectMs = await follow(blocks, isWatched, async (some) => {
    writeMs += await cpuMsOf(() => store.write(some));
  });
  await check(store, raw, directory);
  return { projectMs, writeMs, rawMs, rows };
}

/**
 * Creates the rows for blocks, passes them on in batches, and returns the CPU time, in
 * milliseconds, taken to create them.
 */
export async function follow(
  blocks: readonly Block[],
  isReported: () => boolean,
  take: (rows: readonly BlockRows[]) => Promise<void>,
): Promise<number> {
  let waiting: BlockRows[] = [];
  let held = 0;
  let spentMs = 0;
  const follower = await Follower.create(isReported, (rows) => {
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

/** Applies blocks to an engine and its read models. This work is not measured. */
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
    isReported: () => boolean,
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
    this.projector = new HistoryProjector({ state, markets, receiptsOf, onRows, isReported });
  }

  static async create(
    isReported: () => boolean,
    onRows: (rows: BlockRows) => void,
  ): Promise<Follower> {
    return new Follower(createBlockHasher(await createTextHasher()), isReported, onRows);
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

/** Plain tables, with one prepared statement per table and one transaction per batch. */
class RawTables {
  readonly #database: DatabaseSync;
  readonly #inserts = new Map<string, StatementSync>();

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  static async open(file: string): Promise<RawTables> {
    // The store is opened to create the tables, and then closed.
    await (await openHistoryStore({ file })).close();
    const database = new DatabaseSync(file);
    for (const statement of SINGLE_ROW_TABLES) database.exec(statement);
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

const ROW_COLUMNS = `account BLOB, kind INTEGER, time_ms INTEGER, height INTEGER, idx INTEGER,
  instrument_id INTEGER`;
const ROW_KEY = 'PRIMARY KEY (account, kind, time_ms, height, idx)';
const SINGLE_ROW_TABLES = [
  `CREATE TABLE fills (${ROW_COLUMNS}, body TEXT, ${ROW_KEY}) WITHOUT ROWID`,
  `CREATE TABLE orders (${ROW_COLUMNS}, order_key INTEGER, body TEXT, ${ROW_KEY}) WITHOUT ROWID`,
  'CREATE UNIQUE INDEX orders_by_id ON orders (order_key)',
  ...['fills', 'orders'].map(
    (name) => `CREATE INDEX ${name}_by_instrument
      ON ${name} (account, instrument_id, time_ms, height, idx)`,
  ),
];

type Tables = Map<string, (readonly unknown[])[]>;

function rowByRow(blocks: readonly BlockRows[]): Tables {
  const packed = new Set<string>(['fill_runs', 'fill_run_instruments']);
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

/** Checks that both files contain the same rows. Live orders are in only one of the files. */
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

/**
 * Measures pages of `userFills` from a store with many rows. Half of the rows belong to a market
 * maker, and the rest to accounts with a thousand fills each.
 */

const TARGET_MS = 10;
const PAGE_ROWS = 200;
const WARM_UPS = 50;
const FILLS_PER_TRADER = 1_000;
const INSTRUMENTS = 10;
/** A rarely traded instrument. */
const RARE_ID = 11;
const RARE_EVERY = 10_000;
const START_MS = 1_767_225_600_000;
const MAKER_FILLS_PER_RUN = 16;
const MAKER = address(`0x${'a'.repeat(40)}`);

async function fillPages(scale: Scale): Promise<readonly Row[]> {
  const rows = sized(scale, { full: 10_000_000, quick: 1_000_000, tiny: 20_000 });
  const asked = sized(scale, { full: 2_000, quick: 1_000, tiny: 20 });
  const directory = await mkdtemp(join(tmpdir(), 'oddlot-bench-'));
  try {
    const file = join(directory, 'history.sqlite');
    await (await openHistoryStore({ file })).close();
    const filled = fill(file, rows);
    const store = await openHistoryStore({ file });
    try {
      const pages = new Pages(store, filled);
      return [
        await pages.row('newest fills of a user', asked, (user) => ({ user })),
        await pages.row('newest fills of a user in a coin', asked, (user, random) => ({
          user,
          instrumentId: random(2) === 0 ? RARE_ID : 1 + random(INSTRUMENTS),
        })),
        await pages.row('fills of a user behind a deep cursor', asked, (user, random) => {
          const depth = random(filled.of(user));
          return { user, cursor: [START_MS + depth, depth, 0] };
        }),
      ];
    } finally {
      await store.close();
    }
  } finally {
    await rm(directory, { recursive: true });
  }
}

type Filled = {
  readonly rows: number;
  readonly traders: number;
  readonly of: (user: Address) => number;
};

class Pages {
  readonly #store: HistoryStore;
  readonly #filled: Filled;
  readonly #random = createRandom(10_000_000);

  constructor(store: HistoryStore, filled: Filled) {
    this.#store = store;
    this.#filled = filled;
  }

  /**
   * Measures one kind of query. Queries alternate between the market maker and other accounts, with
   * different parameters each time.
   */
  async row(
    what: string,
    asked: number,
    question: (user: Address, random: (limit: number) => number) => Partial<Ask<'fills'>>,
  ): Promise<Row> {
    const { rows, traders } = this.#filled;
    const spent: number[] = [];
    for (let count = -WARM_UPS; count < asked; count++) {
      const user = count % 2 === 0 ? MAKER : traderOf(this.#random.below(traders));
      const ask = question(user, (limit) => this.#random.below(limit));
      const startedMs = performance.now();
      const page = await this.#store.ask('fills', {
        user,
        limit: PAGE_ROWS,
        accountTypes: ['perp', 'outcome'],
        ...ask,
      });
      // The first queries include compilation and are not counted.
      if (count >= 0) spent.push(performance.now() - startedMs);
      this.#check(user, ask, page.rows);
    }
    const sorted = spent.toSorted((a, b) => a - b);
    const at = (part: number): number => sorted[Math.floor(part * (sorted.length - 1))] ?? 0;
    const words =
      `wall-clock; ${PAGE_ROWS} of ${show(rows)} rows, ${show(at(0.5))} ms in the median of ` +
      `${show(asked)}, ${show(at(1))} ms the slowest`;
    return atMost(`${what}, the 99th percentile`, words, at(0.99), TARGET_MS, ' ms');
  }

  #check(user: Address, ask: Partial<Ask<'fills'>>, rows: readonly Fill[]): void {
    const { cursor, instrumentId } = ask;
    const before = cursor?.[1] ?? this.#filled.of(user);
    if (instrumentId === undefined)
      same('rows of a page', rows.length, Math.min(PAGE_ROWS, before));
    if (instrumentId === undefined && before > 0) same('the newest row', rows[0]?.oid, before - 1);
    const wrong = rows.find(
      (row, at) =>
        (instrumentId !== undefined && row.instrumentId !== instrumentId) ||
        row.oid >= (rows[at - 1]?.oid ?? before),
    );
    same('rows that do not belong', wrong, undefined);
  }
}

function traderOf(index: number): Address {
  return address(`0x${(index + 1).toString(16).padStart(40, '0')}`);
}

/**
 * Writes rows directly into the tables in key order. The market maker's rows are consecutive; those
 * of other accounts are scattered.
 */
function fill(file: string, rows: number): Filled {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = OFF');
  database.exec('PRAGMA synchronous = OFF');
  const ofMaker = Math.floor(rows / 2);
  const traders = Math.floor((rows - ofMaker) / FILLS_PER_TRADER);
  const insertRun = database.prepare('INSERT INTO fill_runs VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  const insertInstrument = database.prepare(
    'INSERT INTO fill_run_instruments VALUES (?, ?, ?, ?, ?, ?)',
  );
  const write = (user: Address, count: number, perRun: number): void => {
    const account = bytesOf(user);
    const kind = kindOf('perp');
    for (let first = 0; first < count; first += perRun) {
      const run = Array.from({ length: Math.min(perRun, count - first) }, (_, at) =>
        fillOf(first + at),
      );
      const last = first + run.length - 1;
      const position = [START_MS + last, last, 0];
      const body = fillPacker.pack(run);
      insertRun.run(account, kind, ...position, START_MS + first, run.length, body);
      for (const id of new Set(run.map(({ place }) => place.instrumentId))) {
        insertInstrument.run(account, id, ...position, kind);
      }
    }
  };
  database.exec('BEGIN');
  for (let index = 0; index < traders; index++) write(traderOf(index), FILLS_PER_TRADER, 1);
  write(MAKER, ofMaker, MAKER_FILLS_PER_RUN);
  database.exec('COMMIT');
  database.close();
  return {
    rows: ofMaker + traders * FILLS_PER_TRADER,
    traders,
    of: (user) => (user === MAKER ? ofMaker : FILLS_PER_TRADER),
  };
}

/**
 * Returns the n-th fill. Its id follows from its height and time, so the expected pages are known.
 */
function fillOf(n: number) {
  const instrumentId = n % RARE_EVERY === 0 ? RARE_ID : 1 + (n % INSTRUMENTS);
  const place = { timeMs: START_MS + n, height: n, index: 0, instrumentId };
  return { place, row: { ...TEMPLATE, time: START_MS + n, oid: n, tid: n, instrumentId } };
}

const TEMPLATE: Fill = {
  coin: 'BTC',
  symbol: 'BTC-USDC',
  px: '97000.5',
  sz: '0.01234',
  side: 'B',
  time: 123_456_789,
  startPosition: '1.5',
  dir: 'Buy',
  reduceOnly: false,
  closedPnl: '12.345678',
  hash: hash(`0x${'ab'.repeat(32)}`),
  oid: 987_654_321,
  crossed: true,
  fee: '0.123456',
  tid: 987_654_321,
  feeToken: 'USDC',
  twapId: null,
  tradeSide: 'Taker',
  marginMode: 'Cross',
  leverage: 10,
  instrumentId: 55_555,
  instrumentType: 'perps',
  marketType: 'perps',
  entryPrice: '96000.25',
  roe: '1.234567',
  cloid: null,
};
