import type { TriggerOrder } from '@oddlot/sdk';
import { useMemo } from 'react';
import { number } from '../lib/format.ts';
import { useWords, type Words } from '../lib/words.ts';
import { openOrders } from '../market/account.ts';
import { Table, type Column } from '../ui/table.tsx';
import { Market, minuteColumn, Nothing, numberColumn, Sided } from './cells.tsx';
import { ReportButton } from './report/report-button.tsx';
import { REPORT_KEY, useReport } from './report/use-report.tsx';

/** Orders that wait for their price. */
export function TriggersTable({ user }: { readonly user: string }) {
  const t = useWords();
  const { isLoaded, triggers } = openOrders.use(user, (state) => state);
  const { dialog, open } = useReport(user);
  const columns = useMemo(() => columnsOf(t, open), [t, open]);
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

function columnsOf(t: Words, open: (oid: number) => void): readonly Column<TriggerOrder>[] {
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
