import {
  limitOrder,
  type AssetPosition,
  type OrderParameters,
  type PerpMeta,
  type TriggerOrder,
  type UpdateIsolatedMarginParameters,
} from '@oddlot/sdk';
import { memo, useState } from 'react';
import {
  divide,
  isDecimal,
  magnitude,
  multiply,
  onStep,
  roundTo,
  sign,
} from '../../../lib/decimal.ts';
import { money, number, percent } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { OnGrid, priceDecimals, SizeOnGrid } from '../../../market/cells.tsx';
import { usePerp } from '../../../market/queries.ts';
import { useSession } from '../../../session/session.ts';
import { Button, NumberField } from '../../../ui/controls.tsx';
import { colourOf, Fact, Money } from '../../../ui/figures.tsx';
import { Dialog, Menu } from '../../../ui/overlays.tsx';
import { ErrorSentence } from '../../../ui/states.tsx';
import { marketPrice } from '../ticket/draft.ts';
import { useSimulatedAction } from '../ticket/share-of-most.ts';
import {
  gridOf,
  isLong,
  positionName,
  useAccountState,
  useAct,
  type Grid,
} from '../use-account.ts';
import { AdlLights, LiquidationDistance, LiquidationPrice } from './orders-table.tsx';
import { ExitsDialog, PositionExits } from './position-exits.tsx';
import { useWaitingExits, withoutLeftovers } from './waiting-exits.ts';

const PARTS = [25, 50, 100] as const;

export const PositionActions = memo(function PositionActions({
  row,
}: Readonly<{ row: AssetPosition }>) {
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

type ReverseDialogProps = Readonly<{ row: AssetPosition; perp: PerpMeta; onClose: () => void }>;

function ReverseDialog({ row, perp, onClose }: ReverseDialogProps) {
  const t = useWords();
  const waiting = useWaitingExits(row);
  const { canAct, fault, isBusy, reverse } = useReverse(row, waiting, onClose);
  const grid = gridOf(perp);
  const { coin, szi } = row.position;
  const size = magnitude(szi);
  const from = isLong(row) ? 'long' : 'short';
  const words = {
    both: number(multiply(size, '2'), { decimals: grid.sizeDecimals }),
    size: number(size, { decimals: grid.sizeDecimals }),
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
              prices: exits
                .map((price) => number(price, { decimals: grid.priceDecimals }))
                .join(', '),
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

function PositionDetails({ row, onClose }: Readonly<{ row: AssetPosition; onClose: () => void }>) {
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
            {percent(returnOnEquity, { isSigned: true })})
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

export function MarginButtons({ row }: { readonly row: AssetPosition }) {
  const t = useWords();
  const [direction, setDirection] = useState<1 | -1>();
  if (row.position.leverage.type !== 'Isolated') return null;
  return (
    <>
      {([1, -1] as const).map((way) => (
        <button
          key={way}
          type="button"
          onClick={() => setDirection(way)}
          aria-label={t(way > 0 ? 'perps.margin.addLabel' : 'perps.margin.removeLabel', {
            market: positionName(row, t),
          })}
          className="ms-1 size-4 rounded border border-line text-center text-11 leading-none text-muted hover:border-faint hover:text-text"
        >
          {way > 0 ? '+' : '−'}
        </button>
      ))}
      {direction !== undefined && (
        <MarginDialog row={row} direction={direction} onClose={() => setDirection(undefined)} />
      )}
    </>
  );
}

export function MarginShare({ row }: { readonly row: AssetPosition }) {
  const t = useWords();
  const equity = useAccountState()?.marginSummary.accountValue;
  if (!isDecimal(equity)) return null;
  const share = percent(divide(row.position.marginUsed, equity, 6), { decimals: 1 });
  return <span title={t('perps.margin.share', { share })}>{share}</span>;
}

const MICRO = '1000000';

type MarginDialogProps = Readonly<{ row: AssetPosition; direction: 1 | -1; onClose: () => void }>;

function MarginDialog({ row, direction, onClose }: MarginDialogProps) {
  const t = useWords();
  const [amount, setAmount] = useState('');
  const [fault, setFault] = useState<unknown>();
  const { act, canAct, isBusy } = useAct(setFault);
  const free = useAccountState()?.withdrawable;
  const way = direction > 0 ? 'add' : 'remove';
  const { asset, marginUsed } = row.position;
  const isReady = isDecimal(amount) && sign(amount) > 0;
  const ntli = isReady ? direction * Number(roundTo(multiply(amount, MICRO), 0, 'down')) : 0;
  const parameters = { asset: Number(asset), isBuy: isLong(row), ntli };
  const save = async (): Promise<void> => {
    if (!isReady) return;
    setFault(undefined);
    const reply = await act((trader) =>
      trader.exchange.updateIsolatedMargin(parameters, { confirm: 'executed' }),
    );
    if (reply !== undefined) onClose();
  };
  return (
    <Dialog
      title={t(`perps.margin.${way}Title`, { market: positionName(row, t) })}
      description={t(`perps.margin.${way}Text`, { used: money(marginUsed), free: money(free) })}
      isOpen
      onClose={onClose}
    >
      <div className="flex flex-col gap-3">
        <NumberField
          label={t('perps.margin.amount')}
          value={amount}
          unit="USDC"
          onChange={setAmount}
          onEnter={() => void save()}
        />
        <Liquidation row={row} parameters={isReady ? parameters : undefined} />
        {fault !== undefined && <ErrorSentence error={fault} />}
        <Button
          kind="accent"
          isWide
          isBusy={isBusy}
          disabled={!canAct || !isReady}
          onClick={() => void save()}
        >
          {t(`perps.margin.${way}`, { amount: isReady ? money(amount) : '' })}
        </Button>
      </div>
    </Dialog>
  );
}

type LiquidationProps = {
  readonly row: AssetPosition;
  readonly parameters: UpdateIsolatedMarginParameters | undefined;
};

function Liquidation({ row, parameters }: LiquidationProps) {
  const t = useWords();
  const user = useSession()?.address;
  const perp = usePerp(row.position.asset);
  const { result } = useSimulatedAction(
    user,
    parameters && { type: 'updateIsolatedMargin', ...parameters },
  );
  const after = result?.positions.find(
    ({ instrumentId, szi }) =>
      String(instrumentId) === row.position.asset && sign(szi) === sign(row.position.szi),
  );
  const shown = (price: string): string =>
    isDecimal(price) && sign(price) > 0
      ? number(price, { decimals: perp && priceDecimals(perp) })
      : t('perps.preview.none');
  const now = shown(row.position.liquidationPx);
  return (
    <p aria-live="polite" className="flex justify-between gap-2 text-12">
      <span className="text-muted">{t('perps.preview.liquidation')}</span>
      <span className="tabular-nums">
        {after === undefined || result?.accepted === false
          ? now
          : `${now} → ${shown(after.liquidationPx)}`}
      </span>
    </p>
  );
}
