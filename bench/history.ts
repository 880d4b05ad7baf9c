import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { applyBlock, createState, type Block } from '@oddlot/engine';
import type { Fill } from '@oddlot/protocol';
import { address, hash, present, type Address, type Hash } from '@oddlot/units';
import type { AppliedBlock } from '../packages/venue/src/block/applied-block.ts';
import { countOf } from '../packages/venue/src/history/archivist/row-buffer.ts';
import type { ReceiptRow } from '../packages/venue/src/history/receipt-messages.ts';
import { Receipts } from '../packages/venue/src/history/receipts.ts';
import type { BlockRows } from '../packages/venue/src/history/rows/block-rows.ts';
import { HistoryProjector } from '../packages/venue/src/history/rows/history-projector.ts';
import { batchOf, type Batch } from '../packages/venue/src/history/store/batch.ts';
import {
  openHistoryStore,
  type HistoryStore,
} from '../packages/venue/src/history/store/history-store.ts';
import { TABLE_NAMES, TABLE_SPECS } from '../packages/venue/src/history/store/table-specs.ts';
import { MarketData } from '../packages/venue/src/read-models/market-data.ts';
import { instrumentLookup } from '../packages/venue/src/translate/actions/instrument-lookup.ts';
import { createEngineFlow, type EngineFlow } from './engine-flow.ts';
import {
  atLeast,
  atMost,
  collectGarbage,
  cpuMs,
  cpuMsOf,
  createRandom,
  same,
  show,
  sized,
  type Row,
  type Scale,
} from './report.ts';

/**
 * The history: from executed blocks to rows in a database against plain inserts of the same rows into
 * the same tables, CPU time; and a page of a user's newest fills among many, by the clock.
 */

const BULK_TARGET = 0.5;
const PAGE_MS_MAX = 10;
/** Rows of a transaction, as the archivist makes them. */
const ROWS_AT_ONCE = 5_000;
const REQUEST = `{"action":"${'x'.repeat(300)}"}`;

