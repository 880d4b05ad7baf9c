import type { HistOrderRow } from '@oddlot/sdk';
import { useMemo } from 'react';
import { subtract } from '../lib/decimal.ts';
import { number } from '../lib/format.ts';
import { useWords, type Words } from '../lib/words.ts';
import { orderId, useOrderHistory } from '../market/account-lists.ts';
import { Table, type Column } from '../ui/table.tsx';
import { Market, Nothing, numberColumn, Sided, timeColumn } from './cells.tsx';

/** Every order, with the reason of its end. */
export function HistoryTable({ user }: { readonly user: string }) {
  const t = useWords();
  const { isLoaded, older, rows } = useOrderHistory(user);
  const columns = useMemo(() => columnsOf(t), [t]);
  return (
    <Table
      label={t('portfolio.tab.history')}
      columns={columns}
      rows={rows}
      rowKey={orderId}
      older={older}
      empty={<Nothing name="history" user={user} isLoaded={isLoaded} />}
    />
  );
}

function columnsOf(t: Words): readonly Column<HistOrderRow>[] {
  return [
    timeColumn(({ statusTimestamp }) => statusTimestamp, t),
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
      width: '120px',
      from: 'tablet',
      cell: ({ order: { dir, side } }) => <Sided isBuy={side === 'B'}>{dir}</Sided>,
    },
    numberColumn(
      'price',
      t('portfolio.price'),
      ({ order: { avgFillPrice, limitPx, orderType } }) =>
        orderType === 'Market' ? number(avgFillPrice ?? undefined) : number(limitPx),
      { width: '110px', phoneWidth: '84px' },
    ),
    numberColumn('size', t('portfolio.size'), ({ order }) => number(order.origSz), {
      from: 'tablet',
    }),
    numberColumn(
      'filled',
      t('portfolio.filled'),
      ({ order: { origSz, sz } }) => number(subtract(origSz, sz)),
      { from: 'tablet' },
    ),
    {
      id: 'status',
      header: t('portfolio.status'),
      width: '240px',
      phoneWidth: '92px',
      cell: ({ order: { cancelReason, rejectReason }, status }) => {
        const reason = rejectReason ?? cancelReason;
        return (
          <span title={reason}>
            {t(`portfolio.orderStatus.${status}`)}
            {reason !== undefined && reason !== '' && (
              <span className="text-muted max-tablet:hidden"> · {reason}</span>
            )}
          </span>
        );
      },
    },
  ];
}
