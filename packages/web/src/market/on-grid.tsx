import { decimalsOf } from '../lib/decimal.ts';
import { number } from '../lib/format.ts';
import { usePerp } from './queries.ts';

/** A price with the decimals of its own market. */
export function OnGrid({ coin, value }: { readonly coin: string; readonly value: string }) {
  const perp = usePerp(coin);
  const decimals = perp === undefined ? undefined : decimalsOf(perp.priceTick);
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
  const decimals = perp === undefined ? undefined : Math.max(0, perp.szDecimals);
  return <span>{number(value, { decimals, isSigned })}</span>;
}
