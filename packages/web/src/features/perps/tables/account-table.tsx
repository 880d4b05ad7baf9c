import type { ActionReply, AssetPosition, Client, PerpMeta, TriggerOrder } from '@oddlot/sdk';
import { useMemo, useState, type ComponentType } from 'react';
import { texts } from 'words:portfolio';
import type { Shown } from '../../../account-tables/cells.tsx';
import { FillsTable } from '../../../account-tables/fills-table.tsx';
import { HistoryTable } from '../../../account-tables/history-table.tsx';
import { FundingTable, LedgerTable } from '../../../account-tables/ledger-table.tsx';
import {
  REPORT_KEY,
  ReportButton,
  useReport,
} from '../../../account-tables/report/report-button.tsx';
import { compare, isDecimal, sign, sum } from '../../../lib/decimal.ts';
import { dateTimeSecond, number } from '../../../lib/format.ts';
import { addWords, useWords, type Words } from '../../../lib/words.ts';
import { openOrders } from '../../../market/account.ts';
import { OnGrid, priceDecimals, SizeOnGrid } from '../../../market/cells.tsx';
import { usePerp, usePerps } from '../../../market/queries.ts';
import { contexts } from '../../../market/streams.ts';
import { MayNotTrade } from '../../../session/let-trade.tsx';
import { useSession } from '../../../session/session.ts';
import { Button, Checkbox, NumberField } from '../../../ui/controls.tsx';
import { Money } from '../../../ui/figures.tsx';
import { Dialog } from '../../../ui/overlays.tsx';
import { EmptyState, ErrorSentence } from '../../../ui/states.tsx';
import { useIsNarrow } from '../../../ui/styles.ts';
import { ROW_PX, Stacked, Table, TWO_LINES_PX, type Column } from '../../../ui/table.tsx';
import { gridOf, positionKey, positionName, useAct, usePositions } from '../use-account.ts';
import { MarketLink, OrdersTable, SideWord } from './orders-table.tsx';
import { closingOrder } from './position-actions.tsx';
import { FiresNow } from './position-exits.tsx';
import { PositionsTable } from './positions-table.tsx';
import type { TableName } from './tables-panel.tsx';
import {
  cancelNamed,
  exitsAmong,
  isPastMark,
  isReplaceable,
  kindOfWaiting,
  replaceTrigger,
  whatWaits,
  type Exit,
} from './waiting-exits.ts';

addWords(texts);

const TABLES: Readonly<Record<TableName, ComponentType<Shown>>> = {
  positions: PositionsTable,
  orders: OrdersTable,
  triggers: TriggersTable,
  fills: FillsTable,
  history: HistoryTable,
  funding: FundingTable,
  ledger: LedgerTable,
};

type AccountTableProps = Readonly<{ name: TableName; user: string; hasRows: boolean }>;

export function AccountTable({ name, user, hasRows }: AccountTableProps) {
  const Chosen = TABLES[name];
  return (
    <>
      {hasRows && <MayNotTrade />}
      <Chosen user={user} only="perps" />
    </>
  );
}

export function TableAside({ name }: { readonly name: TableName }) {
  if (name === 'positions') return <CloseAll />;
  return name === 'orders' || name === 'triggers' ? <CancelAll /> : null;
}

