import type { LargestTrade, Liquidation } from '@oddlot/protocol';
import type { Kysely } from 'kysely';
import type { Answer, Ask, Page } from '../../history.ts';
import type { HistoryTables } from '../history-tables.ts';
import { decodeRanked } from '../ranked-trades.ts';
import { liquidationCodec, openInterestCodec } from '../row-codecs.ts';
import { textsOf } from '../row-texts.ts';
import { isWithin, spanOf } from './span.ts';

/** Liquidations, largest trades and open interest: figures of markets, not of one account. */

type Database = Kysely<HistoryTables>;

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
