import type { AssetPosition } from '@oddlot/sdk';
import { useNavigate } from '@tanstack/react-router';
import { memo, useState } from 'react';
import { divide, isDecimal, magnitude, multiply, subtract } from '../../../lib/decimal.ts';
import { money, number, percent } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { priceDecimals } from '../../../market/cells.tsx';
import { usePerp } from '../../../market/queries.ts';
import { Button, NumberField, Segmented } from '../../../ui/controls.tsx';
import { colourOf } from '../../../ui/figures.tsx';
import { Dialog } from '../../../ui/overlays.tsx';
import { ErrorSentence } from '../../../ui/states.tsx';
import { classes } from '../../../ui/styles.ts';
import { exitPrice } from '../ticket/draft.ts';
import { isLong, positionName, useAct } from '../use-account.ts';
import { isExitPastMark, replaceExits, useWaitingExits } from './waiting-exits.ts';

export const PositionExits = memo(function PositionExits({ row }: { readonly row: AssetPosition }) {
  const t = useWords();
  const [isOpen, setIsOpen] = useState(false);
  const navigate = useNavigate();
  const waiting = useWaitingExits(row).slice(0, 2);
  const perp = usePerp(row.position.asset);
  const decimals = perp && priceDecimals(perp);
  const label = t('perps.exits.label', { market: positionName(row, t) });
  const [first] = row.tpsl;
  const prices = [first?.tpTriggerPrice, first?.slTriggerPrice].map((price) =>
    number(price, { decimals }),
  );
  const more = row.tpsl.length > 1 ? ` +${row.tpsl.length - 1}` : '';
  if (first === undefined && waiting.length > 0) {
    return (
      <button
        type="button"
        title={t('perps.exits.among')}
        onClick={() =>
          void navigate({
            to: '.',
            search: (before: object) => ({ ...before, tab: 'triggers' }),
            replace: true,
            resetScroll: false,
          })
        }
        className="rounded text-muted hover:text-text"
      >
        <span className="visually-hidden">{label} </span>
        <Prices prices={waiting.map(({ triggerPx }) => number(triggerPx, { decimals }))} />
      </button>
    );
  }
  return (
    <>
      <button
        type="button"
        onClick={() => setIsOpen(true)}
        className={classes(
          'rounded hover:text-text',
          first === undefined ? 'text-accent' : 'text-text',
        )}
      >
        <span className="visually-hidden">{label} </span>
        {first === undefined ? t('perps.exits.add') : <Prices prices={prices} more={more} />}
      </button>
      {isOpen && <ExitsDialog row={row} onClose={() => setIsOpen(false)} />}
    </>
  );
});

type PricesProps = { readonly prices: readonly string[]; readonly more?: string };

function Prices({ prices: [first, second], more = '' }: PricesProps) {
  return (
    <span className="inline-flex flex-col items-end leading-tight wide:flex-row">
      <span>{first}</span>
      {second !== undefined && (
        <span className="whitespace-pre">
          <span className="max-wide:hidden"> / </span>
          {second}
          {more}
        </span>
      )}
    </span>
  );
}

const EXITS = ['takeProfit', 'stopLoss'] as const;
const BASES = ['price', 'percent', 'pnl'] as const;
type Exit = (typeof EXITS)[number];

type ExitsDialogProps = { readonly row: AssetPosition; readonly onClose: () => void };

