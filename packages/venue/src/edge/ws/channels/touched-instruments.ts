import type { EngineEvent } from '@oddlot/engine';
import type { AppliedBlock } from '../../../block/block.ts';

/** The instruments whose price, volume, open interest or strike a block may have moved. */
export function touchedInstruments({ result }: AppliedBlock): ReadonlySet<number> {
  const touched = new Set<number>();
  for (const event of result.events) {
    const id = touchedBy(event);
    if (id !== undefined) touched.add(id);
  }
  return touched;
}

function touchedBy(event: EngineEvent): number | undefined {
  switch (event.type) {
    case 'markUpdated':
    case 'tradeExecuted':
    case 'perpRegistered':
    case 'perpChanged':
    case 'perpSettled':
    case 'outcomeTraded':
    case 'outcomeMarketListed':
    case 'sharesOperated':
    case 'marketPhaseChanged':
    case 'seriesStruck':
    case 'marketSettled':
      return event.instrumentId;
    case 'orderUpdated':
      // The mark of an outcome market is the middle of its book.
      return event.order.outcome === undefined ? undefined : event.order.instrumentId;
    default:
      return undefined;
  }
}
