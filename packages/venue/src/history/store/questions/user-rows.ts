import { sql, type Kysely, type RawBuilder, type SqlBool } from 'kysely';
import type { Fill, FundingRow, HistOrderRow, LedgerUpdate } from '@oddlot/protocol';
import type { Answer, Ask, Page, UserPage } from '../../history.ts';
import { bytesOf } from '../bytes.ts';
import type { HistoryTables, Position } from '../history-tables.ts';
import { kindsOf, kindsWithBoth } from '../kinds.ts';
import {
  fillCodec,
  fundingCodec,
  ledgerCodec,
  orderCodec,
  withdrawalCodec,
} from '../row-codecs.ts';
import { fillWithTexts, orderWithTexts, textsOf } from '../row-texts.ts';
import { withNewestChildren } from './with-newest-children.ts';
import { isWithin, spanOf, type Span } from './span.ts';

type Database = Kysely<HistoryTables>;
type Found = Position & { instrument_id: number; body: string };
type UserRows = Found & { account: Uint8Array; kind: number };

/** Counting goes as far as pages can be numbered, and a page more. */
const COUNTED_MAX = 202_000;

export async function fills(database: Database, ask: Ask<'fills'>): Promise<Page<Fill>> {
  const kinds = kindsOf(ask.accountTypes);
  const page = await pageOf(database, { ...ask, table: 'fills', kinds });
  const texts = await textsOf(database, page.rows);
  return {
    rows: page.rows.map((row) => fillWithTexts(fillCodec.decode(row.body), texts)),
    next: page.next,
  };
}

export async function orders(database: Database, ask: Ask<'orders'>): Promise<Page<HistOrderRow>> {
  const kinds = kindsOf(ask.accountTypes);
  const page = await pageOf(database, { ...ask, table: 'orders', kinds });
  const texts = await textsOf(database, page.rows);
  const rows = page.rows.map((row) => orderWithTexts(orderCodec.decode(row.body), texts));
  return { rows: await withNewestChildren(database, ask.user, rows), next: page.next };
}

export async function ledger(database: Database, ask: Ask<'ledger'>): Promise<Page<LedgerUpdate>> {
  const kinds = kindsWithBoth(ask.accountTypes);
  const page = await pageOf(database, { ...ask, table: 'ledger', kinds });
  return { rows: page.rows.map((row) => ledgerCodec.decode(row.body)), next: page.next };
}

export async function fundings(
  database: Database,
  ask: Ask<'fundings'>,
): Promise<Answer<'fundings'>> {
  const { cursor, direction, instrumentIds, limit, offset = 0, user } = ask;
  if (instrumentIds?.length === 0) {
    return { rows: [], next: null, ...(cursor === undefined ? { total: 0 } : {}) };
  }
  const select = (span: Span) => {
    let query = database
      .selectFrom('fundings')
      .where('account', '=', bytesOf(user))
      .where(isWithin(span));
    if (instrumentIds !== undefined) query = query.where('instrument_id', 'in', instrumentIds);
    if (direction !== undefined) query = query.where('amount', direction === 'paid' ? '<' : '>', 0);
    return query;
  };
  const span = spanOf(ask);
  const found = await select(span)
    .select(['time_ms', 'height', 'idx', 'instrument_id', 'body'])
    .orderBy('time_ms', span.direction)
    .orderBy('height', span.direction)
    .orderBy('idx', span.direction)
    .limit(limit + 1)
    .offset(offset)
    .execute();
  const page = cut<Found>(found, limit);
  const answer: Page<FundingRow> = {
    rows: page.rows.map((row) => fundingCodec.decode(row.body)),
    next: page.next,
  };
  // Behind a cursor nobody counts pages.
  if (cursor !== undefined) return answer;
  const some = select(spanOf({ ...ask }))
    .select('idx')
    .limit(COUNTED_MAX + 1);
  const { total } = await database
    .selectFrom(some.as('some'))
    .select((each) => each.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return Number(total) > COUNTED_MAX ? answer : { ...answer, total: Number(total) };
}

export async function withdrawals(
  database: Database,
  { before, limit, user }: Ask<'withdrawals'>,
): Promise<Answer<'withdrawals'>> {
  let query = database.selectFrom('withdrawals').where('account', '=', bytesOf(user));
  if (before !== undefined) query = query.where('withdrawal_id', '<', before);
  const rows = await query.select('body').orderBy('withdrawal_id', 'desc').limit(limit).execute();
  return rows.map(({ body }) => withdrawalCodec.decode(body));
}

type PageAsk = UserPage & {
  readonly table: 'fills' | 'orders' | 'ledger';
  readonly kinds: readonly number[];
  readonly instrumentId?: number;
};

/** A page of a user's rows. Each kind is a range of the tree, and the ranges are merged as they come. */
async function pageOf(database: Database, ask: PageAsk): Promise<Page<Found>> {
  const { instrumentId, kinds, limit, offset = 0 } = ask;
  const span = spanOf(ask);
  const ranges =
    instrumentId === undefined
      ? kinds.map((kind) => sql<SqlBool>`kind = ${kind}`)
      : [withInstrument(instrumentId, kinds)];
  const [first, ...others] = ranges.map((range) => rangeOf(database, ask, { range, span }));
  if (first === undefined || kinds.length === 0) return { rows: [], next: null };
  const { direction } = span;
  const found = await others
    .reduce((query, other) => query.unionAll(other), first)
    .orderBy('time_ms', direction)
    .orderBy('height', direction)
    .orderBy('idx', direction)
    .limit(limit + 1)
    .offset(offset)
    .execute();
  return cut(found, limit);
}

/** The sign keeps the key by kind out of it: the one by instrument is the shorter way. */
function withInstrument(instrumentId: number, kinds: readonly number[]): RawBuilder<SqlBool> {
  const list = sql.join(kinds.map((kind) => sql`${kind}`));
  return sql<SqlBool>`instrument_id = ${instrumentId} AND (+kind) IN (${list})`;
}

function rangeOf(
  database: Database,
  { table, user }: PageAsk,
  { range, span }: { readonly range: RawBuilder<SqlBool>; readonly span: Span },
) {
  const rows = sql<UserRows>`${sql.table(table)}`.as<'rows'>('rows');
  // Ledger rows have no instrument of their own.
  const instrument = table === 'ledger' ? sql<number>`0` : sql<number>`instrument_id`;
  return database
    .selectFrom(rows)
    .select(['time_ms', 'height', 'idx', instrument.as('instrument_id'), 'body'])
    .where('account', '=', bytesOf(user))
    .where(range)
    .where(isWithin(span));
}

/** One row more than was asked for tells that there is a page behind. */
export function cut<Row extends Position>(found: readonly Row[], limit: number): Page<Row> {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  return { rows, next: hasMore ? [last.time_ms, last.height, last.idx] : null };
}
