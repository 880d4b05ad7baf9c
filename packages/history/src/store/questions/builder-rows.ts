import { sql, type Kysely } from 'kysely';
import type { Answer, Ask, BuilderPage, Page } from '../../history.ts';
import { bytesOf, claimCodec, earningCodec, hexOf } from '../row-codecs.ts';
import type { HistoryTables, Position } from '../history-tables.ts';
import { isWithin, spanOf, type Span } from './run-rows.ts';
import { cut } from './user-rows.ts';

type Database = Kysely<HistoryTables>;
type Found = Position & { body: string };

const DAY_MS = 86_400_000;
/** Counting more would take too long: a total of more rows is told as this many. */
const COUNTED_MAX = 1_000_000;

export async function earned(database: Database, ask: Ask<'earned'>): Promise<Answer<'earned'>> {
  const { next, rows, total } = await numberedPage(database, 'earnings', ask);
  return { rows: rows.map(({ body }) => earningCodec.decode(body)), next, total };
}

export async function claimed(database: Database, ask: Ask<'claimed'>): Promise<Answer<'claimed'>> {
  const { next, rows, total } = await numberedPage(database, 'claims', ask);
  return { rows: rows.map(({ body }) => claimCodec.decode(body)), next, total };
}

async function numberedPage(
  database: Database,
  table: 'earnings' | 'claims',
  ask: BuilderPage,
): Promise<Page<Found> & { total: number }> {
  const { builder, cursor, endTime, order, page, pageSize, startTime } = ask;
  const range = {
    ...(startTime === undefined ? {} : { startTime }),
    ...(endTime === undefined ? {} : { endTime }),
  };
  const select = (span: Span) =>
    database
      .selectFrom(sql<Found & { builder: Uint8Array }>`${sql.table(table)}`.as<'rows'>('rows'))
      .where('builder', '=', bytesOf(builder))
      .where(isWithin(span));
  const span = spanOf({
    ...range,
    ...(cursor === undefined ? {} : { cursor }),
    ...(order === undefined ? {} : { order }),
  });
  const found = await select(span)
    .select(['time_ms', 'height', 'idx', 'body'])
    .orderBy('time_ms', span.direction)
    .orderBy('height', span.direction)
    .orderBy('idx', span.direction)
    .limit(pageSize + 1)
    .offset(cursor === undefined ? page * pageSize : 0)
    .execute();
  const { total } = await database
    .selectFrom(select(spanOf(range)).select('idx').limit(COUNTED_MAX).as('some'))
    .select((each) => each.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { ...cut(found, pageSize), total: Number(total) };
}

/** Fees are summed by whole days, so the day in which the time lies counts from its beginning. */
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
