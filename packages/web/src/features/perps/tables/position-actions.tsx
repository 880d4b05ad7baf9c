import { memo, useState } from 'react';
import type { AssetPosition } from '@oddlot/sdk';
import { useWords } from '../../../lib/words.ts';
import { usePerp } from '../../../market/queries.ts';
import { Button } from '../../../ui/button.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { closingOrder } from '../closing-order.ts';
import { gridOf } from '../grid.ts';
import { useAct } from '../use-act.ts';
import { ExitsDialog } from './exits-dialog.tsx';
import { PositionDetails } from './position-details.tsx';
import { MarginDialog } from './position-margin.tsx';
import { ReverseDialog } from './reverse-dialog.tsx';
import { useWaitingExits, withoutLeftovers } from './waiting-exits.ts';
import { positionName } from '../use-account.ts';

const PARTS = [25, 50, 100] as const;

/** Closes a part at the market, or turns the position round. */
export const PositionActions = memo(function PositionActions({
  row,
}: {
  readonly row: AssetPosition;
}) {
  const t = useWords();
  const perp = usePerp(row.position.asset);
  const { act, canAct, isBusy } = useAct();
  const [isReversing, setIsReversing] = useState(false);
  const waiting = useWaitingExits(row);
  if (perp === undefined || !canAct) return null;
  const market = positionName(row, t);
  const close = (percent: number): void => {
    const order = closingOrder(row, percent, gridOf(perp));
    const leftovers = percent === 100 ? waiting : [];
    void act((trader) =>
      withoutLeftovers(
        trader,
        () => trader.exchange.order(order, { confirm: 'executed' }),
        leftovers,
      ),
    );
  };
  const reverse = (): void => setIsReversing(true);
  return (
    <span className="inline-flex gap-1">
      <Menu
        trigger={
          <Button size="small" isBusy={isBusy} aria-label={t('perps.close.label', { market })}>
            {t('perps.close.button')}
          </Button>
        }
        items={PARTS.map((percent) => ({
          label:
            percent === 100 && waiting.length > 0
              ? t('perps.close.allWithExits', { count: waiting.length })
              : t('perps.close.part', { percent }),
          onSelect: () => close(percent),
        }))}
      />
      <More row={row} onReverse={reverse} />
      <span className="max-desktop:hidden">
        <Button
          size="small"
          disabled={isBusy}
          onClick={reverse}
          aria-label={t('perps.close.reverseLabel', { market })}
        >
          {t('perps.close.reverse')}
        </Button>
      </span>
      {isReversing && <ReverseDialog row={row} perp={perp} onClose={() => setIsReversing(false)} />}
    </span>
  );
});

type Opened = 'details' | 'exits' | 'add' | 'remove' | undefined;

/** On a phone or a tablet there is no room for all columns: what they offer is here. */
function More({ row, onReverse }: { readonly row: AssetPosition; readonly onReverse: () => void }) {
  const t = useWords();
  const [open, setOpen] = useState<Opened>();
  const close = (): void => setOpen(undefined);
  const market = positionName(row, t);
  return (
    <span className="desktop:hidden">
      <Menu
        trigger={
          <Button size="small" aria-label={t('perps.more', { market })}>
            ⋯
          </Button>
        }
        items={[
          { label: t('perps.details', { market }), onSelect: () => setOpen('details') },
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
      {open === 'details' && <PositionDetails row={row} onClose={close} />}
      {open === 'exits' && <ExitsDialog row={row} onClose={close} />}
      {(open === 'add' || open === 'remove') && (
        <MarginDialog row={row} direction={open === 'add' ? 1 : -1} onClose={close} />
      )}
    </span>
  );
}
