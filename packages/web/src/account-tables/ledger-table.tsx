import type { LedgerUpdate } from '@oddlot/sdk';
import { useMemo } from 'react';
import { useWords, type Words } from '../lib/words.ts';
import { ledgerId, useLedger } from '../market/account-lists.ts';
import { useMarketNames, type MarketNames } from '../market/market-names.ts';
import { Money } from '../ui/figure.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { Nothing, numberColumn, timeColumn } from './cells.tsx';
import { amountOf, detailOf, marketIdOf } from './ledger-words.ts';

/** What changed the account other than trading and funding. */
export function LedgerTable({ user }: { readonly user: string }) {
  const t = useWords();
  const { isLoaded, older, rows } = useLedger(user);
  const names = useMarketNames(rows.flatMap(({ delta }) => marketIdOf(delta) ?? []));
  const columns = useMemo(() => columnsOf(t, names), [t, names]);
  return (
    <Table
      label={t('portfolio.tab.ledger')}
      columns={columns}
      rows={rows}
      rowKey={ledgerId}
      older={older}
      empty={<Nothing name="ledger" user={user} isLoaded={isLoaded} />}
    />
  );
}

function columnsOf(t: Words, names: MarketNames): readonly Column<LedgerUpdate>[] {
  return [
    timeColumn(({ time }) => time, t),
    {
      id: 'what',
      header: t('portfolio.what'),
      width: '150px',
      phoneWidth: '110px',
      cell: ({ delta }) => t(`portfolio.ledgerKind.${delta.type}`),
    },
    {
      id: 'detail',
      header: t('portfolio.detail'),
      from: 'tablet',
      cell: ({ delta }) => {
        const detail = detailOf(delta, t, names);
        return (
          <span className="text-muted" title={detail}>
            {detail}
          </span>
        );
      },
    },
    numberColumn(
      'amount',
      t('portfolio.amount'),
      ({ delta }) => <Money value={amountOf(delta)} isSigned />,
      {
        width: '140px',
        phoneWidth: '100px',
      },
    ),
  ];
}
