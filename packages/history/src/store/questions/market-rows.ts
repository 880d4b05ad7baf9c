import { type Kysely, type Selectable, sql } from 'kysely';
import type { Answer, Ask, Page, SettledEventsAsk } from '../../history.ts';
import type { AccountValueRecord, SettledEventRecord } from '../../rows/block-rows.ts';
import {
  accountValueCodec,
  addressBytes,
  bytesOf,
  candleCodec,
  decodeRanked,
  liquidationCodec,
  openInterestCodec,
} from '../row-codecs.ts';
import type { HistoryTables } from '../history-tables.ts';
import type { LargestTrade, Liquidation } from '@oddlot/protocol';
import { isWithin, spanOf, textsOf } from './run-rows.ts';

type Database = Kysely<HistoryTables>;

/** The first ones from the start on. */
export async function bars(
  database: Database,
  { endMs, instrumentId, limit, startMs, stepMs, withPrevious }: Ask<'bars'>,
): Promise<Answer<'bars'>> {
  const all = database
    .selectFrom('candles')
    .select('body')
    .where('instrument_id', '=', instrumentId)
    .where('step_ms', '=', stepMs);
  const previous = all.where('start_ms', '<', startMs).orderBy('start_ms', 'desc').limit(1);
  const span = all.where('start_ms', '>=', startMs).where('start_ms', '<=', endMs);
  const rows = [
    ...(withPrevious === true ? await previous.execute() : []),
    ...(await span.orderBy('start_ms').limit(limit).execute()),
  ];
  return rows.map(({ body }) => candleCodec.decode(body));
}

/** The steps that values are written for, five minutes, an hour and a day: each is a range of the tree. */
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
  // What stood at the start may be of a finer step than what is drawn from there on.
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
  return found.map(({ body }) => accountValueCodec.decode(body));
}

/** One statement, whose parts are lookups in the tree: it costs the same however long accounts are there. */
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
  // The first part says what kind of column it is.
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
      const value = accountValueCodec.decode(body);
      const at = Number(name.slice(2, name.indexOf('_')));
      const his = found.get(value.user) ?? timesMs.map(() => null);
      if (value.timeMs > (his[at]?.timeMs ?? -1)) his[at] = value;
      found.set(value.user, his);
    }
  }
  return users.map((user) => found.get(user) ?? timesMs.map(() => null));
}

const SORT_COLUMNS = {
  volume: 'volume',
  newest: 'created_ms',
  endingSoon: 'end_ms',
  start: 'start_ms',
} as const;

export async function settledEvents(
  database: Database,
  ask: SettledEventsAsk,
): Promise<Answer<'settledEvents'>> {
  const { after, limit, order, seriesSlug, settledBeforeMs, sortBy, tag } = ask;
  let query = database
    .selectFrom('settled_events')
    .selectAll('settled_events')
    .where('settled_ms', '<=', settledBeforeMs);
  if (seriesSlug !== undefined) query = query.where('series_slug', '=', seriesSlug);
  if (tag !== undefined) {
    query = query.where('event_id', 'in', (of) =>
      of.selectFrom('event_tags').select('event_tags.event_id').where('tag', '=', tag),
    );
  }
  const comparison = sql.raw(order === 'asc' ? '>' : '<');
  if (sortBy === 'zero') {
    if (after !== undefined)
      query = query.where('event_id', order === 'asc' ? '>' : '<', after.eventId);
  } else {
    const column = SORT_COLUMNS[sortBy];
    if (after !== undefined) {
      const place = sql`(${after.key}, ${after.eventId})`;
      query = query.where(sql<boolean>`(${sql.ref(column)}, event_id) ${comparison} ${place}`);
    }
    query = query.orderBy(column, order);
  }
  const rows = await query.orderBy('event_id', order).limit(limit).execute();
  return rows.map(recordOf);
}

export async function settledMarket(
  database: Database,
  ask: Ask<'settledMarket'>,
): Promise<Answer<'settledMarket'>> {
  let query = database.selectFrom('settled_events').selectAll('settled_events');
  if ('eventSlug' in ask) {
    query = query.where('settled_events.slug', '=', ask.eventSlug);
  } else {
    const [column, value] =
      'slug' in ask
        ? (['slug', ask.slug] as const)
        : (['instrument_id', ask.instrumentId] as const);
    query = query.where('event_id', 'in', (of) =>
      of.selectFrom('settled_markets').select('settled_markets.event_id').where(column, '=', value),
    );
  }
  const row = await query.orderBy('event_id', 'desc').limit(1).executeTakeFirst();
  return row === undefined ? null : recordOf(row);
}

function recordOf(row: Selectable<HistoryTables['settled_events']>): SettledEventRecord {
  return {
    eventId: row.event_id,
    slug: row.slug,
    seriesSlug: row.series_slug,
    createdMs: row.created_ms,
    startMs: row.start_ms,
    endMs: row.end_ms,
    settledMs: row.settled_ms,
    volumeMicroUsdc: row.volume,
    tags: JSON.parse(row.tags) as SettledEventRecord['tags'],
    markets: JSON.parse(row.markets) as SettledEventRecord['markets'],
    body: row.body,
  };
}

export async function liquidations(
  database: Database,
  ask: Ask<'liquidations'>,
): Promise<Page<Liquidation>> {
  const { instrumentId, limit } = ask;
  const span = spanOf(ask);
  let query = database.selectFrom('liquidations').selectAll().where(isWithin(span));
  if (instrumentId !== undefined) query = query.where('instrument_id', '=', instrumentId);
  const { direction } = span;
  // One row more than was asked for tells that there is a page behind.
  const found = await query
    .orderBy('time_ms', direction)
    .orderBy('height', direction)
    .orderBy('idx', direction)
    .limit(limit + 1)
    .execute();
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return {
    rows: shown.map(({ body }) => liquidationCodec.decode(body)),
    next: found.length > limit && last !== undefined ? [last.time_ms, last.height, last.idx] : null,
  };
}

export async function largestTrades(
  database: Database,
  { limit, lists, startMs }: Ask<'largestTrades'>,
): Promise<Answer<'largestTrades'>> {
  if (lists.length === 0) return [];
  const found = await database
    .selectFrom('largest_trades')
    .select('body')
    .where('list', 'in', [...lists])
    .where('start_ms', '>=', startMs)
    .execute();
  const ranked = found
    .flatMap(({ body }) => decodeRanked(body))
    // Of two that are as large the earlier one comes first.
    .sort((a, b) => b.value - a.value || a.row.time - b.row.time || a.row.tid - b.row.tid)
    .slice(0, limit)
    .map(({ row }) => row);
  const texts = await textsOf(
    database,
    ranked.map(({ instrumentId }) => instrumentId),
  );
  return ranked.map((row): LargestTrade => ({ ...row, ...texts.get(row.instrumentId) }));
}

/** The first ones from the start on. */
export async function openInterest(
  database: Database,
  { endMs, instrumentId, limit, startMs }: Ask<'openInterest'>,
): Promise<Answer<'openInterest'>> {
  const rows = await database
    .selectFrom('open_interest')
    .select('body')
    .where('instrument_id', '=', instrumentId)
    .where('time_ms', '>=', startMs)
    .where('time_ms', '<=', endMs)
    .orderBy('time_ms')
    .limit(limit)
    .execute();
  return rows.map(({ body }) => openInterestCodec.decode(body));
}
