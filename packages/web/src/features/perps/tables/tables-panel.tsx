import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useWords } from '../../../lib/words.ts';
import { openOrders } from '../../../market/account.ts';
import { useSession } from '../../../session/use-session.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { usePositions } from '../use-account.ts';
import { CancelAll } from './cancel-all.tsx';
import { FillsTable } from './fills-table.tsx';
import { FundingTable } from './funding-table.tsx';
import { HistoryTable } from './history-table.tsx';
import { LedgerTable } from './ledger-table.tsx';
import { OrdersTable } from './orders-table.tsx';
import { PositionsTable } from './positions-table.tsx';
import { TriggersTable } from './triggers-table.tsx';

const TABS = ['positions', 'orders', 'triggers', 'fills', 'history', 'funding', 'ledger'] as const;
type TabName = (typeof TABS)[number];

/** What the account has and did. The tab is in the address. */
export function TablesPanel() {
  const t = useWords();
  const navigate = useNavigate();
  const search: { readonly tab?: unknown } = useSearch({ strict: false });
  const tab = TABS.find((name) => name === search.tab) ?? 'positions';
  const user = useSession()?.address;
  const positions = usePositions();
  const counts = openOrders.use(user, ({ orders, triggers }) => ({
    orders: orders.length,
    triggers: triggers.length,
  }));
  const contents: Readonly<Record<TabName, (user: string) => ReactNode>> = {
    positions: () => <PositionsTable rows={positions} />,
    orders: (of) => <OrdersTable user={of} />,
    triggers: (of) => <TriggersTable user={of} />,
    fills: (of) => <FillsTable user={of} />,
    history: (of) => <HistoryTable user={of} />,
    funding: (of) => <FundingTable user={of} />,
    ledger: (of) => <LedgerTable user={of} />,
  };
  const countOf = (name: TabName): number | undefined =>
    name === 'positions'
      ? positions.length
      : name === 'orders' || name === 'triggers'
        ? counts[name]
        : undefined;
  return (
    <Tabs
      label={t('perps.tables.label')}
      value={tab}
      onChange={(next) =>
        void navigate({
          to: '.',
          search: (before: object) => ({ ...before, tab: next }),
          replace: true,
          resetScroll: false,
        })
      }
      aside={tab === 'orders' || tab === 'triggers' ? <CancelAll /> : undefined}
      tabs={TABS.map((name) => ({
        value: name,
        label: t(`perps.tables.${name}`),
        count: countOf(name),
        content:
          user === undefined ? (
            <EmptyState title={t(`perps.empty.${name}`)} text={t('perps.empty.noAccount')} />
          ) : (
            contents[name](user)
          ),
      }))}
    />
  );
}
