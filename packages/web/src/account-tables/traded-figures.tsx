import { number } from '../lib/format.ts';
import { OnGrid, SizeOnGrid } from '../market/on-grid.tsx';

/** What was traded: a perpetual's figures keep the decimals of its grid. */
type Traded = { readonly marketType: 'perps' | 'outcome'; readonly instrumentId: number };

export function TradedPrice({ of, value }: { readonly of: Traded; readonly value: string }) {
  if (of.marketType === 'outcome') return <span>{number(value)}</span>;
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
