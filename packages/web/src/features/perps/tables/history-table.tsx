import { useMemo } from 'react';
import type { HistOrderRow } from '@oddlot/sdk';
import { sign } from '../../../lib/decimal.ts';
import { useWords, type Words } from '../../../lib/words.ts';
import { orderId, useOrderHistory } from '../../../market/account-lists.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Table, type Column } from '../../../ui/table.tsx';
import { MarketLink } from './market-link.tsx';
import { Moment } from './moment.tsx';
import { OnGrid, SizeOnGrid } from '../../../market/on-grid.tsx';
import { SideWord } from './side-word.tsx';
import { triggerKind } from './trigger-kind.ts';

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
      width: '136px',
      cell: ({ statusTimestamp }) => <Moment ms={statusTimestamp} />,
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
      cell: ({ order }) => {
        const kind = triggerKind(order);
        const suffix = kind === undefined ? '' : ` · ${t(`perps.ticket.${kind}`)}`;
        return <SideWord side={order.side} text={`${order.dir}${suffix}`} />;
      },
    },
    {
      id: 'price',
      header: t('perps.column.price'),
      align: 'right',
      cell: ({ order }) => <OwnPrice order={order} />,
    },
    {
      id: 'size',
      header: t('perps.column.size'),
      align: 'right',
      from: 'tablet',
      cell: ({ order }) =>
        // An exit of a position closes all of it, however much that is.
        order.isPositionTpsl && sign(order.origSz) === 0 ? (
          t('perps.wholeSize')
        ) : (
          <SizeOnGrid coin={String(order.instrumentId)} value={order.origSz} />
        ),
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

/** What it asked for: the mark at which it fires, its limit, or whatever the market has. */
function OwnPrice({ order }: { readonly order: HistOrderRow['order'] }) {
  const t = useWords();
  const coin = String(order.instrumentId);
  if (order.isTrigger) {
    return (
      <span title={order.triggerCondition}>
        <OnGrid coin={coin} value={order.triggerPx} />
      </span>
    );
  }
  if (order.orderType === 'Market') return <>{t('perps.market')}</>;
  return <OnGrid coin={coin} value={order.limitPx} />;
}
