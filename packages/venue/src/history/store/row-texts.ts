import type { Kysely } from 'kysely';
import type { Fill, HistOrderRow } from '@oddlot/protocol';
import type { HistoryTables } from './history-tables.ts';

/** Texts of an outcome market that its rows show. They are kept once, not with every row. */
type MarketTexts = ReadonlyMap<number, { readonly title: string; readonly slug: string }>;

export async function textsOf(
  database: Kysely<HistoryTables>,
  instrumentIds: readonly number[],
): Promise<MarketTexts> {
  const ids = [...new Set(instrumentIds)];
  if (ids.length === 0) return new Map();
  const found = await database
    .selectFrom('markets')
    .select(['instrument_id', 'title', 'slug'])
    .where('instrument_id', 'in', ids)
    .execute();
  return new Map(found.map(({ instrument_id, slug, title }) => [instrument_id, { title, slug }]));
}

/** The same as fields at the end of a row's JSON. */
export function moreOf(instrumentId: number, texts: MarketTexts): string {
  const text = texts.get(instrumentId);
  if (text === undefined) return '';
  const { slug, title } = text;
  return `,"title":${JSON.stringify(title)},"slug":${JSON.stringify(slug)}`;
}

export function fillWithTexts(row: Fill, texts: MarketTexts): Fill {
  const text = texts.get(row.instrumentId);
  return text === undefined ? row : { ...row, ...text };
}

export function orderWithTexts(row: HistOrderRow, texts: MarketTexts): HistOrderRow {
  const text = texts.get(row.order.instrumentId);
  return text === undefined ? row : { ...row, order: { ...row.order, ...text } };
}
