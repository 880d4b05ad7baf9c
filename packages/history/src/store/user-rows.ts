import { type Kysely, sql } from 'kysely';
import type { Fill, FundingRow, HistOrder, HistOrderRow, LedgerUpdate } from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import type { Answer, Ask, Page, SinceAnswer } from '../history.ts';
import type {
  AccountValueRecord,
  BlockRows,
  LiveRow,
  LiveRows,
  RowPosition,
} from '../rows/block-rows.ts';
import { type Draft, type HistoryTables, TABLES } from './history-tables.ts';
import {
  comparePositions,
  countOf,
  cut,
  isInside,
  listOf,
  pageOf,
  type Span,
  spanOf,
  type Stored,
} from './pages.ts';
import {
  fillPacker,
  fillWithTexts,
  type FoundRow,
  moreOf,
  orderCodec,
  orderPacker,
  orderWithTexts,
  type RunName,
  runRows,
  textsOf,
} from './run-rows.ts';
import { addressBytes, bytesOf, kindOf, kindOfAll, kindsOf, kindsWithBoth } from './table.ts';

type Database = Kysely<HistoryTables>;

/**
 * The maximum number of rows in a block. The key of a row is the height times this number plus the
 * index.
 */
const ROWS_PER_BLOCK = 2 ** 20;

export function addUserRows(draft: Draft, block: BlockRows): void {
  const { height } = block.head;
  const { account_values: values, fundings: paid, ledger: ledgers, withdrawals: out } = TABLES;
  for (const [index, { amountMicroUsdc, instrumentId, row, user }] of block.fundings.entries()) {
    const position = [row.time, height, index];
    const body = paid.codec.encode(row);
    draft.add('fundings', [addressBytes(user), ...position, instrumentId, amountMicroUsdc, body]);
    draft.count('fundings');
  }
  for (const [index, { accountTypes, first, row, user }] of block.ledger.entries()) {
    const owner = [addressBytes(user), kindOfAll(accountTypes)];
    const position = [row.time, first.height, first.index];
    const body = ledgers.codec.encode(row);
    const key = first.height * ROWS_PER_BLOCK + first.index;
    draft.put('ledger', key, [...owner, ...position, height, index, body]);
    if (first.height === height && first.index === index) draft.count('ledger');
  }
  for (const [index, record] of block.withdrawals.entries()) {
    const { timeMs, updatedMs, user, withdrawalId } = record;
    const row = [addressBytes(user), withdrawalId, height, index, timeMs, out.codec.encode(record)];
    draft.put('withdrawals', `${user} ${withdrawalId}`, row);
    if (timeMs === updatedMs) draft.count('withdrawals');
  }
  for (const record of block.accountValues) {
    const { stepMs, timeMs, user } = record;
    const row = [addressBytes(user), stepMs, timeMs, values.codec.encode(record)];
    draft.put('account_values', `${user} ${stepMs} ${timeMs}`, row);
    draft.count('accountValues');
  }
}

/** Totals are counted only up to the highest page offset plus one page. */
const COUNTED_MAX = 202_000;

async function foundFills(database: Database, ask: Ask<'fills'>): Promise<Page<FoundRow<Fill>>> {
  const { runs, span } = partsOf('fill', ask);
  return joinedPage(ask, span, await runRows(database, runs, fillPacker));
}

export async function fills(database: Database, ask: Ask<'fills'>): Promise<Page<Fill>> {
  const page = await foundFills(database, ask);
  const texts = await textsOf(database, instrumentsOf(page));
  const made = async (found: readonly FoundRow<Fill>[]) =>
    found.map(({ row }) => fillWithTexts(row(), texts));
  if (ask.asText === true) return inText(page, texts, made);
  return { rows: await made(page.rows), next: page.next };
}

/**
 * Returns a page as JSON text. Most rows are converted from packed values without decoding them.
 */
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

