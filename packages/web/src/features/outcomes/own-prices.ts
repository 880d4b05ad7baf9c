import type { Leg, OutcomeMarketMeta, OutcomeOpenOrder } from '@oddlot/sdk';
import { subtract } from '../../lib/decimal.ts';

/** Where orders of the account stand, in prices of the leg: who sells NO stands among the bids for YES. */
export function ownPrices(
  orders: readonly Pick<OutcomeOpenOrder, 'instrumentId' | 'limitPx' | 'outcome' | 'reduceOnly'>[],
  { instrument_id: id }: Pick<OutcomeMarketMeta, 'instrument_id'>,
  leg: Leg,
): { readonly bid: readonly string[]; readonly ask: readonly string[] } {
  const bid: string[] = [];
  const ask: string[] = [];
  for (const { instrumentId, limitPx, outcome, reduceOnly } of orders) {
    if (instrumentId !== id) continue;
    const isSame = outcome === leg;
    const price = isSame ? limitPx : subtract('1', limitPx);
    (reduceOnly === isSame ? ask : bid).push(price);
  }
  return { bid, ask };
}
