import type { LedgerUpdate } from '@oddlot/sdk';
import { reader } from '../../market/venue.ts';
import type { SettledMarket } from './news.ts';

/** The names of markets that rows of a ledger are about; without them where the venue does not answer. */
export async function settledMarkets(
  rows: readonly LedgerUpdate[],
): Promise<ReadonlyMap<number, SettledMarket>> {
  const ids = rows.flatMap(({ delta }) =>
    delta.type === 'outcomeSettlement' ? [delta.instrumentId] : [],
  );
  const instrumentIds = [...new Set(ids)];
  if (instrumentIds.length === 0) return new Map();
  try {
    const { events } = await reader.info.outcomeMeta({ instrumentIds });
    return new Map(
      events.flatMap(({ markets, series_slug: series, title }) =>
        markets.map(({ group_title: group, instrument_id: id, outcomes, question }) => {
          const own = series === null ? question : title;
          return [id, { name: group ? `${title}: ${group}` : own, outcomes }] as const;
        }),
      ),
    );
  } catch {
    return new Map();
  }
}
