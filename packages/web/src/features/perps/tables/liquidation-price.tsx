import type { AssetPosition } from '@oddlot/sdk';
import { divide, isDecimal, sign, subtract } from '../../../lib/decimal.ts';
import { percent } from '../../../lib/format.ts';
import { OnGrid } from '../../../market/on-grid.tsx';

type Props = { readonly position: AssetPosition['position'] };

/** The price at which a position ends. */
export function LiquidationPrice({ position }: Props) {
  if (!isLiquidated(position)) return <span className="text-faint">–</span>;
  return <OnGrid coin={position.asset} value={position.liquidationPx} />;
}

/** How far the mark is from there. */
export function LiquidationDistance({ position }: Props) {
  const { liquidationPx, markPx } = position;
  if (!isLiquidated(position) || !isDecimal(markPx)) return null;
  const distance = divide(subtract(liquidationPx, markPx), markPx, 6);
  return <span>{percent(distance, { decimals: 1, isSigned: true })}</span>;
}

function isLiquidated({ liquidationPx }: Props['position']): boolean {
  return isDecimal(liquidationPx) && sign(liquidationPx) > 0;
}
