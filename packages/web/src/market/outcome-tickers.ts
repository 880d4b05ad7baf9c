import type { OutcomeMarketMeta, Ticker } from '@oddlot/sdk';
import { add, compare, isDecimal } from '../lib/decimal.ts';
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

/** The live mark, or until it is there the one that came with the event; none where nobody made one. */
export function yesPriceOf(
  market: OutcomeMarketMeta,
  byId: ReadonlyMap<number, Ticker>,
): string | undefined {
  const live = byId.get(market.instrument_id)?.markPx;
  const price = isDecimal(live) ? live : market.pricing.yes_price;
  return isSomebodys(price, market) ? price : undefined;
}

/** What the venue says of a market that nobody has quoted or traded. */
export const NOBODYS = '0.5';

/** Whether a price is anybody's opinion: a half is so only by a trade, or by quotes whose middle it is. */
export function isSomebodys(price: string, { pricing }: OutcomeMarketMeta): boolean {
  const { best_ask: ask, best_bid: bid, last_price: last } = pricing;
  if (compare(price, NOBODYS) !== 0 || last !== null) return true;
  return isDecimal(bid) && isDecimal(ask) && compare(add(bid, ask), '1') === 0;
}

/** By price, the likeliest first; what nobody has priced comes last. */
export function byLikelihood(a: string | undefined, b: string | undefined): number {
  return compare(b ?? '-1', a ?? '-1');
}
