import { useMemo, useState } from 'react';
import { useWords } from '../../../lib/words.ts';
import { openOrders } from '../../../market/account.ts';
import { OnGrid } from '../../../market/on-grid.tsx';
import { useSession } from '../../../session/use-session.ts';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { usePositions } from '../use-account.ts';
import { useAct } from '../use-act.ts';
import { cancelNamed, whatWaits, type Exit } from './what-waits.ts';

/** Takes back what is counted, after one question: there is no way to undo it. Exits stay unless they are asked for. */
export function CancelAll() {
  const t = useWords();
  const user = useSession()?.address;
  const { orders, triggers } = openOrders.use(user, (open) => open);
  const [isOpen, setIsOpen] = useState(false);
  const { canAct } = useAct();
  const close = (): void => setIsOpen(false);
  if (!canAct || (orders.length + triggers.length === 0 && !isOpen)) return null;
  return (
    <>
      <Button size="small" kind="quiet" onClick={() => setIsOpen(true)}>
        {t('perps.cancelAll.button')}
      </Button>
      <Dialog
        title={t('perps.cancelAll.title')}
        description={t('perps.cancelAll.text')}
        isOpen={isOpen}
        onClose={close}
      >
        {isOpen && <Question onDone={close} />}
      </Dialog>
    </>
  );
}

function Question({ onDone }: { readonly onDone: () => void }) {
  const t = useWords();
  const user = useSession()?.address;
  const { orders, triggers } = openOrders.use(user, (open) => open);
  const positions = usePositions();
  const waits = useMemo(
    () => whatWaits({ orders, triggers, positions }),
    [orders, triggers, positions],
  );
  const [withExits, setWithExits] = useState(false);
  const { act, isBusy } = useAct();
  const exits = withExits ? waits.exits : [];
  const cancels = [...waits.orders, ...exits.map(({ cancel }) => cancel)];
  const cancel = async (): Promise<void> => {
    if ((await act((trader) => cancelNamed(trader, cancels))) !== undefined) onDone();
  };
  const count = waits.orders.length;
  const names = {
    orders: t('perps.cancelAll.orders', { count }),
    exits: t('perps.cancelAll.exits', { count: exits.length }),
  };
  return (
    <div className="flex flex-col gap-3">
      {waits.exits.length > 0 && (
        <div className="flex flex-col gap-2 border-s-2 border-warning py-0.5 ps-3 text-12">
          <p>{t(withExits ? 'perps.cancelAll.bare' : 'perps.cancelAll.stay')}</p>
          <ExitList exits={waits.exits} />
          <Checkbox
            label={t('perps.cancelAll.asWell', { count: waits.exits.length })}
            isOn={withExits}
            onChange={setWithExits}
          />
        </div>
      )}
      <Button
        kind="danger"
        isWide
        isBusy={isBusy}
        disabled={cancels.length === 0}
        onClick={() => void cancel()}
      >
        {exits.length === 0
          ? t('perps.cancelAll.confirm', names)
          : t(count === 0 ? 'perps.cancelAll.confirmExits' : 'perps.cancelAll.confirmBoth', names)}
      </Button>
    </div>
  );
}

/** Each by its market, its kind and its price; a long list scrolls. */
function ExitList({ exits }: { readonly exits: readonly Exit[] }) {
  const t = useWords();
  return (
    <ul
      className="max-h-40 overflow-auto"
      aria-label={t('perps.cancelAll.exitsLabel')}
      tabIndex={0}
    >
      {exits.map(({ asset, cancel, kind, market, price }) => (
        <li key={`${cancel.grouping ?? ''} ${cancel.o}`} className="flex justify-between gap-2">
          <span>{`${market} · ${t(`perps.line.${kind}`)}`}</span>
          <OnGrid coin={asset} value={price} />
        </li>
      ))}
    </ul>
  );
}
