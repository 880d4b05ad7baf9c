import { useState } from 'react';
import type { AssetPosition } from '@oddlot/sdk';
import { useWords } from '../../../lib/words.ts';
import { usePerp } from '../../../market/queries.ts';
import { Button } from '../../../ui/button.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { closingOrder } from '../close-orders.ts';
import { gridOf } from '../grid.ts';
import { useAct } from '../use-act.ts';
import { isLong, positionName } from '../use-account.ts';
import { ExitsDialog } from './position-exits.tsx';
import { MarginDialog } from './position-margin.tsx';

const PARTS = [25, 50, 100] as const;

/** Closes a part at the market, or turns the position round. */
export function PositionActions({ row }: { readonly row: AssetPosition }) {
  const t = useWords();
  const perp = usePerp(row.position.asset);
  const { act, canAct, isBusy } = useAct();
  const coin = positionName(row, t);
  if (perp === undefined || !canAct) return null;
  const close = (percent: number): void => {
    const order = closingOrder(row, percent, gridOf(perp));
    void act((trader) => trader.exchange.order(order, { confirm: 'executed' }));
  };
  const reverse = (): void => {
    const parameters = {
      asset: perp.index,
      ...(row.type === 'Hedge' ? { isBuy: isLong(row) } : {}),
    };
    void act((trader) => trader.exchange.reversePosition(parameters, { confirm: 'executed' }));
  };
  return (
    <span className="inline-flex gap-1">
      <Menu
        trigger={
          <Button
            size="small"
            isBusy={isBusy}
            aria-label={t('perps.close.label', { market: coin })}
          >
            {t('perps.close.button')}
          </Button>
        }
        items={PARTS.map((percent) => ({
          label: t('perps.close.part', { percent }),
          onSelect: () => close(percent),
        }))}
      />
      <More row={row} onReverse={reverse} />
      <span className="max-tablet:hidden">
        <Button
          size="small"
          disabled={isBusy}
          onClick={reverse}
          aria-label={t('perps.close.reverseLabel', { market: coin })}
        >
          {t('perps.close.reverse')}
        </Button>
      </span>
    </span>
  );
}

type Opened = 'exits' | 'add' | 'remove' | undefined;

/** On a phone there is no room for all columns: what they offer is here. */
function More({ row, onReverse }: { readonly row: AssetPosition; readonly onReverse: () => void }) {
  const t = useWords();
  const [open, setOpen] = useState<Opened>();
  const close = (): void => setOpen(undefined);
  const market = positionName(row, t);
  return (
    <span className="tablet:hidden">
      <Menu
        trigger={
          <Button size="small" aria-label={t('perps.more', { market })}>
            ⋯
          </Button>
        }
        items={[
          { label: t('perps.exits.label', { market }), onSelect: () => setOpen('exits') },
          { label: t('perps.close.reverseLabel', { market }), onSelect: onReverse },
          ...(row.position.leverage.type === 'Isolated'
            ? (['add', 'remove'] as const).map((way) => ({
                label: t(`perps.margin.${way}Label`, { market }),
                onSelect: () => setOpen(way),
              }))
            : []),
        ]}
      />
      {open === 'exits' && <ExitsDialog row={row} onClose={close} />}
      {(open === 'add' || open === 'remove') && (
        <MarginDialog row={row} direction={open === 'add' ? 1 : -1} onClose={close} />
      )}
    </span>
  );
}
