import type { VenueOracle, VenueStatus } from '@oddlot/sdk';
import { useMemo, type ReactNode } from 'react';
import { compare } from '../../lib/decimal.ts';
import { NOTHING, number } from '../../lib/format.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { OnGrid } from '../../market/on-grid.tsx';
import { tickers } from '../../market/tickers.ts';
import { Badge } from '../../ui/badge.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Money } from '../../ui/figure.tsx';
import { Stat } from '../../ui/stat.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { ProcessFigures } from './process-figures.tsx';
import { SettlementFigures } from './settlement-figures.tsx';

const PERPS = { accountType: 'perp' } as const;

/** How the venue does: everybody may see it. */
export function Health({ status }: { readonly status: VenueStatus }) {
  const t = useWords();
  const byCoin = tickers.use(PERPS, ({ byId }) => byId);
  const prices = useMemo(
    () => new Map([...byCoin.values()].map(({ coin, oraclePx }) => [coin, oraclePx])),
    [byCoin],
  );
  const columns = useMemo(() => columnsOf(t, prices), [t, prices]);
  return (
    <div className="grid min-h-0 desktop:grid-cols-[minmax(0,7fr)_minmax(0,5fr)]">
      <div className="min-w-0 border-line desktop:border-e">
        <ProcessFigures />
        <Section title={t('operate.money')}>
          <MoneyFigures status={status} />
        </Section>
        <Section title={t('operate.settlement')}>
          <SettlementFigures />
        </Section>
      </div>
      <section aria-label={t('operate.oracles')} className="min-w-0">
        <Title>{t('operate.oracles')}</Title>
        <Table
          label={t('operate.oracles')}
          columns={columns}
          rows={status.oracles}
          rowKey={({ coin }) => coin}
          empty={<EmptyState title={t('operate.noPerps')} />}
        />
      </section>
    </div>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title} className="border-t border-line">
      <Title>{title}</Title>
      {children}
    </section>
  );
}

function Title({ children }: { readonly children: ReactNode }) {
  return <h2 className="px-4 pt-3 pb-1 text-13 font-medium">{children}</h2>;
}

function MoneyFigures({ status }: { readonly status: VenueStatus }) {
  const t = useWords();
  const { accounts, insuranceFund, insuranceTarget, openWithdrawals, queuedOrders } = status;
  const isShort = compare(insuranceFund, insuranceTarget) < 0;
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-4 px-4 pt-1 pb-4 tablet:grid-cols-3">
      <Stat
        label={t('operate.fund')}
        note={isShort ? <span className="text-warning">{t('operate.fundShort')}</span> : undefined}
      >
        <Money value={insuranceFund} />
      </Stat>
      <Stat label={t('operate.target')}>
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

function columnsOf(t: Words, prices: ReadonlyMap<string, string>): readonly Column<VenueOracle>[] {
  return [
    {
      id: 'coin',
      header: t('operate.market'),
      cell: ({ coin }) => <span className="normal-nums">{coin}</span>,
    },
    {
      id: 'price',
      header: t('operate.price'),
      align: 'right',
      width: '128px',
      phoneWidth: '96px',
      cell: ({ coin }) => {
        const price = prices.get(coin);
        return price === undefined ? NOTHING : <OnGrid coin={coin} value={price} />;
      },
    },
    {
      id: 'state',
      header: t('operate.state'),
      width: '112px',
      phoneWidth: '84px',
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
      width: '96px',
      phoneWidth: '72px',
      cell: ({ ageMs }) =>
        ageMs === null
          ? t('operate.never')
          : t('operate.seconds', { seconds: (ageMs / 1_000).toFixed(1) }),
    },
  ];
}
