import { type Kysely, type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Fill, FundingRow, HistOrder, HistOrderRow, LedgerUpdate } from '@oddlot/protocol';
import type { Answer, Ask, Page, UserPage } from '../../history.ts';
import { isLive, type LiveRow, type LiveRows } from '../../rows/block-rows.ts';
import {
  bytesOf,
  fillCodec,
  fillPacker,
  fundingCodec,
  kindsOf,
  kindsWithBoth,
  ledgerCodec,
  orderCodec,
  orderPacker,
  withdrawalCodec,
} from '../row-codecs.ts';
import type { HistoryTables, Position } from '../history-tables.ts';
import {
  comparePositions,
  fillWithTexts,
  type FoundRow,
  isInside,
  isWithin,
  moreOf,
  orderWithTexts,
  runRows,
  type Span,
  spanOf,
  textsOf,
} from './run-rows.ts';
import type { Address } from '@oddlot/units';

type Database = Kysely<HistoryTables>;
type Found = Position & { instrument_id: number; body: string };
type UserRows = Found & { account: Uint8Array; kind: number };

/** Counting goes as far as pages can be numbered, and a page more. */
const COUNTED_MAX = 202_000;

/** Without the texts of markets. */
export async function foundFills(
  database: Database,
  ask: Ask<'fills'>,
): Promise<Page<FoundRow<Fill>>> {
  const { count, kinds, runs, span } = partsOf('fill', ask);
  return joinedPage(ask, span, [
    ...(await runRows(database, runs, fillPacker)),
    ...(await earlierFills(database, { ...ask, kinds, limit: count })),
  ]);
}

export async function fills(database: Database, ask: Ask<'fills'>): Promise<Page<Fill>> {
  const page = await foundFills(database, ask);
  const texts = await textsOf(database, instrumentsOf(page));
  const made = async (found: readonly FoundRow<Fill>[]) =>
    found.map(({ row }) => fillWithTexts(row(), texts));
  if (ask.asText === true) return inText(page, texts, made);
  return { rows: await made(page.rows), next: page.next };
}

/** Most rows are written as JSON from where they are packed; the others are made first. */
async function inText<Row>(
  { next, rows }: Page<FoundRow<Row>>,
  texts: Awaited<ReturnType<typeof textsOf>>,
  made: (found: readonly FoundRow<Row>[]) => Promise<readonly Row[]>,
): Promise<Page<Row>> {
  const more = new Map(instrumentsOf({ rows, next }).map((id) => [id, moreOf(id, texts)]));
  const written = rows.map(({ instrumentId, json }) => json?.(more.get(instrumentId) ?? ''));
  const others = await made(rows.filter((_, at) => written[at] === undefined));
  const texted = others.map((row) => JSON.stringify(row)).values();
  const json = written.map((text) => text ?? texted.next().value);
  return { rows: [], next, text: { json: `[${json.join(',')}]`, count: rows.length } };
}

/** Orders that have ended, those that live, and what earlier releases and eras have left of either. */
export async function foundOrders(
  database: Database,
  ask: Ask<'orders'>,
  live?: LiveRows,
): Promise<Page<FoundRow<HistOrderRow>>> {
  const { count, kinds, runs, span } = partsOf('order', ask);
  return joinedPage(ask, span, [
    ...(await runRows(database, runs, orderPacker)),
    ...liveWithin(live?.of(ask.user) ?? [], ask, span),
    ...(await earlierOrders(database, { ...ask, kinds, limit: count }, live)),
  ]);
}

export async function orders(
  database: Database,
  ask: Ask<'orders'>,
  live?: LiveRows,
): Promise<Page<HistOrderRow>> {
  const page = await foundOrders(database, ask, live);
  const texts = await textsOf(database, instrumentsOf(page));
  const made = (found: readonly FoundRow<HistOrderRow>[]) => {
    const rows = found.map(({ row }) => orderWithTexts(row(), texts));
    return withNewestChildren(database, ask.user, rows, live);
  };
  if (ask.asText === true) return inText(page, texts, made);
  return { rows: await made(page.rows), next: page.next };
}

function partsOf(table: 'fill' | 'order', ask: Ask<'fills'>) {
  const { accountTypes, instrumentId, limit, offset = 0, user } = ask;
  const kinds = kindsOf(accountTypes);
  const span = spanOf(ask);
  // One row more than was asked for tells that there is a page behind.
  const count = offset + limit + 1;
  return { kinds, span, count, runs: { table, user, kinds, instrumentId, span, count } };
}

function instrumentsOf({ rows }: Page<FoundRow<unknown>>): readonly number[] {
  return rows.map(({ instrumentId }) => instrumentId);
}

/** A page of rows from several places, each of which has as many as could be on it. */
function joinedPage<Row>(
  { limit, offset = 0 }: UserPage,
  { direction }: Span,
  found: FoundRow<Row>[],
): Page<FoundRow<Row>> {
  const sign = direction === 'asc' ? 1 : -1;
  found.sort((left, right) => sign * comparePositions(left.position, right.position));
  const rows = found.slice(offset, offset + limit);
  const last = rows.at(-1);
  const hasMore = found.length > offset + limit && last !== undefined;
  return { rows, next: hasMore ? last.position : null };
}

function liveWithin(
  rows: readonly LiveRow[],
  { accountTypes, instrumentId }: Ask<'orders'>,
  span: Span,
): FoundRow<HistOrderRow>[] {
  return rows.filter(
    (each) =>
      accountTypes.includes(each.accountType) &&
      (instrumentId === undefined || instrumentId === each.instrumentId) &&
      isInside(each.position, span),
  );
}

