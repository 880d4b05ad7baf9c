import { decimalsOf, isDecimal } from '../lib/decimal.ts';
import { cents, number } from '../lib/format.ts';
import { OnGrid, SizeOnGrid } from '../market/on-grid.tsx';

/** What was traded: a perpetual's figures keep the decimals of its grid, shares cost cents. */
type Traded = { readonly marketType: 'perps' | 'outcome'; readonly instrumentId: number };

/** Of a share; the finest there are have one more than a cent. */
const TICK_DECIMALS = 3;

export function TradedPrice({
  of,
  value,
  isAsTold = false,
}: {
  readonly of: Traded;
  readonly value: string;
  /** As the venue writes it, beside other figures that are. */
  readonly isAsTold?: boolean;
}) {
  if (of.marketType === 'outcome') {
    // An average may have more of them than a tick.
    const decimals = isDecimal(value) ? Math.max(TICK_DECIMALS, decimalsOf(value)) : undefined;
    return <span>{isAsTold ? number(value) : cents(value, decimals)}</span>;
  }
  return <OnGrid coin={String(of.instrumentId)} value={value} />;
}

export function TradedSize({
  of,
  value,
  isSigned = false,
}: {
  readonly of: Traded;
  readonly value: string;
  readonly isSigned?: boolean;
}) {
  if (of.marketType === 'outcome') return <span>{number(value, { isSigned })}</span>;
  return <SizeOnGrid coin={String(of.instrumentId)} value={value} isSigned={isSigned} />;
}
