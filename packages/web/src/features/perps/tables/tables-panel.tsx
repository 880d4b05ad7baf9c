import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ComponentType, ReactNode } from 'react';
import { texts } from 'words:portfolio';
import { FillsTable } from '../../../account-tables/fills-table.tsx';
import { FundingTable } from '../../../account-tables/funding-table.tsx';
import { HistoryTable } from '../../../account-tables/history-table.tsx';
import { LedgerTable } from '../../../account-tables/ledger-table.tsx';
import type { Shown } from '../../../account-tables/cells.tsx';
import { addWords, useWords } from '../../../lib/words.ts';
import { openOrders } from '../../../market/account.ts';
import { MayNotTrade } from '../../../session/let-trade.tsx';
import { useIsSessionLoaded, useSession } from '../../../session/use-session.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { usePositionCount } from '../use-account.ts';
import { CancelAll } from './cancel-all.tsx';
import { CloseAll } from './close-all.tsx';
import { OrdersTable } from './orders-table.tsx';
import { PositionsTable } from './positions-table.tsx';
import { TriggersTable } from './triggers-table.tsx';

addWords(texts);

const TABLES = {
  positions: PositionsTable,
  orders: OrdersTable,
  triggers: TriggersTable,
  fills: FillsTable,
  history: HistoryTable,
  funding: FundingTable,
  ledger: LedgerTable,
} as const satisfies Readonly<Record<string, ComponentType<Shown>>>;

type TabName = keyof typeof TABLES;
const NAMES = Object.keys(TABLES) as readonly TabName[];

/** What can be done with all rows of a table at once. */
function asideOf(tab: TabName): ReactNode {
  if (tab === 'positions') return <CloseAll />;
  return tab === 'orders' || tab === 'triggers' ? <CancelAll /> : undefined;
}

/** What the account has and did. The tab is in the address. */
export function TablesPanel() {
  const t = useWords();
  const navigate = useNavigate();
  const search: { readonly tab?: unknown } = useSearch({ strict: false });
  const tab = NAMES.find((name) => name === search.tab) ?? 'positions';
  const user = useSession()?.address;
  const isSessionLoaded = useIsSessionLoaded();
  const positions = usePositionCount();
  const working = openOrders.use(user, ({ orders, triggers }) => ({
    orders: orders.length,
    triggers: triggers.length,
  }));
  const counts: Partial<Record<TabName, number>> = { positions, ...working };
  const show = (next: TabName): void => {
    void navigate({
      to: '.',
      search: (before: object) => ({ ...before, tab: next }),
      replace: true,
      resetScroll: false,
    });
  };
  return (
    <Tabs
      label={t('perps.tables.label')}
      value={tab}
      onChange={show}
      aside={asideOf(tab)}
      tabs={NAMES.map((name) => {
        const Table = TABLES[name];
        return {
          value: name,
          label: t(`perps.tables.${name}`),
          count: counts[name],
          content:
            user === undefined ? (
              // Who is here is read from the browser's own store first; until then nothing is claimed.
              isSessionLoaded && (
                <EmptyState title={t(`perps.empty.${name}`)} text={t('perps.empty.noAccount')} />
              )
            ) : (
              <>
                {(counts[name] ?? 0) > 0 && <MayNotTrade />}
                <Table user={user} only="perps" />
              </>
            ),
        };
      })}
    />
  );
}
