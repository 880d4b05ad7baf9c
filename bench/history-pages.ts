import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Fill } from '@oddlot/protocol';
import { address, hash, type Address } from '@oddlot/units';
import type { Ask } from '../packages/history/src/history.ts';
import {
  openHistoryStore,
  type HistoryStore,
} from '../packages/history/src/store/history-store.ts';
import { bytesOf, fillPacker, kindOf } from '../packages/history/src/store/row-codecs.ts';
import { atMost, createRandom, same, show, sized, type Row, type Scale } from './report.ts';

/**
 * Pages of `userFills` from a store with very many rows: half of them are of one market maker, the
 * others of accounts with a thousand each. From the question to the rows in the wire's words.
 */

const TARGET_MS = 10;
const PAGE_ROWS = 200;
const WARM_UPS = 50;
const FILLS_PER_TRADER = 1_000;
const INSTRUMENTS = 10;
/** An instrument that is traded once in so many fills. */
const RARE_ID = 11;
const RARE_EVERY = 10_000;
const START_MS = 1_767_225_600_000;
/** As a market maker's come together; others' come one by one. */
const MAKER_FILLS_PER_RUN = 16;
const MAKER = address(`0x${'a'.repeat(40)}`);

export async function fillPages(scale: Scale): Promise<readonly Row[]> {
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
  /** How many fills an account has. */
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

  /** Asks in turns for the market maker and for somebody else; each time for something else. */
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
      // The first ones compile.
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

  /** As many as there are, of the instrument and behind the cursor, newest first. */
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
 * Writes rows in the order of their key, straight into the tables. Those of the market maker come some at
 * a time, those of the others one by one: the more are packed together, the faster they are found.
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

/** The number of a fill is its height and its time in ms, so that each page can be foreseen. */
function fillOf(n: number) {
  const instrumentId = n % RARE_EVERY === 0 ? RARE_ID : 1 + (n % INSTRUMENTS);
  const place = { timeMs: START_MS + n, height: n, index: 0, instrumentId };
  return { place, row: { ...TEMPLATE, time: START_MS + n, oid: n, tid: n, instrumentId } };
}

/** What the rows share. */
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
