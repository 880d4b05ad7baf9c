import { useMemo } from 'react';
import type { HistOrderRow } from '@oddlot/sdk';
import { number } from '../../../lib/format.ts';
import { dateTime } from '../../../lib/time.ts';
import { useWords, type Words } from '../../../lib/words.ts';
import { orderId, useOrderHistory } from '../../../market/account-lists.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Table, type Column } from '../../../ui/table.tsx';
import { MarketLink } from './market-link.tsx';
import { OnGrid } from './positions-table.tsx';
import { SideWord } from './side-word.tsx';

/** Every order, with the reason of its end. */
export function HistoryTable({ user }: { readonly user: string }) {
  const t = useWords();
  const { older, rows: all } = useOrderHistory(user);
  const rows = useMemo(() => all.filter(({ order }) => order.marketType === 'perps'), [all]);
  const columns = useMemo(() => columnsOf(t), [t]);
  return (
    <Table
      label={t('perps.tables.history')}
      columns={columns}
      rows={rows}
      rowKey={orderId}
      older={older}
      empty={<EmptyState title={t('perps.empty.history')} text={t('perps.empty.historyText')} />}
    />
  );
}

function columnsOf(t: Words): readonly Column<HistOrderRow>[] {
  return [
    {
      id: 'time',
      header: t('perps.column.time'),
      width: '120px',
      cell: ({ statusTimestamp }) => dateTime(statusTimestamp),
    },
    {
      id: 'market',
      header: t('perps.column.market'),
      cell: ({ order }) => <MarketLink name={order.symbol} />,
    },
    {
      id: 'side',
      header: t('perps.column.side'),
      from: 'tablet',
      cell: ({ order }) => <SideWord side={order.side} text={order.dir} />,
    },
    {
      id: 'price',
      header: t('perps.column.price'),
      align: 'right',
      cell: ({ order }) =>
        order.orderType === 'Market' ? (
          t('perps.market')
        ) : (
          <OnGrid coin={String(order.instrumentId)} value={order.limitPx} />
        ),
    },
    {
      id: 'size',
      header: t('perps.column.size'),
      align: 'right',
      from: 'tablet',
      cell: ({ order }) => number(order.origSz),
    },
    {
      id: 'average',
      header: t('perps.column.average'),
      align: 'right',
      from: 'tablet',
      cell: ({ order }) => (
        <OnGrid coin={String(order.instrumentId)} value={order.avgFillPrice ?? ''} />
      ),
    },
    {
      id: 'status',
      header: t('perps.column.status'),
      width: '220px',
      cell: ({ order, status }) => {
        const reason = order.rejectReason ?? order.cancelReason ?? '';
        return (
          <span title={reason}>
            {t(`perps.status.${status}`)}
            {reason !== '' && <span className="text-muted"> · {reason}</span>}
          </span>
        );
      },
    },
  ];
}
