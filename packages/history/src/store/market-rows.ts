import { type Kysely, type Selectable, sql } from 'kysely';
import type { LargestTrade, Liquidation } from '@oddlot/protocol';
import type { Answer, Ask, Page, SettledEventsAsk } from '../history.ts';
import type { BlockRows, SettledEventRecord } from '../rows/block-rows.ts';
import { type Draft, type HistoryTables, TABLES } from './history-tables.ts';
import { pageOf, spanOf } from './pages.ts';
import { textsOf } from './run-rows.ts';

type Database = Kysely<HistoryTables>;

export function addMarketRows(draft: Draft, block: BlockRows): void {
  for (const record of block.candles) {
    const { instrumentId, startMs, stepMs } = record;
    const row = [instrumentId, stepMs, startMs, TABLES.candles.codec.encode(record)];
    draft.put('candles', `${instrumentId} ${stepMs} ${startMs}`, row);
    draft.count('candles');
  }
  for (const { eventSlug, instrumentId, slug, title } of block.markets) {
    draft.put('markets', instrumentId, [instrumentId, slug, title, eventSlug]);
    draft.count('markets');
  }
  for (const record of block.settledEvents) {
    const { body, createdMs, endMs, eventId, markets, seriesSlug, settledMs, slug } = record;
    const times = [createdMs, record.startMs, endMs, settledMs, record.volumeMicroUsdc];
    const lists = [JSON.stringify(record.tags), JSON.stringify(markets)];
    draft.put('settled_events', eventId, [eventId, slug, seriesSlug, ...times, ...lists, body]);
    draft.count('settledEvents');
    for (const tag of new Set(record.tags)) {
      draft.put('event_tags', `${eventId} ${tag}`, [tag, eventId]);
    }
    for (const market of markets) {
      const { instrumentId } = market;
      draft.put('settled_markets', instrumentId, [instrumentId, market.slug, eventId]);
    }
  }
  addFigures(draft, block);
}

function addFigures(
  draft: Draft,
  {
    head,
    largestTrades: ranked = [],
    liquidations: closed = [],
    openInterest: held = [],
  }: BlockRows,
): void {
  for (const [index, { instrumentId, row }] of closed.entries()) {
    const body = TABLES.liquidations.codec.encode(row);
    draft.add('liquidations', [instrumentId, row.time, head.height, index, body]);
  }
  draft.count('liquidations', closed.length);
  for (const { isFirst, list, startMs, trades } of ranked) {
    draft.put('largest_trades', `${list} ${startMs}`, [
      list,
      startMs,
      TABLES.largest_trades.codec.encode(trades),
    ]);
    if (isFirst === true) draft.count('largestTrades');
  }
  for (const { instrumentId, row } of held) {
    const body = TABLES.open_interest.codec.encode(row);
    draft.add('open_interest', [instrumentId, row.time, body]);
  }
  draft.count('openInterest', held.length);
}

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
  return rows.map(({ body }) => TABLES.candles.codec.decode(body));
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
  const range = instrumentId === undefined ? sql`1 = 1` : sql`instrument_id = ${instrumentId}`;
  const where = { table: 'liquidations', ranges: [range], span: spanOf(ask) } as const;
  const { next, rows } = await pageOf(database, { ...where, limit });
  return { rows: rows.map(({ body }) => TABLES.liquidations.codec.decode(body)), next };
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
    .flatMap(({ body }) => TABLES.largest_trades.codec.decode(body))
    // Equal trades are sorted by time.
    .sort((a, b) => b.value - a.value || a.row.time - b.row.time || a.row.tid - b.row.tid)
    .slice(0, limit)
    .map(({ row }) => row);
  const texts = await textsOf(
    database,
    ranked.map(({ instrumentId }) => instrumentId),
  );
  return ranked.map((row): LargestTrade => ({ ...row, ...texts.get(row.instrumentId) }));
}

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
  return rows.map(({ body }) => TABLES.open_interest.codec.decode(body));
}