function CloseAll() {
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
  const hasExits = exits.length > 0 || positions.some(({ tpsl }) => tpsl.length > 0);
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
      {hasExits && (
        <p className="text-muted">
          {exits.length === 0
            ? t('perps.closeAll.exitsOnly')
            : t('perps.closeAll.exits', { count: exits.length })}
        </p>
      )}
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

const ORDERS_MAX = 50;

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

function CancelAll() {
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

function TriggersTable({ user }: { readonly user: string }) {
  const t = useWords();
  const { isLoaded, triggers } = openOrders.use(user, (state) => state);
  const { dialog, open } = useReport(user);
  const isPhone = useIsNarrow();
  const columns = useMemo(
    () => (isPhone ? phoneColumns(t, open) : columnsOf(t, open)),
    [isPhone, t, open],
  );
  return (
    <>
      <Table
        label={t('perps.tables.triggers')}
        columns={columns}
        rows={triggers}
        rowKey={({ oid }) => oid}
        rowHeight={isPhone ? TWO_LINES_PX : ROW_PX}
        rowHotkey={{ key: REPORT_KEY, act: ({ oid }) => open(oid) }}
        empty={
          isLoaded && (
            <EmptyState title={t('perps.empty.triggers')} text={t('perps.empty.triggersText')} />
          )
        }
      />
      {dialog}
    </>
  );
}

function columnsOf(t: Words, open: (oid: number) => void): readonly Column<TriggerOrder>[] {
  return [
    {
      id: 'market',
      header: t('perps.column.market'),
      width: '104px',
      cell: ({ coin }) => <MarketLink name={coin} />,
    },
    {
      id: 'side',
      header: t('perps.column.side'),
      width: '90px',
      tabletWidth: '100px',
      cell: (row) => <Direction trigger={row} />,
    },
    {
      id: 'trigger',
      header: t('perps.column.trigger'),
      width: '96px',
      tabletWidth: '88px',
      align: 'right',
      cell: (trigger) => <TriggerPrice trigger={trigger} onOpen={open} />,
    },
    {
      id: 'price',
      header: t('perps.column.price'),
      width: '96px',
      tabletWidth: '80px',
      align: 'right',
      cell: ({ asset, limitPx, orderType }) =>
        orderType === 'Market' ? t('perps.market') : <OnGrid coin={asset} value={limitPx} />,
    },
    {
      id: 'size',
      header: t('perps.column.size'),
      width: '112px',
      tabletWidth: '96px',
      align: 'right',
      cell: ({ asset, sz }) => <SizeOnGrid coin={asset} value={sz} />,
    },
    ...endColumns(t),
    actionsColumn(t),
  ];
}

/** Returns the columns for a phone, which combine market with side, and price with size. */
function phoneColumns(t: Words, open: (oid: number) => void): readonly Column<TriggerOrder>[] {
  return [
    {
      id: 'market',
      header: t('perps.column.market'),
      phoneWidth: '100px',
      cell: (row) => (
        <Stacked align="left" below={<Direction trigger={row} />}>
          <MarketLink name={row.coin} />
        </Stacked>
      ),
    },
    {
      id: 'trigger',
      header: t('perps.column.triggerSize'),
      phoneWidth: '88px',
      align: 'right',
      cell: (row) => (
        <Stacked below={<SizeOnGrid coin={row.asset} value={row.sz} />}>
          <TriggerPrice trigger={row} onOpen={open} />
        </Stacked>
      ),
    },
    actionsColumn(t),
  ];
}

type TriggerPriceProps = Readonly<{ trigger: TriggerOrder; onOpen: (oid: number) => void }>;

function TriggerPrice({ trigger: { asset, oid, triggerPx }, onOpen }: TriggerPriceProps) {
  return (
    <ReportButton oid={oid} onOpen={onOpen}>
      <OnGrid coin={asset} value={triggerPx} />
    </ReportButton>
  );
}

function endColumns(t: Words): readonly Column<TriggerOrder>[] {
  return [
    {
      id: 'state',
      width: '150px',
      tabletWidth: '112px',
      header: t('perps.column.state'),
      cell: ({ reduceOnly, triggerState }) => (
        <span className="text-muted">
          {t(`perps.triggerState.${triggerState}`)}
          {reduceOnly && ` · ${t('perps.ticket.reduceOnly')}`}
        </span>
      ),
    },
    {
      id: 'time',
      header: t('perps.column.time'),
      align: 'right',
      from: 'desktop',
      width: '128px',
      cell: ({ createTime }) => dateTimeSecond(createTime),
    },
  ];
}

function actionsColumn(t: Words): Column<TriggerOrder> {
  return {
    id: 'actions',
    header: <span className="visually-hidden">{t('perps.column.actions')}</span>,
    align: 'right',
    // This width fits both buttons with German labels.
    width: '164px',
    phoneWidth: '156px',
    cell: (row) => <TriggerActions trigger={row} />,
  };
}

function Direction({ trigger }: { readonly trigger: TriggerOrder }) {
  const t = useWords();
  const { asset, side, triggerState } = trigger;
  const markPx = contexts.use(asset, ({ ctx }) => ctx?.markPx);
  const word = t(side === 'B' ? 'perps.buy' : 'perps.sell');
  if (triggerState !== 'Pending' || !isDecimal(markPx)) return <SideWord side={side} text={word} />;
  const isProfit = kindOfWaiting(trigger, markPx) === 'tp';
  const kind = t(isProfit ? 'perps.ticket.takeProfit' : 'perps.ticket.stopLoss');
  return <SideWord side={side} text={`${word} · ${kind}`} />;
}

function TriggerActions({ trigger }: { readonly trigger: TriggerOrder }) {
  const t = useWords();
  const { act, canAct, isBusy } = useAct();
  const [isAmending, setIsAmending] = useState(false);
  const { asset, oid, triggerPx } = trigger;
  const perp = usePerp(asset);
  if (!canAct || perp === undefined) return null;
  const cancels = [{ a: Number(asset), o: oid }];
  const words = { price: number(triggerPx, { decimals: priceDecimals(perp) }) };
  return (
    <span className="inline-flex gap-1">
      {isReplaceable(trigger) && (
        <Button
          size="small"
          disabled={isBusy}
          aria-label={t('perps.amend.label', words)}
          onClick={() => setIsAmending(true)}
        >
          {t('perps.amend.button')}
        </Button>
      )}
      <Button
        size="small"
        isBusy={isBusy}
        aria-label={t('perps.cancel.label', words)}
        onClick={() =>
          void act((trader) => trader.exchange.cancel({ cancels }, { confirm: 'executed' }))
        }
      >
        {t('perps.cancel.button')}
      </Button>
      {isAmending && (
        <AmendTrigger trigger={trigger} perp={perp} onClose={() => setIsAmending(false)} />
      )}
    </span>
  );
}

type AmendTriggerProps = Readonly<{ trigger: TriggerOrder; perp: PerpMeta; onClose: () => void }>;

function AmendTrigger({ trigger, perp, onClose }: AmendTriggerProps) {
  const t = useWords();
  const { priceDecimals: decimals, sizeDecimals, tick } = gridOf(perp);
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
    mark: number(markPx, { decimals }),
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
