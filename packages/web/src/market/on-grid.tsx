import { number } from '../lib/format.ts';
import { priceDecimals, sizeDecimals } from './grid-decimals.ts';
import { usePerp } from './queries.ts';

/** A price with the decimals of its own market. */
export function OnGrid({ coin, value }: { readonly coin: string; readonly value: string }) {
  const perp = usePerp(coin);
  const decimals = perp && priceDecimals(perp);
  return <span>{number(value, { decimals })}</span>;
}

/** A size with the decimals of its own market. */
export function SizeOnGrid({
  coin,
  value,
  isSigned = false,
}: {
  readonly coin: string;
  readonly value: string;
  readonly isSigned?: boolean;
}) {
  const perp = usePerp(coin);
  const decimals = perp && sizeDecimals(perp);
  return <span>{number(value, { decimals, isSigned })}</span>;
}
