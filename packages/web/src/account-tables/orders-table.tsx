import type { OpenOrder, OutcomeOpenOrder } from '@oddlot/sdk';
import { useMemo } from 'react';
import { subtract } from '../lib/decimal.ts';
import { useWords, type Words } from '../lib/words.ts';
import { openOrders, openOutcomeOrders } from '../market/account.ts';
import { Table, type Column } from '../ui/table.tsx';
import { Market, Nothing, numberColumn, secondColumn, Sided, STACKED_ROW_PX } from './cells.tsx';
import { isBought } from './is-bought.ts';
import { OrderOrigin } from './origin.tsx';
import { ReportButton } from './report/report-button.tsx';
import { REPORT_KEY, useReport } from './report/use-report.tsx';
import { TradedPrice, TradedSize } from './traded-figures.tsx';

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
  const columns = useMemo(() => columnsOf(user, t, open), [t, user, open]);
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

function columnsOf(user: string, t: Words, open: (oid: number) => void): readonly Column<Row>[] {
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
