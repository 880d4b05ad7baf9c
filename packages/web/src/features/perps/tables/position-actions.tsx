import { memo, useState } from 'react';
import {
  type AssetPosition,
  limitOrder,
  type OrderParameters,
  type PerpMeta,
  type TriggerOrder,
} from '@oddlot/sdk';
import { useWords } from '../../../lib/words.ts';
import { usePerp } from '../../../market/queries.ts';
import { Button } from '../../../ui/button.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { type Grid, gridOf } from '../traded-perp.ts';
import { useAct } from '../use-act.ts';
import { ExitsDialog, PositionExits } from './position-exits.tsx';
import { MarginDialog } from './position-margin.tsx';
import { useWaitingExits, withoutLeftovers } from './waiting-exits.ts';
import { isLong, positionName } from '../use-account.ts';
import { magnitude, multiply, onStep } from '../../../lib/decimal.ts';
import { money, number, percent } from '../../../lib/format.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { ErrorSentence } from '../../../ui/empty-state.tsx';
import { OnGrid, SizeOnGrid } from '../../../market/on-grid.tsx';
import { colourOf, Fact, Money } from '../../../ui/figure.tsx';
import { AdlLights, LiquidationDistance, LiquidationPrice } from './cells.tsx';
import { marketPrice } from '../ticket/orders-of-draft.ts';

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
  const close = (closedPercent: number): void => {
    const order = closingOrder(row, closedPercent, gridOf(perp));
    const leftovers = closedPercent === 100 ? waiting : [];
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
        items={PARTS.map((closedPercent) => ({
          label:
            closedPercent === 100 && waiting.length > 0
              ? t('perps.close.allWithExits', { count: waiting.length })
              : t('perps.close.part', { percent: closedPercent }),
          onSelect: () => close(closedPercent),
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

type ReverseDialogProps = {
  readonly row: AssetPosition;
  readonly perp: PerpMeta;
  readonly onClose: () => void;
};

/** Asks before a position is turned round, and says what becomes of it and of its exits. */
function ReverseDialog({ row, perp, onClose }: ReverseDialogProps) {
  const t = useWords();
  const waiting = useWaitingExits(row);
  const { canAct, fault, isBusy, reverse } = useReverse(row, waiting, onClose);
  const { priceDecimals, sizeDecimals } = gridOf(perp);
  const { coin, szi } = row.position;
  const size = magnitude(szi);
  const from = isLong(row) ? 'long' : 'short';
  const words = {
    both: number(multiply(size, '2'), { decimals: sizeDecimals }),
    size: number(size, { decimals: sizeDecimals }),
    base: perp.baseCurrency,
  };
  const exits = [
    ...row.tpsl.flatMap(({ slTriggerPrice, tpTriggerPrice }) => [tpTriggerPrice, slTriggerPrice]),
    ...waiting.map(({ triggerPx }) => triggerPx),
  ].filter((price) => price !== '');
  return (
    <Dialog
      title={t('perps.close.reverseLabel', { market: coin })}
      description={t(`perps.reverse.${from}`, words)}
      isOpen
      onClose={onClose}
    >
      <div className="flex flex-col gap-3">
        <p className="text-12 text-muted">{t('perps.reverse.bound')}</p>
        {exits.length > 0 && (
          <p className="text-13 text-warning">
            {t('perps.reverse.exits', {
              prices: exits.map((price) => number(price, { decimals: priceDecimals })).join(', '),
            })}
          </p>
        )}
        {fault !== undefined && <ErrorSentence error={fault} />}
        <Button
          kind={isLong(row) ? 'sell' : 'buy'}
          isWide
          isBusy={isBusy}
          disabled={!canAct}
          onClick={() => void reverse()}
        >
          {t('perps.ticket.send.market', {
            does: t(isLong(row) ? 'perps.sell' : 'perps.buy'),
            size: words.both,
            base: words.base,
          })}
        </Button>
      </div>
    </Dialog>
  );
}

function useReverse(row: AssetPosition, waiting: readonly TriggerOrder[], onDone: () => void) {
  const [fault, setFault] = useState<unknown>();
  const { act, canAct, isBusy } = useAct(setFault);
  const reverse = async (): Promise<void> => {
    setFault(undefined);
    const parameters = {
      asset: Number(row.position.asset),
      ...(row.type === 'Hedge' ? { isBuy: isLong(row) } : {}),
    };
    const reply = await act((trader) =>
      withoutLeftovers(
        trader,
        () => trader.exchange.reversePosition(parameters, { confirm: 'executed' }),
        waiting,
      ),
    );
    if (reply !== undefined) onDone();
  };
  return { canAct, fault, isBusy, reverse };
}

type PositionDetailsProps = { readonly row: AssetPosition; readonly onClose: () => void };

function PositionDetails({ row, onClose }: PositionDetailsProps) {
  const t = useWords();
  const { position } = row;
  const { asset, leverage, returnOnEquity, unrealizedPnl } = position;
  return (
    <Dialog title={positionName(row, t)} isOpen onClose={onClose}>
      <dl className="flex flex-col gap-2">
        <Fact name={t('perps.column.size')}>
          <SizeOnGrid coin={asset} value={position.szi} />
        </Fact>
        <Fact name={t('perps.column.entry')}>
          <OnGrid coin={asset} value={position.entryPx} />
        </Fact>
        <Fact name={t('perps.column.mark')}>
          <OnGrid coin={asset} value={position.markPx} />
        </Fact>
        <Fact name={t('perps.column.pnl')}>
          <span className={colourOf(unrealizedPnl)}>
            {money(unrealizedPnl, { isSigned: true })} (
            {percent(returnOnEquity, { decimals: 1, isSigned: true })})
          </span>
        </Fact>
        <Fact name={t('perps.column.liquidation')}>
          <LiquidationPrice position={position} />{' '}
          <span className="text-muted">
            <LiquidationDistance position={position} />
          </span>
        </Fact>
        <Fact name={t('perps.column.margin')}>
          <Money value={position.marginUsed} />{' '}
          <span className="text-muted">
            {leverage.value}× {t(`perps.account.${leverage.type}`)}
          </span>
        </Fact>
        <Fact name={t('perps.column.funding')}>
          <Money value={position.cumFunding.sinceOpen} isSigned isColoured />
        </Fact>
        <Fact name={t('perps.column.adl')}>
          <AdlLights quantile={position.adlQuantile} />
        </Fact>
        <Fact name={t('perps.column.exits')}>
          <PositionExits row={row} />
        </Fact>
      </dl>
    </Dialog>
  );
}

/** A market order that closes a part of a position, at least one lot; all of it to the last lot. */
export function closingOrder(
  row: AssetPosition,
  closedPercent: number,
  { lot, tick }: Grid,
): OrderParameters {
  const { asset, markPx, szi } = row.position;
  const whole = magnitude(szi);
  const part = onStep(multiply(whole, String(closedPercent / 100)), lot, 'down');
  const size = closedPercent === 100 ? whole : part === '0' ? lot : part;
  const side = isLong(row) ? 'sell' : 'buy';
  return {
    orders: [
      limitOrder({
        asset: Number(asset),
        side,
        size,
        price: marketPrice(side, markPx, tick),
        reduceOnly: true,
        tif: 'FrontendMarket',
      }),
    ],
  };
}
