import type { VenueOracle, VenueStatus } from '@oddlot/sdk';
import { useMemo } from 'react';
import { useStore } from 'zustand';
import { compare } from '../../lib/decimal.ts';
import { number } from '../../lib/format.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { useVenueSecond } from '../../market/use-venue-second.ts';
import { connection } from '../../market/venue.ts';
import { Badge } from '../../ui/badge.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Money } from '../../ui/figure.tsx';
import { Stat } from '../../ui/stat.tsx';
import { Table, type Column } from '../../ui/table.tsx';

/** How the venue does: everybody may see it. */
export function Health({ status }: { readonly status: VenueStatus }) {
  const t = useWords();
  const columns = useMemo(() => columnsOf(t), [t]);
  return (
    <div className="flex min-h-0 flex-col">
      <Figures status={status} />
      <h2 className="border-y border-line px-4 py-2 text-13 font-medium">{t('operate.oracles')}</h2>
      <Table
        label={t('operate.oracles')}
        columns={columns}
        rows={status.oracles}
        rowKey={({ coin }) => coin}
        empty={<EmptyState title={t('operate.noPerps')} />}
      />
    </div>
  );
}

function Figures({ status }: { readonly status: VenueStatus }) {
  const t = useWords();
  const now = useVenueSecond();
  const isLost = useStore(connection, (state) => state.status === 'lost');
  const { accounts, height, insuranceFund, insuranceTarget, openWithdrawals, queuedOrders } =
    status;
  const lag = Math.max(0, Math.round((now - status.time) / 1_000));
  const isShort = compare(insuranceFund, insuranceTarget) < 0;
  return (
    <dl className="grid grid-cols-2 gap-x-10 gap-y-4 px-4 py-4 tablet:grid-cols-4">
      <Stat label={t('operate.height')} isLarge>
        {number(String(height))}
      </Stat>
      <Stat label={t('operate.lag')} isLarge note={isLost ? t('header.offline') : undefined}>
        {t('operate.seconds', { seconds: lag })}
      </Stat>
      <Stat
        label={t('operate.fund')}
        isLarge
        note={t(isShort ? 'operate.fundShort' : 'operate.fundFull')}
      >
        <Money value={insuranceFund} />
      </Stat>
      <Stat label={t('operate.target')} isLarge>
        <Money value={insuranceTarget} />
      </Stat>
      <Stat label={t('operate.treasury')}>
        <Money value={status.treasury} />
      </Stat>
      <Stat label={t('operate.accounts')}>{number(String(accounts))}</Stat>
      <Stat label={t('operate.queue')}>{number(String(queuedOrders))}</Stat>
      <Stat label={t('operate.withdrawals')}>{number(String(openWithdrawals))}</Stat>
    </dl>
  );
}

function columnsOf(t: Words): readonly Column<VenueOracle>[] {
  return [
    { id: 'coin', header: t('operate.market'), cell: ({ coin }) => coin },
    {
      id: 'state',
      header: t('operate.state'),
      width: '160px',
      phoneWidth: '104px',
      cell: ({ stale, trading }) =>
        !trading ? (
          <Badge>{t('operate.notTrading')}</Badge>
        ) : stale ? (
          <Badge tone="warning">{t('operate.stale')}</Badge>
        ) : (
          <span className="text-muted">{t('operate.fresh')}</span>
        ),
    },
    {
      id: 'age',
      header: t('operate.age'),
      align: 'right',
      width: '140px',
      phoneWidth: '104px',
      cell: ({ ageMs }) =>
        ageMs === null
          ? t('operate.never')
          : t('operate.seconds', { seconds: Math.round(ageMs / 1_000) }),
    },
  ];
}
