import { useMemo } from 'react';
import type { OpenOrder } from '@oddlot/sdk';
import { OrderOrigin } from '../../../account-tables/origin.tsx';
import { ReportButton } from '../../../account-tables/report/report-button.tsx';
import { REPORT_KEY, useReport } from '../../../account-tables/report/use-report.tsx';
import { subtract } from '../../../lib/decimal.ts';
import { number } from '../../../lib/format.ts';
import { dateTime } from '../../../lib/time.ts';
import { useWords, type Words } from '../../../lib/words.ts';
import { openOrders } from '../../../market/account.ts';
import { priceDecimals } from '../../../market/grid-decimals.ts';
import { usePerp } from '../../../market/queries.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Table, type Column } from '../../../ui/table.tsx';
import { useAct } from '../use-act.ts';
import { AmendButtons, AmendField, AmendingOrders, useAmending } from './amend-order.tsx';
import { MarketLink } from './market-link.tsx';
import { OnGrid, SizeOnGrid } from '../../../market/on-grid.tsx';
import { OrderNote } from './order-note.tsx';
import { SideWord } from './side-word.tsx';

export function OrdersTable({ user }: { readonly user: string }) {
  const t = useWords();
  const { isLoaded, orders } = openOrders.use(user, (state) => state);
  const { dialog, open } = useReport(user);
  const columns = useMemo(() => columnsOf(user, t, open), [t, user, open]);
  return (
    <AmendingOrders>
      <Table
        label={t('perps.tables.orders')}
        columns={columns}
        rows={orders}
        rowKey={({ oid }) => oid}
        rowHotkey={{ key: REPORT_KEY, act: ({ oid }) => open(oid) }}
        empty={
          isLoaded && (
            <EmptyState title={t('perps.empty.orders')} text={t('perps.empty.ordersText')} />
          )
        }
      />
      {dialog}
    </AmendingOrders>
  );
}

function columnsOf(
  user: string,
  t: Words,
  open: (oid: number) => void,
): readonly Column<OpenOrder>[] {
  return [
    {
      id: 'market',
      header: t('perps.column.market'),
      width: '120px',
      phoneWidth: '75px',
      cell: ({ symbol }) => <MarketLink name={symbol} />,
    },
    {
      id: 'side',
      header: t('perps.column.side'),
      from: 'tablet',
      cell: ({ dir, side }) => <SideWord side={side} text={dir} />,
    },
    {
      id: 'price',
      header: t('perps.column.price'),
      phoneWidth: '75px',
      align: 'right',
      cell: (order) => (
        <AmendField order={order} field="price">
          <ReportButton oid={order.oid} onOpen={open}>
            <OnGrid coin={String(order.instrumentId)} value={order.limitPx} />
          </ReportButton>
        </AmendField>
      ),
    },
    {
      id: 'size',
      header: t('perps.column.size'),
      phoneWidth: '102px',
      align: 'right',
      cell: (order) => (
        <AmendField order={order} field="size">
          <SizeOnGrid coin={String(order.instrumentId)} value={order.origSz} />
        </AmendField>
      ),
    },
    ...endColumns(user, t),
  ];
}

/** How far it is, how long it rests, where it came from, and what can be done about it. */
function endColumns(user: string, t: Words): readonly Column<OpenOrder>[] {
  return [
    {
      id: 'filled',
      header: t('perps.column.filled'),
      align: 'right',
      from: 'tablet',
      cell: ({ instrumentId, origSz, sz }) => (
        <SizeOnGrid coin={String(instrumentId)} value={subtract(origSz, sz)} />
      ),
    },
    {
      id: 'kind',
      header: t('perps.column.kind'),
      from: 'tablet',
      cell: (order) => (
        <span className="flex min-w-0 gap-2">
          <Kind order={order} />
          <OrderNote oid={order.oid} />
        </span>
      ),
    },
    {
      id: 'time',
      header: t('perps.column.time'),
      from: 'desktop',
      align: 'right',
      cell: (order) => (
        <OrderOrigin user={user} order={order}>
          {dateTime(order.timestamp)}
        </OrderOrigin>
      ),
    },
    {
      id: 'actions',
      header: <span className="heard">{t('perps.column.actions')}</span>,
      align: 'right',
      width: '150px',
      phoneWidth: '122px',
      cell: (order) => <OrderActions order={order} />,
    },
  ];
}

function OrderActions({ order }: { readonly order: OpenOrder }) {
  const t = useWords();
  const amending = useAmending(order.oid);
  const { act, canAct, isBusy } = useAct();
  const perp = usePerp(String(order.instrumentId));
  if (!canAct) return null;
  if (amending.draft !== undefined) return <AmendButtons order={order} />;
  const { instrumentId, limitPx, oid } = order;
  const decimals = perp && priceDecimals(perp);
  const words = { price: number(limitPx, { decimals }) };
  const cancel = (): void => {
    const cancels = [{ a: instrumentId, o: oid }];
    void act((trader) => trader.exchange.cancel({ cancels }, { confirm: 'executed' }));
  };
  return (
    <span className="inline-flex gap-1">
      <Button
        size="small"
        disabled={isBusy}
        aria-label={t('perps.amend.label', words)}
        onClick={() => amending.begin(order)}
      >
        {t('perps.amend.button')}
      </Button>
      <Button
        size="small"
        isBusy={isBusy}
        aria-label={t('perps.cancel.label', words)}
        onClick={cancel}
      >
        {t('perps.cancel.button')}
      </Button>
    </span>
  );
}

/** How long it rests, and whether it may only reduce. */
function Kind({ order: { expireTime, reduceOnly, tif } }: { readonly order: OpenOrder }) {
  const t = useWords();
  return (
    <span className="shrink-0 text-muted">
      {tif}
      {expireTime !== undefined && ` ${dateTime(expireTime)}`}
      {reduceOnly && ` · ${t('perps.ticket.reduceOnly')}`}
    </span>
  );
}
