import type { AssetPosition, PerpMeta, TriggerOrder } from '@oddlot/sdk';
import { useState } from 'react';
import { magnitude, multiply } from '../../../lib/decimal.ts';
import { number } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ErrorSentence } from '../../../ui/error-sentence.tsx';
import { gridOf } from '../grid.ts';
import { isLong } from '../use-account.ts';
import { useAct } from '../use-act.ts';
import { useWaitingExits, withoutLeftovers } from './waiting-exits.ts';

/** Asks before a position is turned round, and says what becomes of it and of its exits. */
export function ReverseDialog({
  row,
  perp,
  onClose,
}: {
  readonly row: AssetPosition;
  readonly perp: PerpMeta;
  readonly onClose: () => void;
}) {
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
