import { number } from '../lib/format.ts';
import { usePerp } from './queries.ts';
import type { OutcomeMarketMeta, PerpMeta } from '@oddlot/sdk';
import { decimalsOf } from '../lib/decimal.ts';

/** A price with the decimals of its own market. */
export function OnGrid({ coin, value }: { readonly coin: string; readonly value: string }) {
  const perp = usePerp(coin);
  const decimals = perp && priceDecimals(perp);
  return <span>{number(value, { decimals })}</span>;
}

type SizeOnGridProps = {
  readonly coin: string;
  readonly value: string;
  readonly isSigned?: boolean;
};

/** A size with the decimals of its own market. */
export function SizeOnGrid({ coin, value, isSigned = false }: SizeOnGridProps) {
  const perp = usePerp(coin);
  const decimals = perp && sizeDecimals(perp);
  return <span>{number(value, { decimals, isSigned })}</span>;
}

/** How many decimals figures of a market are shown with: as many as its grid has, so that they stand under each other. */

/** Of a price; of a share in USDC, not in cents. */
export function priceDecimals(
  market: Pick<PerpMeta, 'priceTick'> | Pick<OutcomeMarketMeta, 'price_decimals'>,
): number {
  return 'priceTick' in market ? decimalsOf(market.priceTick) : market.price_decimals;
}

/** Of a size. Lots of ten or more (`szDecimals` below nought) are whole numbers too. */
export function sizeDecimals(
  market: Pick<PerpMeta, 'szDecimals'> | Pick<OutcomeMarketMeta, 'size_decimals'>,
): number {
  return Math.max(0, 'szDecimals' in market ? market.szDecimals : market.size_decimals);
}
