import { useEffect, useEffectEvent, useState, type ReactNode } from 'react';
import { useStore } from 'zustand';
import { compare, isDecimal, multiply } from '../../../lib/decimal.ts';
import { money } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { preferences } from '../../../ui/preferences.ts';
import { sendWishes, useDraft } from './draft.ts';
import type { Drafted } from './orders-of-draft.ts';

/** Sends, or asks first where its owner wants that; a level of the book may ask for it too. */
export function useConfirmed(
  drafted: Drafted,
  label: string,
  send: () => Promise<void>,
): { readonly request: () => void; readonly question: ReactNode } {
  const [isAsked, setIsAsked] = useState(false);
  const { confirmAbove, confirmOrders } = useStore(preferences);
  const value = drafted.missing === undefined ? multiply(drafted.size, drafted.price) : undefined;
  const request = (): void => {
    if (value === undefined) return;
    const isLarge = isDecimal(confirmAbove) && compare(value, confirmAbove) >= 0;
    if (confirmOrders === 'always' || (confirmOrders === 'above' && isLarge)) setIsAsked(true);
    else void send();
  };
  useWishes(request);
  const question = isAsked && (
    <Question label={label} value={value} onSend={send} onClose={() => setIsAsked(false)} />
  );
  return { request, question };
}

/** What a press on the book wishes is asked for with the price that it has set. */
function useWishes(request: () => void): void {
  const wish = useStore(sendWishes, ({ count }) => count);
  const onWish = useEffectEvent(request);
  useEffect(() => {
    if (wish > 0 && sendWishes.getState().take()) onWish();
  }, [wish]);
}

function Question({
  label,
  value,
  onSend,
  onClose,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly onSend: () => Promise<void>;
  readonly onClose: () => void;
}) {
  const t = useWords();
  const { side } = useDraft();
  const [isBusy, setIsBusy] = useState(false);
  const send = async (): Promise<void> => {
    setIsBusy(true);
    await onSend();
    onClose();
  };
  return (
    <Dialog
      title={t('perps.confirm.title')}
      description={t('perps.confirm.text', { value: money(value) })}
      isOpen
      onClose={onClose}
    >
      <Button kind={side} size="large" isWide isBusy={isBusy} onClick={() => void send()}>
        {label}
      </Button>
    </Dialog>
  );
}
