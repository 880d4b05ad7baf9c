import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Fill } from '@oddlot/protocol';
import { fillCodec, fillPacker } from '../packages/history/src/store/run-rows.ts';
import { addressBytes } from '../packages/history/src/store/table.ts';
import { createEngineFlow } from './engine-flow.ts';
import { follow } from './history.ts';
import { collectGarbage, cpuMs, median, same } from './report.ts';

/**
 * Compares ways to store fills, with one row and with up to 64 rows per value, by size on disk and
 * by the time taken to read a page of 200 rows as JSON. Decision 18 quotes the result. Run it with
 * `node bench/history-forms.ts [ORDERS]`.
 */

const PAGE_ROWS = 200;
const PAGES = 400;
const WARM_UPS = 100;
const ROWS_PER_TRANSACTION = 5_000;

type Placed = Parameters<typeof fillPacker.pack>[0][number];

type Form = {
  readonly pack: (rows: readonly Placed[]) => Uint8Array | string;
  readonly read: (body: never) => readonly string[];
};

const FORMS: Readonly<Record<string, Form>> = {
  'packed field by field': {
    pack: (rows) => fillPacker.pack(rows),
    read: (body: Uint8Array) => {
      const { json, places, row } = fillPacker.unpack(body);
      return places.map((_, at) => json(at, '') ?? JSON.stringify(row(at)));
    },
  },
  'plain rows, zstd': {
    pack: (rows) => zstdCompressSync(rows.map(({ row }) => JSON.stringify(row)).join('\n')),
    read: (body: Uint8Array) => zstdDecompressSync(body).toString().split('\n'),
  },
  'plain rows': {
    pack: (rows) => rows.map(({ row }) => fillCodec.encode(row)).join('\n'),
    read: (body: string) =>
      body.split('\n').map((text) => JSON.stringify(fillCodec.decode(text) satisfies Fill)),
  },
};

/** Returns the fills by account, in the batches that the indexer writes. */
async function runsOf(orders: number): Promise<readonly (readonly Placed[])[]> {
  const { blocks, setUp } = createEngineFlow({ orders, ordersPerAction: 1, actionsPerBlock: 200 });
  const runs: Placed[][] = [];
  let open = new Map<string, Placed[]>();
  let count = 0;
  await follow(
    [...setUp, ...blocks],
    () => false,
    async (some) => {
      for (const { fills, head } of some) {
        for (const [index, { instrumentId, row, user }] of fills.entries()) {
          const placed = {
            place: { timeMs: row.time, height: head.height, index, instrumentId },
            row,
          };
          const run = open.get(user);
          if (run === undefined || run.length === 64) runs.push(startRun(open, user, placed));
          else run.push(placed);
          count += 1;
        }
        if (count < ROWS_PER_TRANSACTION) continue;
        open = new Map();
        count = 0;
      }
    },
  );
  return runs;
}

function startRun(open: Map<string, Placed[]>, user: string, placed: Placed): Placed[] {
  const run = [placed];
  open.set(user, run);
  return run;
}

type Measured = {
  readonly bytesPerRow: number;
  readonly writeMicros: number;
  readonly pageMs: number;
  readonly first: string;
};

/**
 * Measures one form. Every second run of rows belongs to the queried account, so that account owns
 * half of the rows.
 */
function measure(
  file: string,
  { pack, read }: Form,
  runs: readonly (readonly Placed[])[],
): Measured {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = OFF');
  database.exec('PRAGMA synchronous = OFF');
  database.exec(`CREATE TABLE runs (account BLOB, at INTEGER, body NOT NULL,
    PRIMARY KEY (account, at)) WITHOUT ROWID`);
  const insert = database.prepare('INSERT INTO runs VALUES (?, ?, ?)');
  const accounts = [1, 2].map((digit) => addressBytes(`0x${String(digit).repeat(40)}`));
  let rows = 0;
  for (const run of runs.slice(0, WARM_UPS)) pack(run);
  const writeMs = cpuMs(() => {
    database.exec('BEGIN');
    for (const [at, run] of runs.entries()) {
      insert.run(accounts[at % 2] as Uint8Array, at, pack(run) as SQLInputValue);
      rows += run.length;
    }
    database.exec('COMMIT');
  });
  const pages = Number(database.prepare('PRAGMA page_count').get()?.['page_count']);
  const select = database.prepare(
    'SELECT body FROM runs WHERE account = ? AND at < ? ORDER BY at DESC LIMIT ?',
  );
  const spent: number[] = [];
  let first = '';
  collectGarbage();
  for (let page = -WARM_UPS; page < PAGES; page += 1) {
    const startedMs = performance.now();
    const before = runs.length - Math.floor((Math.max(0, page) * runs.length) / (2 * PAGES));
    const found: string[] = [];
    for (const { body } of select.iterate(accounts[0] as Uint8Array, before, PAGE_ROWS)) {
      found.push(...read(body as never));
      if (found.length >= PAGE_ROWS) break;
    }
    const json = `[${found.slice(0, PAGE_ROWS).join(',')}]`;
    // The first pages include compilation and are not counted.
    if (page >= 0) spent.push(performance.now() - startedMs);
    if (page === 0) first = json;
  }
  database.close();
  const writeMicros = (writeMs * 1_000) / rows;
  return { bytesPerRow: (pages * 4_096) / rows, writeMicros, pageMs: median(spent), first };
}

const directory = await mkdtemp(join(tmpdir(), 'oddlot-bench-'));
try {
  const runs = await runsOf(Number(process.argv[2] ?? 40_000));
  const single = runs.flatMap((run) => run.map((each) => [each]));
  const lines = [
    '| Form | Rows per value | Bytes per row | Writing, µs per row | Page of 200 rows, ms |',
    '|---|---|---|---|---|',
  ];
  for (const [kind, some] of [
    ['1', single],
    ['up to 64', runs],
  ] as const) {
    let packed: Measured | undefined;
    for (const [name, form] of Object.entries(FORMS)) {
      const file = join(directory, `${lines.length}.sqlite`);
      const found = measure(file, form, some);
      const first = (packed ??= found);
      same('rows of a page', found.first, first.first);
      const [size, writing, page] = (['bytesPerRow', 'writeMicros', 'pageMs'] as const).map(
        (key) => {
          const digits = key === 'pageMs' ? 2 : 0;
          return `${found[key].toFixed(digits)} (${(found[key] / first[key]).toFixed(2)}×)`;
        },
      );
      lines.push(`| ${name} | ${kind} | ${size} | ${writing} | ${page} |`);
    }
  }
  console.log(lines.join('\n'));
} finally {
  await rm(directory, { recursive: true });
}
