import { useState } from 'react';
import type { AssetPosition, UpdateIsolatedMarginParameters } from '@oddlot/sdk';
import { divide, isDecimal, multiply, roundTo, sign } from '../../../lib/decimal.ts';
import { money, number, percent } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { priceDecimals } from '../../../market/on-grid.tsx';
import { usePerp } from '../../../market/queries.ts';
import { useSession } from '../../../session/session.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ErrorSentence } from '../../../ui/empty-state.tsx';
import { NumberField } from '../../../ui/number-field.tsx';
import { useSimulatedAction } from '../ticket/use-simulation.ts';
import { useAct } from '../use-act.ts';
import { isLong, positionName, useAccountState } from '../use-account.ts';

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
          className="h-5 w-4 rounded text-muted hover:bg-raised hover:text-text"
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

/** A USDC in the smallest unit. */
const MICRO = '1000000';

type MarginDialogProps = {
  readonly row: AssetPosition;
  readonly direction: 1 | -1;
  readonly onClose: () => void;
};

export function MarginDialog({ row, direction, onClose }: MarginDialogProps) {
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
