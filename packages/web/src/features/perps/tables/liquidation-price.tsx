import type { AssetPosition } from '@oddlot/sdk';
import { divide, isDecimal, sign, subtract } from '../../../lib/decimal.ts';
import { percent } from '../../../lib/format.ts';
import { OnGrid } from '../../../market/on-grid.tsx';

/** The price at which a position ends, and how far the mark is from there. */
export function LiquidationPrice({ position }: { readonly position: AssetPosition['position'] }) {
  const { liquidationPx, markPx } = position;
  if (!isDecimal(liquidationPx) || sign(liquidationPx) <= 0)
    return <span className="text-faint">–</span>;
  const distance = isDecimal(markPx)
    ? divide(subtract(liquidationPx, markPx), markPx, 6)
    : undefined;
  return (
    <span>
      <OnGrid coin={position.asset} value={liquidationPx} />{' '}
      <span className="text-muted">{percent(distance, { decimals: 1, isSigned: true })}</span>
    </span>
  );
}
