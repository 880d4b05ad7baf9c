import type { ReactNode } from 'react';
import { csvOf, saveFile } from '../lib/csv.ts';
import { addWords, useWords } from '../lib/words.ts';
import { accountStates, openOrders, openOutcomeOrders } from '../market/account.ts';
import { Tabs } from '../ui/tabs.tsx';
import { FillsTable } from './fills-table.tsx';
import { FundingTable, LedgerTable } from './ledger-table.tsx';
import { HistoryTable } from './history-table.tsx';
import { OrdersTable, TriggersTable } from './orders-table.tsx';
import { PositionsTable } from './positions-table.tsx';
import { allSettlements, SettlementsTable, SharesTable } from './shares-table.tsx';
import { texts } from 'words:portfolio';

addWords(texts);

const TABS = [
  'positions',
  'shares',
  'orders',
  'triggers',
  'fills',
  'history',
  'funding',
  'ledger',
  'settlements',
] as const;
type Tab = (typeof TABS)[number];

/** What can be had as a file, whole, from the venue; the rest is what there is now. */
const EXPORTS = {
  fills: 'fills',
  history: 'orders',
  funding: 'fundings',
  ledger: 'ledger',
} as const;

const CONTENTS = {
  positions: PositionsTable,
  shares: SharesTable,
  orders: OrdersTable,
  triggers: TriggersTable,
  fills: FillsTable,
  history: HistoryTable,
  funding: FundingTable,
  ledger: LedgerTable,
  settlements: SettlementsTable,
} as const;

/** All that the account has, and all that it did. */
export function AccountTables({
  user,
  chosen,
  onChoose,
  more,
}: {
  readonly user: string;
  readonly chosen: unknown;
  readonly onChoose: (tab: string) => void;
  /** One more tab, of whoever shows the tables. */
  readonly more?: { readonly value: string; readonly label: string; readonly content: ReactNode };
}) {
  const t = useWords();
  const isMore = more !== undefined && chosen === more.value;
  const tab = TABS.find((each) => each === chosen) ?? 'positions';
  const positions = accountStates.use(
    { user, accountType: 'perp' },
    ({ state }) => state?.assetPositions.length,
  );
  const shares = accountStates.use(
    { user, accountType: 'outcome' },
    ({ state }) => state?.assetPositions.length,
  );
  const perpOrders = openOrders.use(user, ({ orders }) => orders.length);
  const triggers = openOrders.use(user, (orders) => orders.triggers.length);
  const outcomeOrders = openOutcomeOrders.use(user, ({ orders }) => orders.length);
  const counts: Partial<Record<Tab, number | undefined>> = {
    positions,
    shares,
    triggers,
    orders: perpOrders + outcomeOrders,
  };
  return (
    <Tabs
      label={t('portfolio.tables')}
      value={isMore ? more.value : tab}
      onChange={onChoose}
      tabs={[
        ...TABS.map((value) => {
          const Content = CONTENTS[value];
          return {
            value,
            label: t(`portfolio.tab.${value}`),
            count: counts[value],
            content: <Content user={user} />,
          };
        }),
        ...(more === undefined ? [] : [more]),
      ]}
      aside={isMore ? undefined : <CsvLink tab={tab} user={user} />}
    />
  );
}

function CsvLink({ tab, user }: { readonly tab: Tab; readonly user: string }) {
  const t = useWords();
  const looks = {
    'aria-label': t('portfolio.csvOf', { name: t(`portfolio.tab.${tab}`) }),
    className: '-my-2 py-2 text-12 text-muted hover:text-text',
  };
  if (tab in EXPORTS) {
    return (
      <a {...looks} href={exportAddress(EXPORTS[tab as keyof typeof EXPORTS], user)} download>
        {t('portfolio.csv')}
      </a>
    );
  }
  const save = async (): Promise<void> => {
    const rows =
      tab === 'settlements'
        ? await allSettlements(user)
        : currentRows(tab as Exclude<Tab, keyof typeof EXPORTS | 'settlements'>, user);
    saveFile(`${tab}.csv`, csvOf(rows));
  };
  return (
    <button type="button" {...looks} onClick={() => void save()}>
      {t('portfolio.csv')}
    </button>
  );
}

/** Both parts of the account in one file; funding is of perpetuals alone. */
function exportAddress(name: string, user: string): string {
  const both = name === 'fundings' ? '' : '&accountType=perp,outcome';
  return `/export/${name}?user=${user}${both}`;
}

/** What the account has now, as rows for a file: the venue exports only what is past. */
function currentRows(
  name: 'positions' | 'shares' | 'orders' | 'triggers',
  user: string,
): readonly object[] {
  switch (name) {
    case 'positions':
    case 'shares': {
      const accountType = name === 'positions' ? 'perp' : 'outcome';
      const state = now(accountStates.acquire({ user, accountType })).state;
      return state?.assetPositions.map(({ position, type }) => ({ ...position, type })) ?? [];
    }
    case 'orders':
      return [
        ...now(openOrders.acquire(user)).orders,
        ...now(openOutcomeOrders.acquire(user)).orders,
      ];
    case 'triggers':
      return now(openOrders.acquire(user)).triggers;
  }
}

/** The tables hold the subscriptions; this only looks. */
function now<State>(held: { readonly store: { getState(): State }; release(): void }): State {
  held.release();
  return held.store.getState();
}