export function ExitsDialog({ row, onClose }: ExitsDialogProps) {
  const t = useWords();
  const perp = usePerp(row.position.asset);
  const tick = perp?.priceTick ?? '0';
  const decimals = perp && priceDecimals(perp);
  const { basis, prices, save, setTyped, typed, ...state } = useExits(row, tick, onClose);
  const unit = basis === 'percent' ? '%' : basis === 'pnl' ? 'USDC' : undefined;
  return (
    <Dialog
      title={t('perps.exits.title', { market: row.position.coin })}
      description={t('perps.exits.text', {
        entry: number(row.position.entryPx, { decimals }),
        mark: number(row.position.markPx, { decimals }),
      })}
      isOpen
      onClose={onClose}
    >
      <div className="flex flex-col gap-3">
        <Segmented
          label={t('perps.ticket.exitsBy')}
          size="small"
          value={basis}
          onChange={state.changeBasis}
          segments={BASES.map((value) => ({ value, label: t(`perps.ticket.basis.${value}`) }))}
        />
        {EXITS.map((exit) => (
          <div key={exit} className="flex flex-col gap-1">
            <NumberField
              label={t(`perps.ticket.${exit}`)}
              value={typed[exit]}
              step={basis === 'price' ? tick : undefined}
              unit={unit}
              onChange={(value) => setTyped({ ...typed, [exit]: value })}
            />
            <Effect row={row} exit={exit} price={prices[exit]} decimals={decimals} />
          </div>
        ))}
        {state.fault !== undefined && <ErrorSentence error={state.fault} />}
        <Button
          kind="accent"
          isWide
          isBusy={state.isBusy}
          disabled={!state.canAct || !state.isReady}
          onClick={() => void save(prices)}
        >
          {t('perps.exits.save')}
        </Button>
        {state.replaced.length > 0 && (
          <Button
            kind="danger"
            isWide
            disabled={!state.canAct || state.isBusy}
            onClick={() => void save({ takeProfit: undefined, stopLoss: undefined })}
          >
            {t('perps.exits.remove')}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

type EffectProps = {
  readonly row: AssetPosition;
  readonly exit: Exit;
  readonly price: string | undefined;
  readonly decimals: number | undefined;
};

function Effect({ row, exit, price, decimals }: EffectProps) {
  const t = useWords();
  if (price === undefined) return null;
  if (isExitPastMark(row, exit, price, row.position.markPx)) return <FiresNow />;
  const { entryPx, szi } = row.position;
  const made = multiply(szi, subtract(price, entryPx));
  const share = divide(made, magnitude(multiply(szi, entryPx)), 6);
  return (
    <p className={`text-12 ${colourOf(made)}`}>
      {t('perps.exits.makes', {
        price: number(price, { decimals }),
        amount: money(made, { isSigned: true }),
        share: percent(share, { isSigned: true }),
      })}
    </p>
  );
}

function useExits(row: AssetPosition, tick: string, onDone: () => void) {
  // Only TP/SL orders that existed when the dialog opened are replaced. Orders placed later must
  // not be cancelled.
  const [replaced] = useState(row.tpsl);
  const [basis, setBasis] = useState<(typeof BASES)[number]>('price');
  const [typed, setTyped] = useState<Readonly<Record<Exit, string>>>({
    takeProfit: replaced[0]?.tpTriggerPrice ?? '',
    stopLoss: replaced[0]?.slTriggerPrice ?? '',
  });
  const [fault, setFault] = useState<unknown>();
  const { act, canAct, isBusy } = useAct(setFault);
  const { entryPx, szi } = row.position;
  const side = isLong(row) ? 'buy' : 'sell';
  const priceOf = (exit: Exit): string | undefined => {
    const entry = { price: entryPx, size: magnitude(szi), tick };
    const price = exitPrice({ ...typed, exitBasis: basis, side }, exit, entry);
    return isDecimal(price) ? price : undefined;
  };
  const changeBasis = (next: (typeof BASES)[number]): void => {
    const converted = {
      takeProfit: priceOf('takeProfit') ?? '',
      stopLoss: priceOf('stopLoss') ?? '',
    };
    setTyped(next === 'price' ? converted : { takeProfit: '', stopLoss: '' });
    setBasis(next);
  };
  const save = async (prices: Readonly<Record<Exit, string | undefined>>): Promise<void> => {
    setFault(undefined);
    const reply = await act((trader) => replaceExits(trader, row, prices, replaced));
    if (reply !== undefined) onDone();
  };
  const prices = { takeProfit: priceOf('takeProfit'), stopLoss: priceOf('stopLoss') };
  const isPast = (exit: Exit): boolean =>
    isExitPastMark(row, exit, prices[exit], row.position.markPx);
  return {
    basis,
    canAct,
    changeBasis,
    fault,
    isBusy,
    isReady: EXITS.some((exit) => prices[exit] !== undefined) && !EXITS.some(isPast),
    prices,
    replaced,
    save,
    setTyped,
    typed,
  };
}

export function FiresNow() {
  return (
    <p role="alert" className="border-s-2 border-warning py-0.5 ps-3 text-12">
      {useWords()('perps.amend.firesNow')}
    </p>
  );
}
