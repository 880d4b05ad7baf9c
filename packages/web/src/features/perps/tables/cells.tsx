import { Link } from '@tanstack/react-router';
import { classes } from '../../../ui/classes.ts';
import type { ReactNode } from 'react';
import type { AssetPosition } from '@oddlot/sdk';
import { divide, isDecimal, sign, subtract } from '../../../lib/decimal.ts';
import { percent } from '../../../lib/format.ts';
import { OnGrid } from '../../../market/on-grid.tsx';
import { useWords } from '../../../lib/words.ts';

type MarketLinkProps = { readonly name: string; readonly tone?: 'buy' | 'sell' | undefined };

export function MarketLink({ name, tone }: MarketLinkProps) {
  return (
    <Link
      to={`/trade/${name}`}
      search={(before: object) => before}
      title={name}
      className={classes(
        'block min-w-0 truncate hover:underline',
        tone === 'buy' && 'text-buy',
        tone === 'sell' && 'text-sell',
      )}
    >
      {name}
    </Link>
  );
}

export function SideWord({ side, text }: { readonly side: 'B' | 'A'; readonly text: ReactNode }) {
  return <span className={side === 'B' ? 'text-buy' : 'text-sell'}>{text}</span>;
}

type Props = { readonly position: AssetPosition['position'] };

export function LiquidationPrice({ position }: Props) {
  if (!isLiquidated(position)) return <span className="text-faint">–</span>;
  return <OnGrid coin={position.asset} value={position.liquidationPx} />;
}

export function LiquidationDistance({ position }: Props) {
  const { liquidationPx, markPx } = position;
  if (!isLiquidated(position) || !isDecimal(markPx)) return null;
  const distance = divide(subtract(liquidationPx, markPx), markPx, 6);
  return <span>{percent(distance, { decimals: 1, isSigned: true })}</span>;
}

function isLiquidated({ liquidationPx }: Props['position']): boolean {
  return isDecimal(liquidationPx) && sign(liquidationPx) > 0;
}

const LIGHTS = [1, 2, 3, 4, 5];

/** How early this position would be closed against a bankrupt one: five lights are first in line. */
export function AdlLights({ quantile }: { readonly quantile: number }) {
  const t = useWords();
  const text = t('perps.adl.rank', { rank: quantile });
  return (
    <span className="inline-flex items-center gap-px" role="img" aria-label={text} title={text}>
      {LIGHTS.map((light) => (
        <span
          key={light}
          className={classes('h-2.5 w-1', light <= quantile ? 'bg-warning' : 'bg-line')}
        />
      ))}
    </span>
  );
}
