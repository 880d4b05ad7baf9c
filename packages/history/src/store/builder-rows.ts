import { type Kysely, sql } from 'kysely';
import type { Answer, Ask, BuilderPage, Page } from '../history.ts';
import type { BlockRows } from '../rows/block-rows.ts';
import { DAY_MS, type Draft, type HistoryTables, TABLES } from './history-tables.ts';
import { countOf, pageOf, spanOf, type Stored } from './pages.ts';
import { addressBytes, bytesOf, hexOf } from './table.ts';

type Database = Kysely<HistoryTables>;

const COUNTED_MAX = 1_000_000;

export function addBuilderRows(draft: Draft, block: BlockRows): void {
  const { height } = block.head;
  for (const [index, record] of block.earnings.entries()) {
    const { addedFeeMicroUsdc: added, builder, instrumentId, orderId, timeMs, user } = record;
    const account = addressBytes(builder);
    const body = TABLES.earnings.codec.encode(record);
    draft.put('earnings', `${builder} ${orderId}`, [account, timeMs, height, index, orderId, body]);
    if (added === record.feeMicroUsdc) draft.count('earnings');
    const day = Math.floor(timeMs / DAY_MS);
    const fees = [account, day, addressBytes(user), instrumentId, added];
    draft.put('builder_days', `${builder} ${day} ${user} ${instrumentId}`, fees, (earlier) =>
      summed(earlier, [0, 0, 0, 0, added]),
    );
    addTotals(draft, builder, { earned: added, claimed: 0 });
  }
  for (const [index, record] of block.claims.entries()) {
    const { amountMicroUsdc, builder, timeMs } = record;
    const body = TABLES.claims.codec.encode(record);
    draft.add('claims', [addressBytes(builder), timeMs, height, index, body]);
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

type Row = Parameters<Draft['add']>[1];

function summed(earlier: Row, added: readonly number[]): Row {
  return earlier.map((value, at) => (typeof value === 'number' ? value + (added[at] ?? 0) : value));
}

export async function earnedPage(
  database: Database,
  ask: Ask<'earned'>,
): Promise<Answer<'earned'>> {
  const { rows, ...page } = await numberedPage(database, 'earnings', ask);
  return { rows: rows.map(({ body }) => TABLES.earnings.codec.decode(body)), ...page };
}

export async function claimedPage(
  database: Database,
  ask: Ask<'claimed'>,
): Promise<Answer<'claimed'>> {
  const { rows, ...page } = await numberedPage(database, 'claims', ask);
  return { rows: rows.map(({ body }) => TABLES.claims.codec.decode(body)), ...page };
}

async function numberedPage(
  database: Database,
  name: 'earnings' | 'claims',
  ask: BuilderPage,
): Promise<Page<Stored> & { total: number }> {
  const { builder, cursor, page, pageSize: limit } = ask;
  const { cursor: _cursor, ...whole } = ask;
  const range = sql`builder = ${bytesOf(builder)}`;
  const offset = cursor === undefined ? page * limit : 0;
  const where = { table: name, ranges: [range], span: spanOf(ask) };
  const found = await pageOf(database, { ...where, limit, offset });
  const counted = { table: name, range, span: spanOf(whole) };
  return { ...found, total: await countOf(database, counted, COUNTED_MAX) };
}

/**
 * Returns a builder's fees. They are summed per day, so the whole day of the start time is
 * included.
 */
export async function shares(
  database: Database,
  { builder, dimension, limit, sinceMs }: Ask<'shares'>,
): Promise<Answer<'shares'>> {
  const column = dimension === 'user' ? 'account' : 'instrument_id';
  const days = database
    .selectFrom('builder_days')
    .where('builder', '=', bytesOf(builder))
    .where('day', '>=', Math.floor(sinceMs / DAY_MS));
  const rows = await days
    .select((each) => [column, each.fn.sum<number>('fee').as('fee')])
    .groupBy(column)
    .orderBy('fee', 'desc')
    .orderBy(column, 'asc')
    .limit(limit)
    .execute();
  const all = await days
    .select((each) => each.fn.sum<number | null>('fee').as('fee'))
    .executeTakeFirstOrThrow();
  return {
    rows: rows.map(({ fee, ...named }) => ({
      key: keyText(named as { account?: Uint8Array; instrument_id?: number }),
      feeMicroUsdc: Number(fee),
    })),
    totalMicroUsdc: Number(all.fee ?? 0),
  };
}

function keyText(named: { account?: Uint8Array; instrument_id?: number }): string {
  return named.account === undefined ? String(named.instrument_id) : hexOf(named.account);
}

export async function claimable(
  database: Database,
  { builder }: Ask<'claimable'>,
): Promise<Answer<'claimable'>> {
  const totals = await database
    .selectFrom('builder_totals')
    .select(['earned', 'claimed'])
    .where('builder', '=', bytesOf(builder))
    .executeTakeFirst();
  return {
    earnedMicroUsdc: totals?.earned ?? 0,
    claimedMicroUsdc: totals?.claimed ?? 0,
    hasAny: totals !== undefined,
  };
}
