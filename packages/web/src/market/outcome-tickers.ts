import type { OutcomeMarketMeta, Ticker } from '@oddlot/sdk';
import { isDecimal } from '../lib/decimal.ts';
import { tickers } from './tickers.ts';

/** As many markets as one subscription takes. */
const MARKETS_MAX = 50;

/** Outcome markets at a glance, the first ones of a list that is too long. */
export function useOutcomeTickers(
  markets: readonly OutcomeMarketMeta[],
): ReadonlyMap<number, Ticker> {
  const ids = markets
    .slice(0, MARKETS_MAX)
    .map(({ instrument_id: id }) => id)
    .sort((a, b) => a - b);
  return tickers.use(
    ids.length === 0 ? undefined : { accountType: 'outcome', instrumentIds: ids },
    (state) => state.byId,
  );
}

/** The live mark, or until it is there the one that came with the event. */
export function yesPriceOf(market: OutcomeMarketMeta, byId: ReadonlyMap<number, Ticker>): string {
  const live = byId.get(market.instrument_id)?.markPx;
  return isDecimal(live) ? live : market.pricing.yes_price;
}
