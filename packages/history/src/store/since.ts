import type { Kysely } from 'kysely';
import type { Ask, Page, SinceAnswer } from '../history.ts';
import type { LiveRows, RowPosition } from '../rows/block-rows.ts';
import type { HistoryTables } from './history-tables.ts';
import { fillWithTexts, type FoundRow, textsOf } from './run-rows.ts';
import { bytesOf } from './table.ts';
import { foundFills, foundFundings, foundLedger, foundOrders } from './user-rows.ts';

type Database = Kysely<HistoryTables>;
type Rows = { readonly rows: readonly FoundRow<unknown>[]; readonly next: RowPosition | null };

/** Greater than all indexes in a block; fits the smallest integers of the databases. */
const INDEX_MAX = 2 ** 31 - 1;
/** The time of a funding payment is its hour, which is before its block. */
const FUNDING_EARLIER_MS = 2 * 3_600_000;
/** Rows per query when blocks are counted. */
const COUNTED_AT_ONCE = 1_000;

/** The rows of blocks after one. Fills and fundings never change; of orders and withdrawals only the last version is stored. */
export async function since(
  database: Database,
  ask: Ask<'since'>,
  live?: LiveRows,
): Promise<SinceAnswer> {
  const { after, table } = ask;
  const afterMs = await timeOf(database, after);
  const isChanged =
    table === 'orders'
      ? await hasOrdersAfter(database, ask, { afterMs, live })
      : table === 'ledger' && (await hasRetoldAfter(database, ask));
  if (isChanged) return 'gone';
  if (table === 'orders') return { rows: [], next: null, blocks: 0 };
  const from = ask.cursor ?? startOf(ask, afterMs);
  return ask.counts === true ? counted(database, ask, from) : page(database, ask, from);
}

async function page(
  database: Database,
  ask: Ask<'since'>,
  from: RowPosition | undefined,
): Promise<SinceAnswer> {
  const { next, rows } = await read(database, ask, from);
  const texts = await textsOf(
    database,
    ask.table === 'fills' ? rows.map(({ instrumentId }) => instrumentId) : [],
  );
  const shown = rows.map(({ position, row }) => ({
    height: position[1],
    row: ask.table === 'fills' ? fillWithTexts(row() as never, texts) : row(),
  }));
  return { rows: shown, next };
}

/** Rows of one block are adjacent. */
async function counted(
  database: Database,
  ask: Ask<'since'>,
  from: RowPosition | undefined,
): Promise<SinceAnswer> {
  let blocks = 0;
  let last = ask.after;
  let cursor: RowPosition | null | undefined = from;
  do {
    const found: Rows = await read(database, { ...ask, limit: COUNTED_AT_ONCE }, cursor);
    for (const { position } of found.rows) {
      if (position[1] === last) continue;
      last = position[1];
      blocks += 1;
    }
    cursor = found.next;
  } while (cursor !== null && blocks <= ask.limit);
  return { rows: [], next: null, blocks };
}

/** The next rows of the requested blocks; `next` is null after the last block. */
async function read(
  database: Database,
  { after, limit, table, upTo, ...ask }: Ask<'since'>,
  from: RowPosition | undefined,
): Promise<Rows> {
  const { accountTypes, user } = ask;
  const behind = from === undefined ? {} : { cursor: from };
  const question = { user, accountTypes, limit, order: 'oldestFirst', ...behind } as const;
  const found: Page<FoundRow<unknown>> =
    table === 'fills'
      ? await foundFills(database, question)
      : table === 'ledger'
        ? await foundLedger(database, question)
        : await foundFundings(database, question);
  const rows = found.rows.filter(({ position: [, height] }) => height > after && height <= upTo);
  const isOver = (found.rows.at(-1)?.position[1] ?? 0) > upTo;
  return { rows, next: isOver ? null : found.next };
}

function startOf({ after, table }: Ask<'since'>, afterMs: number | undefined) {
  if (afterMs === undefined) return undefined;
  return table === 'fundings'
    ? ([afterMs - FUNDING_EARLIER_MS, -1, -1] as const)
    : ([afterMs, after, INDEX_MAX] as const);
}

async function hasOrdersAfter(
  database: Database,
  { accountTypes, after, user }: Ask<'since'>,
  { afterMs, live }: { readonly afterMs: number | undefined; readonly live: LiveRows | undefined },
): Promise<boolean> {
  const cursor = afterMs === undefined ? {} : { cursor: [afterMs, after, INDEX_MAX] as const };
  const question = { user, accountTypes, limit: 1, order: 'oldestFirst', ...cursor } as const;
  const { rows } = await foundOrders(database, question, live);
  return rows.length > 0;
}

/** A changed row is stored only at its first position. */
async function hasRetoldAfter(database: Database, { after, user }: Ask<'since'>): Promise<boolean> {
  const changed = await database
    .selectFrom('ledger')
    .select('height')
    .where('account', '=', bytesOf(user))
    .where('version_height', '>', after)
    .whereRef('version_height', '<>', 'height')
    .limit(1)
    .executeTakeFirst();
  return changed !== undefined;
}

/** Undefined before the first stored block. */
async function timeOf(database: Database, height: number): Promise<number | undefined> {
  const block = await database
    .selectFrom('blocks')
    .select('time_ms')
    .where('height', '<=', height)
    .orderBy('height', 'desc')
    .limit(1)
    .executeTakeFirst();
  return block === undefined ? undefined : Number(block.time_ms);
}
