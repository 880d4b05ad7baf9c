import { useNavigate, useSearch } from '@tanstack/react-router';
import { useWords } from '../../../lib/words.ts';
import { openOrders } from '../../../market/account.ts';
import { useIsSessionLoaded, useSession } from '../../../session/session.ts';
import { Tabs } from '../../../ui/controls.tsx';
import { EmptyState, onDemand } from '../../../ui/states.tsx';
import { usePositionCount } from '../use-account.ts';

const AccountTable = onDemand(async () => (await import('./account-table.tsx')).AccountTable);
const TableAside = onDemand(async () => (await import('./account-table.tsx')).TableAside);

export function TablesPanel() {
  const t = useWords();
  const navigate = useNavigate();
  const search: { readonly tab?: unknown } = useSearch({ strict: false });
  const tab = TABLE_NAMES.find((name) => name === search.tab) ?? 'positions';
  const user = useSession()?.address;
  const isSessionLoaded = useIsSessionLoaded();
  const positions = usePositionCount();
  const working = openOrders.use(user, ({ orders, triggers }) => ({
    orders: orders.length,
    triggers: triggers.length,
  }));
  const counts: Partial<Record<TableName, number>> = { positions, ...working };
  const show = (next: TableName): void => {
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
      aside={user !== undefined && <TableAside name={tab} />}
      tabs={TABLE_NAMES.map((name) => ({
        value: name,
        label: t(`perps.tables.${name}`),
        count: counts[name],
        content:
          user === undefined ? (
            isSessionLoaded && (
              <EmptyState title={t(`perps.empty.${name}`)} text={t('perps.empty.noAccount')} />
            )
          ) : (
            <AccountTable name={name} user={user} hasRows={(counts[name] ?? 0) > 0} />
          ),
      }))}
    />
  );
}

const TABLE_NAMES = [
  'positions',
  'orders',
  'triggers',
  'fills',
  'history',
  'funding',
  'ledger',
] as const;

export type TableName = (typeof TABLE_NAMES)[number];
