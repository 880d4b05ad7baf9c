import type { OpenOrder, OutcomeOpenOrder, TriggerOrder } from '@oddlot/sdk';
import { useMemo } from 'react';
import { subtract } from '../lib/decimal.ts';
import { useWords, type Words } from '../lib/words.ts';
import { openOrders, openOutcomeOrders } from '../market/account.ts';
import { type Column, Table } from '../ui/table.tsx';
import {
  isBought,
  Market,
  minuteColumn,
  Nothing,
  numberColumn,
  secondColumn,
  Sided,
  STACKED_ROW_PX,
} from './cells.tsx';
import { OrderOrigin, TradedPrice, TradedSize } from './fill-cells.tsx';
import { REPORT_KEY, ReportButton, useReport } from './report/report-button.tsx';
import { number } from '../lib/format.ts';

type Row = OpenOrder | OutcomeOpenOrder;

/** Orders that rest, of both kinds of markets. */
export function OrdersTable({ user }: { readonly user: string }) {
  const t = useWords();
  const perp = openOrders.use(user, ({ isLoaded, orders }) => ({ isLoaded, orders }));
  const outcome = openOutcomeOrders.use(user, (state) => state);
  const rows = useMemo<readonly Row[]>(
    () =>
      [...perp.orders, ...outcome.orders].sort((left, right) => right.timestamp - left.timestamp),
    [perp.orders, outcome.orders],
  );
  const { dialog, open } = useReport(user);
  const columns = useMemo(() => orderColumns(user, t, open), [t, user, open]);
  return (
    <>
      <Table
        label={t('portfolio.tab.orders')}
        columns={columns}
        rows={rows}
        rowKey={({ marketType, oid }) => `${marketType} ${oid}`}
        stackedRowHeight={STACKED_ROW_PX}
        rowHotkey={{ key: REPORT_KEY, act: ({ oid }) => open(oid) }}
        empty={<Nothing name="orders" user={user} isLoaded={perp.isLoaded && outcome.isLoaded} />}
      />
      {dialog}
    </>
  );
}

function orderColumns(user: string, t: Words, open: (oid: number) => void): readonly Column<Row>[] {
  return [
    secondColumn(
      ({ timestamp }) => timestamp,
      t,
      (order, time) => (
        <OrderOrigin user={user} order={order}>
          {time}
        </OrderOrigin>
      ),
    ),
    {
      id: 'market',
      header: t('portfolio.market'),
      cell: (order) => (
        <Market
          symbol={order.symbol}
          slug={'eventSlug' in order ? order.eventSlug : undefined}
          title={'title' in order ? order.title : undefined}
          isOutcome={order.marketType === 'outcome'}
        />
      ),
    },
    {
      id: 'side',
      header: t('portfolio.side'),
      width: '110px',
      phoneWidth: '64px',
      cell: (order) => (
        <Sided isBuy={isBought(order)}>
          {t(isBought(order) ? 'portfolio.buy' : 'portfolio.sell')}
          {'outcome' in order ? ` ${order.outcome}` : ''}
        </Sided>
      ),
    },
    numberColumn(
      'price',
      t('portfolio.price'),
      (order) => (
        <ReportButton oid={order.oid} onOpen={open}>
          <TradedPrice of={order} value={order.limitPx} />
        </ReportButton>
      ),
      { width: '110px', phoneWidth: '84px' },
    ),
    numberColumn(
      'size',
      t('portfolio.size'),
      (order) => <TradedSize of={order} value={order.origSz} />,
      { from: 'tablet' },
    ),
    numberColumn(
      'filled',
      t('portfolio.filled'),
      (order) => <TradedSize of={order} value={subtract(order.origSz, order.sz)} />,
      {
        from: 'tablet',
      },
    ),
    numberColumn('kind', t('portfolio.kind'), ({ tif }) => tif, { from: 'tablet', width: '80px' }),
  ];
}

/** Orders that wait for their price. */
export function TriggersTable({ user }: { readonly user: string }) {
  const t = useWords();
  const { isLoaded, triggers } = openOrders.use(user, (state) => state);
  const { dialog, open } = useReport(user);
  const columns = useMemo(() => triggerColumns(t, open), [t, open]);
  return (
    <>
      <Table
        label={t('portfolio.tab.triggers')}
        columns={columns}
        rows={triggers}
        rowKey={({ oid }) => oid}
        rowHotkey={{ key: REPORT_KEY, act: ({ oid }) => open(oid) }}
        empty={<Nothing name="triggers" user={user} isLoaded={isLoaded} />}
      />
      {dialog}
    </>
  );
}

function triggerColumns(t: Words, open: (oid: number) => void): readonly Column<TriggerOrder>[] {
  return [
    minuteColumn(({ createTime }) => createTime, t),
    {
      id: 'market',
      header: t('portfolio.market'),
      cell: ({ coin }) => <Market symbol={coin} isOutcome={false} />,
    },
    {
      id: 'side',
      header: t('portfolio.side'),
      width: '80px',
      phoneWidth: '56px',
      cell: ({ side }) => (
        <Sided isBuy={side === 'B'}>{t(side === 'B' ? 'portfolio.buy' : 'portfolio.sell')}</Sided>
      ),
    },
    numberColumn(
      'trigger',
      t('portfolio.trigger'),
      ({ oid, triggerPx }) => (
        <ReportButton oid={oid} onOpen={open}>
          {number(triggerPx)}
        </ReportButton>
      ),
      { phoneWidth: '84px' },
    ),
    numberColumn(
      'price',
      t('portfolio.price'),
      ({ limitPx, orderType }) =>
        orderType === 'Market' ? (
          <span className="text-muted">{t('portfolio.marketPrice')}</span>
        ) : (
          number(limitPx)
        ),
      { from: 'tablet' },
    ),
    numberColumn('size', t('portfolio.size'), ({ sz }) => number(sz), { from: 'tablet' }),
  ];
}