async function earlierFills(database: Database, ask: EarlierAsk): Promise<FoundRow<Fill>[]> {
  const { rows } = await earlierPage(database, { ...ask, table: 'fills' });
  return rows.map((found) => ({ ...placeOf(found), row: () => fillCodec.decode(found.body) }));
}

/** Of those that were open when they were written some have changed since. */
async function earlierOrders(
  database: Database,
  ask: EarlierAsk,
  live: LiveRows | undefined,
): Promise<FoundRow<HistOrderRow>[]> {
  const kept: FoundRow<HistOrderRow>[] = [];
  let { cursor } = ask;
  for (;;) {
    const behind = cursor === undefined ? {} : { cursor };
    const { next, rows } = await earlierPage(database, { ...ask, ...behind, table: 'orders' });
    for (const found of rows) {
      const row = orderCodec.decode(found.body);
      const isOld = isLive(row) && live?.isNewest(ask.user, row.order.oid) === false;
      if (!isOld) kept.push({ ...placeOf(found), row: () => row });
    }
    if (next === null || kept.length >= ask.limit) return kept;
    cursor = next;
  }
}

type EarlierAsk = Omit<PageAsk, 'table' | 'offset'>;

async function earlierPage(
  database: Database,
  { offset: _offset, ...ask }: PageAsk,
): Promise<Page<Found>> {
  const table = sql.table(ask.table);
  const { rows } = await sql`SELECT time_ms FROM ${table} LIMIT 1`.execute(database);
  return rows.length === 0 ? { rows: [], next: null } : pageOf(database, ask);
}

function placeOf(found: Found): Pick<FoundRow<unknown>, 'position' | 'instrumentId'> {
  const { height, idx, instrument_id: instrumentId, time_ms: timeMs } = found;
  return { position: [timeMs, height, idx], instrumentId };
}

/** A withdrawal stands where it was asked for, as it is now. */
export async function foundLedger(
  database: Database,
  ask: Ask<'ledger'>,
): Promise<Page<FoundRow<LedgerUpdate>>> {
  const kinds = kindsWithBoth(ask.accountTypes);
  const page = await pageOf(database, { ...ask, table: 'ledger', kinds });
  const row = (found: Found) => ({
    ...placeOf(found),
    row: () => ledgerCodec.decode(found.body),
  });
  return { rows: page.rows.map(row), next: page.next };
}

export async function ledger(database: Database, ask: Ask<'ledger'>): Promise<Page<LedgerUpdate>> {
  const page = await foundLedger(database, ask);
  return { rows: page.rows.map(({ row }) => row()), next: page.next };
}

export async function foundFundings(
  database: Database,
  ask: Pick<Ask<'fundings'>, 'user' | 'limit' | 'cursor' | 'order'>,
): Promise<Page<FoundRow<FundingRow>>> {
  const span = spanOf(ask);
  const found = await database
    .selectFrom('fundings')
    .where('account', '=', bytesOf(ask.user))
    .where(isWithin(span))
    .select(['time_ms', 'height', 'idx', 'instrument_id', 'body'])
    .orderBy('time_ms', span.direction)
    .orderBy('height', span.direction)
    .orderBy('idx', span.direction)
    .limit(ask.limit + 1)
    .execute();
  const page = cut<Found>(found, ask.limit);
  const row = (each: Found) => ({ ...placeOf(each), row: () => fundingCodec.decode(each.body) });
  return { rows: page.rows.map(row), next: page.next };
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

/**
 * Rows with the children of their orders as those are now. A parent's row has them as they were when it
 * last changed, and most of them fire or end after it; that copy stays where their own rows are not kept
 * any more. One question for all rows of a page, of two children a row at most (R-grouping).
 */
async function withNewestChildren(
  database: Kysely<HistoryTables>,
  user: Address,
  rows: readonly HistOrderRow[],
  live: LiveRows | undefined,
): Promise<readonly HistOrderRow[]> {
  const ids = new Set(rows.flatMap(({ order }) => order.children.map(({ oid }) => oid)));
  if (ids.size === 0) return rows;
  const newest = new Map<number, HistOrder>();
  // One that ended since an earlier release wrote of it has a row of its own among the others.
  for (const table of ['orders', 'child_orders'] as const) {
    for (const order of await storedOrders(database, table, user, [...ids])) {
      newest.set(order.oid, order);
    }
  }
  for (const orderId of ids) {
    const row = live?.find(user, orderId);
    if (row !== undefined) newest.set(orderId, row.order);
  }
  return rows.map((row) => {
    if (row.order.children.length === 0) return row;
    const children = row.order.children.map((child) => newest.get(child.oid) ?? child);
    return { ...row, order: { ...row.order, children } };
  });
}

async function storedOrders(
  database: Kysely<HistoryTables>,
  table: 'orders' | 'child_orders',
  user: Address,
  orderIds: readonly number[],
): Promise<readonly HistOrder[]> {
  const { rows } = await sql<{ body: string }>`
    SELECT body FROM ${sql.table(table)}
    WHERE order_key IN (${sql.join(orderIds.map((id) => sql`${id}`))}) AND account = ${bytesOf(user)}
  `.execute(database);
  return rows.map(({ body }) => orderCodec.decode(body).order);
}