export async function historySection(scale: Scale): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'oddlot-bench-'));
  try {
    return [await bulk(folder, scale), await pages(folder, scale)];
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * The flow is executed three times: with nobody who looks, with rows made and stored, and with rows made
 * for plain inserts. Reading the clock of a process takes long, so it is read around whole runs.
 */
async function bulk(folder: string, scale: Scale): Promise<Row> {
  const orders = sized(scale, { full: 200_000, quick: 50_000, tiny: 200 });
  const flow = createEngineFlow({ orders, ordersPerAction: 1, actionsPerBlock: 50 });
  await play(flow);
  const bareMs = await cpuMsOf(() => play(flow));
  const store = await openHistoryStore({ file: join(folder, 'store.sqlite') });
  collectGarbage();
  const wholeMs = await cpuMsOf(() => play(flow, (blocks) => store.write(blocks)));
  await store.close();
  const raw = await openRaw(join(folder, 'raw.sqlite'));
  let rows = 0;
  let rawMs = 0;
  await play(flow, async (blocks) => {
    const batch = batchOf(blocks);
    rawMs += cpuMs(() => raw.insert(batch));
    for (const block of blocks) rows += countOf(block);
  });
  raw.close();
  const rowsMs = wholeMs - bareMs;
  const rate = (ms: number): string => `${show((1_000 * rows) / ms)} rows/s`;
  return atLeast(
    `history: blocks to rows in SQLite against plain inserts, ${show(rows)} rows`,
    `CPU; ${rate(rowsMs)} against ${rate(rawMs)}`,
    rawMs / rowsMs,
    BULK_TARGET,
  );
}

/** Executes a flow as the archivist does, and hands rows over in portions, if somebody takes them. */
async function play(
  flow: EngineFlow,
  take?: (blocks: readonly BlockRows[]) => Promise<void>,
): Promise<void> {
  const state = createState();
  let made: readonly ReceiptRow[] = [];
  const receipts = new Receipts({
    instruments: instrumentLookup(() => state),
    onReceipts: ({ receipts: rows }) => {
      made = rows;
    },
  });
  const markets = new MarketData(() => state);
  let waiting: BlockRows[] = [];
  let count = 0;
  const onRows = (rows: BlockRows): void => {
    waiting.push(rows);
    count += countOf(rows);
  };
  const projector = new HistoryProjector({
    state: () => state,
    markets,
    receiptsOf: () => made,
    onRows,
  });
  for (const logged of [...flow.setUp, ...flow.blocks]) {
    const block = applied(logged, applyBlock(state, logged));
    for (const projection of [...markets.projections, receipts]) projection.onBlock(block);
    if (take === undefined) continue;
    projector.onBlock(block);
    if (count < ROWS_AT_ONCE) continue;
    await take(waiting);
    waiting = [];
    count = 0;
  }
  await take?.(waiting);
  same('the digest of the flow', state.digest.hex(), flow.digest);
}

function applied(block: Block, result: AppliedBlock['result']): AppliedBlock {
  const { commands, height, timeMs } = block;
  return {
    height,
    timeMs,
    hash: numbered(height),
    parentHash: numbered(height - 1),
    stateHash: numbered(2 ** 40 + height),
    commands: commands.map((command) => ({ command, request: REQUEST })),
    result,
  };
}

function numbered(number: number): Hash {
  return hash(`0x${number.toString(16).padStart(64, '0')}`);
}

/** The same rows into the same tables by plain statements; rows that are there are replaced. */
async function openRaw(file: string): Promise<{ insert(batch: Batch): void; close(): void }> {
  await (await openHistoryStore({ file })).close();
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536');
  const inserts = new Map(
    TABLE_NAMES.map((name) => {
      const marks = Object.keys(TABLE_SPECS[name].columns).map(() => '?');
      const text = `INSERT OR REPLACE INTO "${name}" VALUES (${marks.join(', ')})`;
      return [name, database.prepare(text)];
    }),
  );
  return {
    insert({ tables }) {
      database.exec('BEGIN');
      for (const [name, rows] of tables) {
        const insert = present(inserts.get(name), 'a statement');
        for (const row of rows) insert.run(...row);
      }
      database.exec('COMMIT');
    },
    close: () => database.close(),
  };
}

const FILLS_PER_BLOCK = 500;
const PAGE = 200;

async function pages(folder: string, scale: Scale): Promise<Row> {
  const count = sized(scale, { full: 10_000_000, quick: 1_000_000, tiny: 2_000 });
  const users = sized(scale, { full: 1_000, quick: 1_000, tiny: 5 });
  const asked = sized(scale, { full: 2_000, quick: 500, tiny: 10 });
  const store = await openHistoryStore({ file: join(folder, 'fills.sqlite') });
  await fillStore(store, count, users);
  const random = createRandom(7);
  const times: number[] = [];
  for (let index = 0; index < asked; index += 1) {
    const startedMs = performance.now();
    const { rows } = await store.ask('fills', {
      user: userOf(random.below(users)),
      accountTypes: index % 2 === 0 ? ['perp'] : ['perp', 'outcome'],
      limit: PAGE,
      ...(index % 3 === 0 ? { instrumentId: 1 + random.below(3) } : {}),
    });
    times.push(performance.now() - startedMs);
    if (rows.length === 0) throw new Error('a user without fills');
  }
  await store.close();
  times.sort((left, right) => left - right);
  const p99 = present(times[Math.floor(times.length * 0.99)], 'some times');
  const middle = present(times[times.length >> 1], 'some times');
  return atMost(
    `history: a page of ${PAGE} fills among ${show(count)}`,
    `p99 by the clock; half of them within ${show(middle)} ms`,
    p99,
    PAGE_MS_MAX,
    ' ms',
  );
}

async function fillStore(store: HistoryStore, count: number, users: number): Promise<void> {
  const random = createRandom(3);
  let batch: BlockRows[] = [];
  for (let height = 1; height * FILLS_PER_BLOCK <= count; height += 1) {
    const timeMs = 1_767_225_600_000 + height;
    const fills = Array.from({ length: FILLS_PER_BLOCK }, (_, index) => {
      const instrumentId = 1 + random.below(3);
      const row = fillOf(instrumentId, timeMs, height * FILLS_PER_BLOCK + index);
      return { user: userOf(random.below(users)), accountType: 'perp', instrumentId, row } as const;
    });
    batch.push({ ...EMPTY, head: { ...HEAD, height, timeMs }, fills });
    if (batch.length < ROWS_AT_ONCE / FILLS_PER_BLOCK) continue;
    await store.write(batch);
    batch = [];
  }
  await store.write(batch);
}

function userOf(number: number): Address {
  return address(`0x${(number + 1).toString(16).padStart(40, '0')}`);
}

const HEAD = { hash: numbered(1), parentHash: numbered(0), stateHash: numbered(2) };
const EMPTY: Omit<BlockRows, 'head' | 'fills'> = {
  txs: [],
  receipts: [],
  orders: [],
  fundings: [],
  ledger: [],
  earnings: [],
  claims: [],
  withdrawals: [],
  candles: [],
  accountValues: [],
  markets: [],
  settledEvents: [],
};

function fillOf(instrumentId: number, time: number, tid: number): Fill {
  return {
    coin: 'BTC',
    symbol: 'BTC-USDC',
    px: '97000.5',
    sz: '0.0123',
    side: 'B',
    time,
    startPosition: '1.5',
    dir: 'Buy',
    reduceOnly: false,
    closedPnl: '0',
    hash: numbered(tid),
    oid: tid,
    crossed: true,
    fee: '0.417',
    tid,
    feeToken: 'USDC',
    twapId: null,
    tradeSide: 'Taker',
    marginMode: 'Cross',
    leverage: 10,
    instrumentId,
    instrumentType: 'perps',
    marketType: 'perps',
    cloid: null,
  };
}
