import type { AppliedBlock } from '../../block/applied-block.ts';
import type { OutcomeCatalogue } from '../../read-models/outcome-catalogue.ts';
import type { MarketTextRecord } from './block-rows.ts';

/** The texts of the markets that a block listed. */
export function marketRecords({ result }: AppliedBlock): MarketTextRecord[] {
  return result.events.flatMap((event) =>
    event.type === 'outcomeMarketListed' ? [textOf(event.instrumentId, event.market)] : [],
  );
}

/** The texts of all markets that there are: those of before the rows began are needed too (R-era). */
export function knownMarkets(catalogue: OutcomeCatalogue): MarketTextRecord[] {
  const records: MarketTextRecord[] = [];
  for (const listed of catalogue.listedEvents()) {
    for (const { instrumentId, listing } of catalogue.marketsOf(listed)) {
      records.push(textOf(instrumentId, listing));
    }
  }
  return records;
}

function textOf(
  instrumentId: number,
  listing: { readonly slug: string; readonly question: string; readonly eventSlug: string },
): MarketTextRecord {
  const { eventSlug, question: title, slug } = listing;
  return { instrumentId, slug, title, eventSlug };
}
