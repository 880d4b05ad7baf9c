import type { ComponentType } from 'react';
import { texts } from 'words:portfolio';
import type { Shown } from '../../../account-tables/cells.tsx';
import { FillsTable } from '../../../account-tables/fills-table.tsx';
import { FundingTable, LedgerTable } from '../../../account-tables/ledger-table.tsx';
import { HistoryTable } from '../../../account-tables/history-table.tsx';
import { addWords } from '../../../lib/words.ts';
import { MayNotTrade } from '../../../session/let-trade.tsx';
import { CancelAll, CloseAll } from './close-all.tsx';
import { OrdersTable } from './orders-table.tsx';
import { PositionsTable } from './positions-table.tsx';
import type { TableName } from './tables-panel.tsx';
import { TriggersTable } from './triggers-table.tsx';

addWords(texts);

const TABLES: Readonly<Record<TableName, ComponentType<Shown>>> = {
  positions: PositionsTable,
  orders: OrdersTable,
  triggers: TriggersTable,
  fills: FillsTable,
  history: HistoryTable,
  funding: FundingTable,
  ledger: LedgerTable,
};

/** One table of an account on the terminal. */
export function AccountTable({
  name,
  user,
  hasRows,
}: {
  readonly name: TableName;
  readonly user: string;
  readonly hasRows: boolean;
}) {
  const Table = TABLES[name];
  return (
    <>
      {hasRows && <MayNotTrade />}
      <Table user={user} only="perps" />
    </>
  );
}

/** What can be done with all rows of a table at once. */
export function TableAside({ name }: { readonly name: TableName }) {
  if (name === 'positions') return <CloseAll />;
  return name === 'orders' || name === 'triggers' ? <CancelAll /> : null;
}
