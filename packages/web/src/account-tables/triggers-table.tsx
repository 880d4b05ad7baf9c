import type { TriggerOrder } from '@oddlot/sdk';
import { useMemo } from 'react';
import { number } from '../lib/format.ts';
import { useWords, type Words } from '../lib/words.ts';
import { openOrders } from '../market/account.ts';
import { Table, type Column } from '../ui/table.tsx';
import { Market, Nothing, numberColumn, Sided, timeColumn } from './cells.tsx';

/** Orders that wait for their price. */
export function TriggersTable({ user }: { readonly user: string }) {
  const t = useWords();
  const { isLoaded, triggers } = openOrders.use(user, (state) => state);
  const columns = useMemo(() => columnsOf(t), [t]);
  return (
    <Table
      label={t('portfolio.tab.triggers')}
      columns={columns}
      rows={triggers}
      rowKey={({ oid }) => oid}
      empty={<Nothing name="triggers" user={user} isLoaded={isLoaded} />}
    />
  );
}

function columnsOf(t: Words): readonly Column<TriggerOrder>[] {
  return [
    timeColumn(({ createTime }) => createTime, t),
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
    numberColumn('trigger', t('portfolio.trigger'), ({ triggerPx }) => number(triggerPx), {
      phoneWidth: '84px',
    }),
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
