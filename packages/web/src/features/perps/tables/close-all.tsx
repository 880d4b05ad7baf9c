import { useMemo, useState } from 'react';
import type { ActionReply, AssetPosition, Client, PerpMeta, TriggerOrder } from '@oddlot/sdk';
import { sum } from '../../../lib/decimal.ts';
import { useWords } from '../../../lib/words.ts';
import { openOrders } from '../../../market/account.ts';
import { OnGrid, SizeOnGrid } from '../../../market/on-grid.tsx';
import { usePerps } from '../../../market/queries.ts';
import { useSession } from '../../../session/session.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ErrorSentence } from '../../../ui/error-sentence.tsx';
import { Money } from '../../../ui/figure.tsx';
import { closingOrder } from './position-actions.tsx';
import { gridOf } from '../grid.ts';
import { positionKey, positionName, usePositions } from '../use-account.ts';
import { useAct } from '../use-act.ts';
import { exitsAmong } from './waiting-exits.ts';
import { cancelNamed, type Exit, whatWaits } from './what-waits.ts';
import { Checkbox } from '../../../ui/checkbox.tsx';

/** Closes every position at the market, after a question that names each of them. */
export function CloseAll() {
  const t = useWords();
  const [isOpen, setIsOpen] = useState(false);
  const positions = usePositions();
  const { canAct } = useAct();
  const close = (): void => setIsOpen(false);
  if (!canAct || (positions.length === 0 && !isOpen)) return null;
  return (
    <>
      <Button size="small" kind="quiet" onClick={() => setIsOpen(true)}>
        {t('perps.closeAll.button')}
      </Button>
      <Dialog
        title={t('perps.closeAll.title')}
        description={t('perps.closeAll.text')}
        isOpen={isOpen}
        onClose={close}
      >
        {isOpen && <CloseQuestion onDone={close} />}
      </Dialog>
    </>
  );
}

function CloseQuestion({ onDone }: { readonly onDone: () => void }) {
  const t = useWords();
  const user = useSession()?.address;
  const positions = usePositions();
  const triggers = openOrders.use(user, (open) => open.triggers);
  const perps = usePerps().data?.universe;
  const [fault, setFault] = useState<unknown>();
  const { act, isBusy } = useAct(setFault);
  const exits = positions.flatMap((row) => exitsAmong(row, triggers));
  const close = async (): Promise<void> => {
    setFault(undefined);
    if (perps === undefined) return;
    const reply = await act((trader) => closeEach(trader, positions, { perps, triggers }));
    if (reply !== undefined) onDone();
  };
  const results = sum(positions.map(({ position }) => position.unrealizedPnl));
  return (
    <div className="flex flex-col gap-3 text-12">
      <ul className="max-h-48 overflow-auto" tabIndex={0} aria-label={t('perps.tables.positions')}>
        {positions.map((row) => (
          <li key={positionKey(row)} className="grid grid-cols-3 gap-2">
            <span>{positionName(row, t)}</span>
            <span className="text-end">
              <SizeOnGrid coin={row.position.asset} value={row.position.szi} isSigned />
            </span>
            <span className="text-end">
              <Money value={row.position.unrealizedPnl} isSigned isColoured />
            </span>
          </li>
        ))}
        <li className="mt-1 flex justify-between border-t border-line pt-1">
          <span className="text-muted">{t('perps.closeAll.result')}</span>
          <Money value={results} isSigned isColoured />
        </li>
      </ul>
      <p className="text-muted">{t('perps.closeAll.exits', { count: exits.length })}</p>
      {fault !== undefined && <ErrorSentence error={fault} />}
      <Button
        kind="danger"
        isWide
        isBusy={isBusy}
        disabled={positions.length === 0}
        onClick={() => void close()}
      >
        {t('perps.closeAll.confirm', { count: positions.length })}
      </Button>
    </div>
  );
}

/** As many orders as one action takes. */
const ORDERS_MAX = 50;

/** One action for as many as it takes; what is closed has no use for its exits any more. */
async function closeEach(
  trader: Client,
  rows: readonly AssetPosition[],
  around: { readonly perps: readonly PerpMeta[]; readonly triggers: readonly TriggerOrder[] },
): Promise<ActionReply> {
  const [now, later] = [rows.slice(0, ORDERS_MAX), rows.slice(ORDERS_MAX)];
  const orders = now.flatMap((row) => {
    const perp = around.perps.find(({ index }) => String(index) === row.position.asset);
    return perp === undefined ? [] : closingOrder(row, 100, gridOf(perp)).orders;
  });
  const reply = await trader.exchange.order({ orders }, { confirm: 'executed' });
  if (reply.status !== 'executed') return reply;
  const closed = now.filter((_, at) => reply.orders[at]?.state === 'filled');
  const cancels = closed
    .flatMap((row) => exitsAmong(row, around.triggers))
    .map(({ asset, oid }) => ({ a: Number(asset), o: oid }));
  if (cancels.length > 0) await cancelNamed(trader, cancels);
  return later.length === 0 || reply.failure !== undefined
    ? reply
    : closeEach(trader, later, around);
}

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
        {isOpen && <CancelQuestion onDone={close} />}
      </Dialog>
    </>
  );
}

function CancelQuestion({ onDone }: { readonly onDone: () => void }) {
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