async function foundOrders(
  database: Database,
  ask: Ask<'orders'>,
  live?: LiveRows,
): Promise<Page<FoundRow<HistOrderRow>>> {
  const { runs, span } = partsOf('order', ask);
  const open = [
    ...(live?.of(ask.user) ?? []),
    ...(await unchangedOrders(database, ask.user, live)),
  ];
  return joinedPage(ask, span, [
    ...(await runRows(database, runs, orderPacker)),
    ...liveWithin(open, ask, span),
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

function partsOf(name: RunName, ask: Ask<'fills'>) {
  const { accountTypes, instrumentId, limit, offset = 0, user } = ask;
  const span = spanOf(ask);
  // One extra row shows whether there is another page.
  const count = offset + limit + 1;
  const kinds = kindsOf(accountTypes);
  return { span, runs: { table: name, user, kinds, instrumentId, span, count } };
}

function instrumentsOf({ rows }: Page<FoundRow<unknown>>): readonly number[] {
  return rows.map(({ instrumentId }) => instrumentId);
}

/**
 * Merges rows from several sources into a page. Each source must return as many rows as the page
 * could need.
 */
function joinedPage<Row>(
  { limit, offset = 0 }: Ask<'fills'>,
  { direction }: Span,
  found: FoundRow<Row>[],
): Page<FoundRow<Row>> {
  const sign = direction === 'asc' ? 1 : -1;
  found.sort((left, right) => sign * comparePositions(left.position, right.position));
  return cut(found.slice(offset), limit, ({ position }) => position);
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

/**
 * Returns live orders that have not changed since release 0.3.0 opened the folder, because the
 * indexer does not keep their rows.
 */
async function unchangedOrders(
  database: Database,
  user: Address,
  live: LiveRows | undefined,
): Promise<LiveRow[]> {
  const stored = await database
    .selectFrom('open_orders')
    .selectAll()
    .where('account', '=', bytesOf(user))
    .execute();
  return stored
    .filter((row) => live?.isUnchanged(user, row.order_key) !== false)
    .map(
      ({ body, height, idx, instrument_id: instrumentId, kind, order_key, time_ms: timeMs }) => ({
        orderId: order_key,
        position: [timeMs, height, idx],
        accountType: kind === kindOf('perp') ? 'perp' : 'outcome',
        instrumentId,
        row: () => orderCodec.decode(body),
      }),
    );
}

function positionOf({ height, idx, time_ms: timeMs }: Stored): RowPosition {
  return [timeMs, height, idx];
}

/**
 * Returns ledger rows. The row of a withdrawal has the position of its request and its current
 * status.
 */
async function foundLedger(
  database: Database,
  ask: Ask<'ledger'>,
): Promise<Page<FoundRow<LedgerUpdate>>> {
  const account = bytesOf(ask.user);
  const ranges = kindsWithBoth(ask.accountTypes).map(
    (kind) => sql`account = ${account} AND kind = ${kind}`,
  );
  const { limit, offset = 0 } = ask;
  const page = await pageOf(database, {
    table: 'ledger',
    ranges,
    span: spanOf(ask),
    limit,
    offset,
  });
  return foundPage(page, TABLES.ledger.codec);
}

function foundPage<Row>(
  { next, rows }: Page<Stored>,
  codec: { readonly decode: (text: string) => Row },
): Page<FoundRow<Row>> {
  const found = rows.map((each) => ({
    position: positionOf(each),
    // Ledger rows need no market texts, so their instrument does not matter.
    instrumentId: 0,
    row: () => codec.decode(each.body),
  }));
  return { rows: found, next };
}

export async function ledger(database: Database, ask: Ask<'ledger'>): Promise<Page<LedgerUpdate>> {
  const page = await foundLedger(database, ask);
  return { rows: page.rows.map(({ row }) => row()), next: page.next };
}

async function foundFundings(
  database: Database,
  ask: Ask<'fundings'>,
): Promise<Page<FoundRow<FundingRow>>> {
  const { limit, offset = 0 } = ask;
  const range = { table: 'fundings', ranges: [fundingsOf(ask)], span: spanOf(ask) } as const;
  const page = await pageOf(database, { ...range, limit, offset });
  return foundPage(page, TABLES.fundings.codec);
}

function fundingsOf({ direction, instrumentIds, user }: Ask<'fundings'>) {
  const ofInstruments =
    instrumentIds === undefined ? sql`` : sql`AND instrument_id IN (${listOf(instrumentIds)})`;
  const sign = sql.raw(direction === 'paid' ? '<' : '>');
  const ofDirection = direction === undefined ? sql`` : sql`AND amount ${sign} 0`;
  return sql`account = ${bytesOf(user)} ${ofInstruments} ${ofDirection}`;
}

export async function fundings(
  database: Database,
  ask: Ask<'fundings'>,
): Promise<Answer<'fundings'>> {
  const { cursor: _cursor, ...whole } = ask;
  if (ask.instrumentIds?.length === 0) {
    return { rows: [], next: null, ...(ask.cursor === undefined ? { total: 0 } : {}) };
  }
  const page = await foundFundings(database, ask);
  const answer = { rows: page.rows.map(({ row }) => row()), next: page.next };
  // The total is needed only for page numbers, not for cursors.
  if (ask.cursor !== undefined) return answer;
  const range = { table: 'fundings', range: fundingsOf(ask), span: spanOf(whole) } as const;
  const total = await countOf(database, range, COUNTED_MAX + 1);
  return total > COUNTED_MAX ? answer : { ...answer, total };
}

export async function withdrawals(
  database: Database,
  { before, limit, user }: Ask<'withdrawals'>,
): Promise<Answer<'withdrawals'>> {
  let query = database.selectFrom('withdrawals').where('account', '=', bytesOf(user));
  if (before !== undefined) query = query.where('withdrawal_id', '<', before);
  const rows = await query.select('body').orderBy('withdrawal_id', 'desc').limit(limit).execute();
  return rows.map(({ body }) => TABLES.withdrawals.codec.decode(body));
}

/**
 * Replaces the children in rows with their current versions. A parent's row includes them as of its
 * own last change, although most children trigger or end later. That version is kept if the
 * children's own rows were deleted. There is one query per page, and a row has at most two children
 * (R-grouping).
 */
async function withNewestChildren(
  database: Database,
  user: Address,
  rows: readonly HistOrderRow[],
  live: LiveRows | undefined,
): Promise<readonly HistOrderRow[]> {
  const ids = new Set(rows.flatMap(({ order }) => order.children.map(({ oid }) => oid)));
  if (ids.size === 0) return rows;
  const newest = new Map<number, HistOrder>();
  const stored = await database
    .selectFrom('child_orders')
    .select('body')
    .where('order_key', 'in', [...ids])
    .where('account', '=', bytesOf(user))
    .execute();
  for (const { body } of stored) {
    const { order } = orderCodec.decode(body);
    newest.set(order.oid, order);
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

/**
 * Values are stored at intervals of five minutes, an hour and a day. Each interval is one range of
 * the index.
 */
const VALUE_STEPS_MS = [300_000, 3_600_000, 86_400_000];

export async function accountValues(
  database: Database,
  { endMs, startMs, stepMs, user }: Ask<'accountValues'>,
): Promise<Answer<'accountValues'>> {
  const ofStep = (step: number) =>
    database
      .selectFrom('account_values')
      .select(['time_ms', 'body'])
      .where('account', '=', bytesOf(user))
      .where('step_ms', '=', step);
  const found: { time_ms: number; body: string }[] = [];
  // The value at the start can belong to a shorter interval than those that follow.
  for (const step of VALUE_STEPS_MS) {
    const [last] = await ofStep(step)
      .where('time_ms', '<=', startMs)
      .orderBy('time_ms', 'desc')
      .limit(1)
      .execute();
    if (last !== undefined && last.time_ms > (found[0]?.time_ms ?? -1)) found[0] = last;
  }
  for (const step of VALUE_STEPS_MS.filter((each) => each >= stepMs)) {
    const after = ofStep(step).where('time_ms', '>', startMs).where('time_ms', '<=', endMs);
    found.push(...(await after.orderBy('time_ms').execute()));
  }
  found.sort((left, right) => left.time_ms - right.time_ms);
  return found.map(({ body }) => TABLES.account_values.codec.decode(body));
}

/**
 * Looks up all values in a single statement, whose cost does not depend on the age of the accounts.
 */
export async function valuesAt(
  database: Database,
  { timesMs, users }: Ask<'valuesAt'>,
): Promise<Answer<'valuesAt'>> {
  const lookups = timesMs.flatMap((timeMs, at) =>
    VALUE_STEPS_MS.map((step) => {
      const name = sql.ref(`at${at}_${step}`);
      return sql`(SELECT body FROM account_values WHERE account_values.account = asked.account
        AND step_ms = ${step} AND time_ms <= ${timeMs} ORDER BY time_ms DESC LIMIT 1) AS ${name}`;
    }),
  );
  if (lookups.length === 0) return users.map(() => []);
  // The empty selection determines the type of the column.
  const accounts = users.map((user) => sql` UNION ALL SELECT ${addressBytes(user)}`);
  const { rows } = await sql<Record<string, string | null>>`
    WITH asked AS MATERIALIZED (
      SELECT account FROM account_values WHERE 1 = 0 ${sql.join(accounts, sql``)}
    )
    SELECT ${sql.join(lookups)} FROM asked
  `.execute(database);
  const found = new Map<string, (AccountValueRecord | null)[]>();
  for (const row of rows) {
    for (const [name, body] of Object.entries(row)) {
      if (body === null) continue;
      const value = TABLES.account_values.codec.decode(body);
      const at = Number(name.slice(2, name.indexOf('_')));
      const values = found.get(value.user) ?? timesMs.map(() => null);
      if (value.timeMs > (values[at]?.timeMs ?? -1)) values[at] = value;
      found.set(value.user, values);
    }
  }
  return users.map((user) => found.get(user) ?? timesMs.map(() => null));
}

type FoundRows = { readonly rows: readonly FoundRow<unknown>[]; readonly next: RowPosition | null };

/**
 * Greater than any index in a block, and small enough for the smallest integer type in both
 * databases.
 */
const INDEX_MAX = 2 ** 31 - 1;
/** A funding payment is dated to its hour, which can be this much earlier than its block. */
const FUNDING_EARLIER_MS = 2 * 3_600_000;
const COUNTED_AT_ONCE = 1_000;

/**
 * Returns the rows of blocks after a height. Fills and fundings never change; only the latest
 * version of an order or a withdrawal is stored.
 */
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
      : table === 'ledger' && (await hasReplacedAfter(database, ask));
  if (isChanged) return 'gone';
  if (table === 'orders') return { rows: [], next: null, blocks: 0 };
  const from = ask.cursor ?? startOf(ask, afterMs);
  return ask.counts === true ? blocksSince(database, ask, from) : rowsSince(database, ask, from);
}

async function rowsSince(
  database: Database,
  ask: Ask<'since'>,
  from: RowPosition | undefined,
): Promise<SinceAnswer> {
  const { next, rows } = await readSince(database, ask, from);
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

/** Counts blocks with rows. Rows of the same block are adjacent. */
async function blocksSince(
  database: Database,
  ask: Ask<'since'>,
  from: RowPosition | undefined,
): Promise<SinceAnswer> {
  let blocks = 0;
  let last = ask.after;
  let cursor: RowPosition | null | undefined = from;
  do {
    const found: FoundRows = await readSince(database, { ...ask, limit: COUNTED_AT_ONCE }, cursor);
    for (const { position } of found.rows) {
      if (position[1] === last) continue;
      last = position[1];
      blocks += 1;
    }
    cursor = found.next;
  } while (cursor !== null && blocks <= ask.limit);
  return { rows: [], next: null, blocks };
}

/** Returns the next rows of the requested blocks; `next` is null after the last block. */
async function readSince(
  database: Database,
  { after, limit, table, upTo, ...ask }: Ask<'since'>,
  from: RowPosition | undefined,
): Promise<FoundRows> {
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

/**
 * Returns true if a row was replaced after a height, because a replaced row is stored only at its
 * first position.
 */
async function hasReplacedAfter(
  database: Database,
  { after, user }: Ask<'since'>,
): Promise<boolean> {
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
