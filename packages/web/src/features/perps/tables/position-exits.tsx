import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { AssetPosition } from '@oddlot/sdk';
import { compare, isDecimal } from '../../../lib/decimal.ts';
import { number } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { openOrders } from '../../../market/account.ts';
import { usePerp } from '../../../market/queries.ts';
import { useSession } from '../../../session/use-session.ts';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/class-names.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { ErrorSentence } from '../../../ui/error-sentence.tsx';
import { NumberField } from '../../../ui/number-field.tsx';
import { isLong, positionName } from '../use-account.ts';
import { useAct } from '../use-act.ts';
import { replaceExits } from './replace-exits.ts';

/** Take-profit and stop-loss of a position; a press opens them. */
export function PositionExits({ row }: { readonly row: AssetPosition }) {
  const t = useWords();
  const [isOpen, setIsOpen] = useState(false);
  const navigate = useNavigate();
  const waiting = useWaiting(row);
  const [first] = row.tpsl;
  const prices = [first?.tpTriggerPrice, first?.slTriggerPrice].map((price) => number(price));
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
        <span className="heard">{t('perps.exits.label', { market: positionName(row, t) })} </span>
        {waiting.map((price) => number(price)).join(' / ')}
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
        <span className="heard">{t('perps.exits.label', { market: positionName(row, t) })} </span>
        {first === undefined ? t('perps.exits.add') : `${prices.join(' / ')}${more}`}
      </button>
      {isOpen && <ExitsDialog row={row} onClose={() => setIsOpen(false)} />}
    </>
  );
}

/** Where triggers of their own would close it, such as those that came with its order: the profit first. */
function useWaiting(row: AssetPosition): readonly string[] {
  const user = useSession()?.address;
  const { asset } = row.position;
  const triggers = openOrders.use(user, (state) => state.triggers);
  const side = isLong(row) ? 'A' : 'B';
  return triggers
    .filter((trigger) => trigger.asset === asset && trigger.reduceOnly && trigger.side === side)
    .map(({ triggerPx }) => triggerPx)
    .sort((a, b) => (side === 'A' ? compare(b, a) : compare(a, b)))
    .slice(0, 2);
}

export function ExitsDialog({
  row,
  onClose,
}: {
  readonly row: AssetPosition;
  readonly onClose: () => void;
}) {
  const t = useWords();
  const perp = usePerp(row.position.asset);
  const { canAct, fault, fields, isBusy, replaced, save, stopLoss, takeProfit } = useExits(
    row,
    onClose,
  );
  const isEmpty = takeProfit === '' && stopLoss === '';
  return (
    <Dialog
      title={t('perps.exits.title', { market: positionName(row, t) })}
      description={t('perps.exits.text', {
        entry: number(row.position.entryPx),
        mark: number(row.position.markPx),
      })}
      isOpen
      onClose={onClose}
    >
      <div className="flex flex-col gap-3">
        {fields.map(([label, value, setValue]) => (
          <NumberField
            key={label}
            label={label}
            value={value}
            step={perp?.priceTick}
            onChange={setValue}
          />
        ))}
        {fault !== undefined && <ErrorSentence error={fault} />}
        <Button
          kind="accent"
          isWide
          isBusy={isBusy}
          disabled={!canAct || isEmpty}
          onClick={() => void save({ takeProfit, stopLoss })}
        >
          {t('perps.exits.save')}
        </Button>
        {replaced.length > 0 && (
          <Button
            kind="danger"
            isWide
            disabled={!canAct || isBusy}
            onClick={() => void save({ takeProfit: '', stopLoss: '' })}
          >
            {t('perps.exits.remove')}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

function useExits(row: AssetPosition, onDone: () => void) {
  const t = useWords();
  // The pair that the dialog was opened on; what fires meanwhile is gone and cannot be cancelled.
  const [replaced] = useState(row.tpsl);
  const [takeProfit, setTakeProfit] = useState(replaced[0]?.tpTriggerPrice ?? '');
  const [stopLoss, setStopLoss] = useState(replaced[0]?.slTriggerPrice ?? '');
  const [fault, setFault] = useState<unknown>();
  const { act, canAct, isBusy } = useAct(setFault);
  const save = async (prices: {
    readonly takeProfit: string;
    readonly stopLoss: string;
  }): Promise<void> => {
    setFault(undefined);
    const exits = {
      takeProfit: isDecimal(prices.takeProfit) ? prices.takeProfit : undefined,
      stopLoss: isDecimal(prices.stopLoss) ? prices.stopLoss : undefined,
    };
    const reply = await act((trader) => replaceExits(trader, row, exits, replaced));
    if (reply !== undefined) onDone();
  };
  const fields = [
    [t('perps.ticket.takeProfit'), takeProfit, setTakeProfit],
    [t('perps.ticket.stopLoss'), stopLoss, setStopLoss],
  ] as const;
  return { canAct, fault, fields, isBusy, replaced, save, stopLoss, takeProfit };
}
