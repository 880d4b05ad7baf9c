import type { HistOrder, HistOrderRow } from '@oddlot/sdk';
import { useMemo } from 'react';
import { sign, subtract } from '../lib/decimal.ts';
import { useWords, type Words } from '../lib/words.ts';
import { orderId, useOrderHistory } from '../market/account-lists.ts';
import { Table, type Column } from '../ui/table.tsx';
import {
  directionWord,
  isBought,
  Market,
  Nothing,
  numberColumn,
  OrderOrigin,
  secondColumn,
  Sided,
  STACKED_ROW_PX,
  TradedPrice,
  TradedSize,
  type Shown,
} from './cells.tsx';
import { REPORT_KEY, ReportButton, useReport } from './report/report-button.tsx';

export function HistoryTable({ user, only }: Shown) {
  const t = useWords();
  const { isLoaded, older, rows: all } = useOrderHistory(user);
  const rows = useMemo(
    () => (only === undefined ? all : all.filter(({ order }) => order.marketType === only)),
    [all, only],
  );
  const { dialog, open } = useReport(user);
  const columns = useMemo(
    () => [...orderColumns(user, t, open), ...endColumns(t)],
    [t, user, open],
  );
  return (
    <>
      <Table
        label={t('portfolio.tab.history')}
        columns={columns}
        rows={rows}
        rowKey={orderId}
        stackedRowHeight={only === 'perps' ? undefined : STACKED_ROW_PX}
        rowHotkey={{ key: REPORT_KEY, act: ({ order }) => open(order.oid) }}
        older={older}
        empty={<Nothing name="history" user={user} isLoaded={isLoaded} />}
      />
      {dialog}
    </>
  );
}

function orderColumns(
  user: string,
  t: Words,
  open: (oid: number) => void,
): readonly Column<HistOrderRow>[] {
  return [
    secondColumn(
      ({ statusTimestamp }) => statusTimestamp,
      t,
      ({ order }, time) => (
        <OrderOrigin user={user} order={order}>
          {time}
        </OrderOrigin>
      ),
    ),
    {
      id: 'market',
      header: t('portfolio.market'),
      cell: ({ order: { marketType, slug, symbol, title } }) => (
        <Market symbol={symbol} slug={slug} title={title} isOutcome={marketType === 'outcome'} />
      ),
    },
    {
      id: 'side',
      header: t('portfolio.side'),
      width: '136px',
      from: 'tablet',
      cell: ({ order }) => {
        const kind = triggerKind(order);
        return (
          <Sided isBuy={isBought(order)}>
            {directionWord(order.dir, t)}
            {kind !== undefined && ` · ${t(`portfolio.${kind}`)}`}
          </Sided>
        );
      },
    },
    numberColumn(
      'price',
      t('portfolio.price'),
      ({ order }) => (
        <ReportButton oid={order.oid} onOpen={open}>
          <OwnPrice order={order} />
        </ReportButton>
      ),
      { width: '96px', phoneWidth: '84px' },
    ),
    numberColumn('size', t('portfolio.size'), ({ order }) => <OwnSize order={order} />, {
      width: '108px',
      from: 'tablet',
    }),
  ];
}

function endColumns(t: Words): readonly Column<HistOrderRow>[] {
  return [
    numberColumn(
      'filled',
      t('portfolio.filled'),
      ({ order }) => <TradedSize of={order} value={subtract(order.origSz, order.sz)} />,
      { width: '108px', from: 'desktop' },
    ),
    numberColumn(
      'average',
      t('portfolio.average'),
      ({ order }) => <TradedPrice of={order} value={order.avgFillPrice ?? ''} />,
      { width: '96px', from: 'desktop' },
    ),
    {
      id: 'status',
      header: t('portfolio.status'),
      width: '176px',
      phoneWidth: '96px',
      cell: ({ order: { cancelReason, rejectReason }, status }) => {
        const reason = rejectReason ?? cancelReason ?? '';
        return (
          <span title={reason}>
            {t(`portfolio.orderStatus.${status}`)}
            {reason !== '' && <span className="text-muted max-tablet:hidden"> · {reason}</span>}
          </span>
        );
      },
    },
  ];
}

function OwnPrice({ order }: { readonly order: HistOrder }) {
  const t = useWords();
  if (order.isTrigger) {
    return (
      <span title={order.triggerCondition}>
        <TradedPrice of={order} value={order.triggerPx} />
      </span>
    );
  }
  if (order.orderType === 'Market') {
    return <span className="text-muted">{t('portfolio.marketPrice')}</span>;
  }
  return <TradedPrice of={order} value={order.limitPx} />;
}

function OwnSize({ order }: { readonly order: HistOrder }) {
  const t = useWords();
  if (order.isPositionTpsl && sign(order.origSz) === 0) return <>{t('portfolio.wholeSize')}</>;
  return <TradedSize of={order} value={order.origSz} />;
}

export function triggerKind({
  side,
  triggerCondition,
}: Pick<HistOrder, 'side' | 'triggerCondition'>): 'takeProfit' | 'stopLoss' | undefined {
  const isAbove = triggerCondition.startsWith('Price above');
  if (!isAbove && !triggerCondition.startsWith('Price below')) return undefined;
  return isAbove === (side === 'A') ? 'takeProfit' : 'stopLoss';
}
