import type { Fill, LedgerUpdate } from '@oddlot/sdk';
import type { Words } from '../../lib/words.ts';
import { marketNames, type MarketNames } from '../../market/market-names.ts';
import { knownPerps } from '../../market/queries.ts';
import { fillNews, ledgerNews, type News } from './news.ts';

/** News with the names of the markets that it is about; without where the venue does not answer. */

export async function namedFillNews(rows: readonly Fill[], t: Words): Promise<readonly News[]> {
  const shares = rows.filter(({ outcome }) => outcome !== undefined);
  const names = await namesFor(shares.map(({ instrumentId }) => instrumentId));
  return fillNews(rows, t, knownPerps(), names);
}

export async function namedLedgerNews(
  rows: readonly LedgerUpdate[],
  t: Words,
): Promise<readonly News[]> {
  const ids = rows.flatMap(({ delta }) =>
    delta.type === 'outcomeSettlement' ? [delta.instrumentId] : [],
  );
  return ledgerNews(rows, t, knownPerps(), await namesFor(ids));
}

function namesFor(instrumentIds: readonly number[]): Promise<MarketNames> {
  return marketNames(instrumentIds).catch(() => new Map());
}
