import { useState } from 'react';
import { useWords } from '../../../lib/words.ts';
import { openOrders } from '../../../market/account.ts';
import { useSession } from '../../../session/use-session.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { useAct } from '../use-act.ts';

/** Takes every perp order and trigger back, after one question: there is no way to undo it. */
export function CancelAll() {
  const t = useWords();
  const user = useSession()?.address;
  const count = openOrders.use(user, ({ orders, triggers }) => orders.length + triggers.length);
  const [isOpen, setIsOpen] = useState(false);
  const { act, canAct, isBusy } = useAct();
  if (!canAct || count === 0) return null;
  const cancel = async (): Promise<void> => {
    const reply = await act((trader) =>
      trader.exchange.cancelAll({ accountType: 'perp' }, { confirm: 'executed' }),
    );
    if (reply !== undefined) setIsOpen(false);
  };
  return (
    <>
      <Button size="small" kind="quiet" onClick={() => setIsOpen(true)}>
        {t('perps.cancelAll.button')}
      </Button>
      <Dialog
        title={t('perps.cancelAll.title', { count })}
        description={t('perps.cancelAll.text')}
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
      >
        <Button kind="danger" isWide isBusy={isBusy} onClick={() => void cancel()}>
          {t('perps.cancelAll.confirm', { count })}
        </Button>
      </Dialog>
    </>
  );
}
