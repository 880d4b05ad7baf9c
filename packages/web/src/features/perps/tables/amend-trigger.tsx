import type { PerpMeta, TriggerOrder } from '@oddlot/sdk';
import { useState } from 'react';
import { compare, isDecimal, sign } from '../../../lib/decimal.ts';
import { number } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { contexts } from '../../../market/contexts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ErrorSentence } from '../../../ui/error-sentence.tsx';
import { NumberField } from '../../../ui/number-field.tsx';
import { gridOf } from '../grid.ts';
import { useAct } from '../use-act.ts';
import { FiresNow } from './fires-now.tsx';
import { isPastMark, replaceTrigger } from './replace-trigger.ts';

/** Another price, or another limit, for an order that waits for the mark. */
export function AmendTrigger({
  trigger,
  perp,
  onClose,
}: {
  readonly trigger: TriggerOrder;
  readonly perp: PerpMeta;
  readonly onClose: () => void;
}) {
  const t = useWords();
  const { priceDecimals, sizeDecimals, tick } = gridOf(perp);
  const markPx = contexts.use(trigger.asset, ({ ctx }) => ctx?.markPx);
  const before = trigger.orderType === 'Market' ? '' : trigger.limitPx;
  const [triggerPrice, setTriggerPrice] = useState(trigger.triggerPx);
  const [limit, setLimit] = useState(before);
  const [fault, setFault] = useState<unknown>();
  const { act, canAct, isBusy } = useAct(setFault);
  const firesNow = isDecimal(markPx) && isPastMark(trigger, triggerPrice, markPx);
  const isReady = !firesNow && isAnother(trigger, triggerPrice, limit);
  const save = async (): Promise<void> => {
    if (!isReady || !isDecimal(markPx)) return;
    setFault(undefined);
    const prices = { triggerPrice, limitPrice: limit === '' ? undefined : limit };
    const reply = await act((trader) => replaceTrigger(trader, trigger, prices, markPx));
    if (reply !== undefined) onClose();
  };
  const words = {
    size: number(trigger.sz, { decimals: sizeDecimals }),
    market: trigger.coin,
    mark: number(markPx, { decimals: priceDecimals }),
  };
  return (
    <Dialog
      title={t('perps.amend.trigger')}
      description={t(trigger.side === 'B' ? 'perps.amend.buyText' : 'perps.amend.sellText', words)}
      isOpen
      onClose={onClose}
    >
      <div className="flex flex-col gap-3">
        <NumberField
          label={t('perps.ticket.triggerPrice')}
          value={triggerPrice}
          step={tick}
          onChange={setTriggerPrice}
          onEnter={() => void save()}
        />
        <NumberField
          label={t('perps.ticket.limitPrice')}
          value={limit}
          step={tick}
          placeholder={t('perps.ticket.atMarket')}
          onChange={setLimit}
          onEnter={() => void save()}
        />
        {firesNow && <FiresNow />}
        {fault !== undefined && <ErrorSentence error={fault} />}
        <Button
          kind="accent"
          isWide
          isBusy={isBusy}
          disabled={!canAct || !isReady || !isDecimal(markPx)}
          onClick={() => void save()}
        >
          {t('perps.amend.replace')}
        </Button>
      </div>
    </Dialog>
  );
}

/** Whether it is a trigger, and not the one that waits. */
function isAnother(
  { limitPx, orderType, triggerPx }: TriggerOrder,
  triggerPrice: string,
  limit: string,
): boolean {
  if (!isPrice(triggerPrice) || (limit !== '' && !isPrice(limit))) return false;
  if (compare(triggerPrice, triggerPx) !== 0) return true;
  if (orderType === 'Market' || limit === '') return (orderType === 'Market') !== (limit === '');
  return compare(limit, limitPx) !== 0;
}

function isPrice(text: string): boolean {
  return isDecimal(text) && sign(text) > 0;
}
