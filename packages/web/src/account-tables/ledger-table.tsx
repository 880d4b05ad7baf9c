import { Link } from '@tanstack/react-router';
import type { LedgerUpdate } from '@oddlot/sdk';
import { useMemo, useState } from 'react';
import { short } from '../lib/format.ts';
import { useWords, type Words } from '../lib/words.ts';
import { ledgerId, useLedger } from '../market/account-lists.ts';
import { useMarketNames, type MarketNames } from '../market/market-names.ts';
import { Button } from '../ui/button.tsx';
import { Money } from '../ui/figure.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { minuteColumn, Nothing, numberColumn } from './cells.tsx';
import { amountOf, detailOf, marketIdOf } from './ledger-words.ts';
import { WhyDialog } from './why-dialog.tsx';

/** What changed the account other than trading and funding; a liquidation opens its why. */
export function LedgerTable({ user }: { readonly user: string }) {
  const t = useWords();
  const { isLoaded, older, rows } = useLedger(user);
  const [asked, setAsked] = useState<LedgerUpdate>();
  const names = useMarketNames(rows.flatMap(({ delta }) => marketIdOf(delta) ?? []));
  const columns = useMemo(() => columnsOf(setAsked, t, names), [t, names]);
  return (
    <>
      <Table
        label={t('portfolio.tab.ledger')}
        columns={columns}
        rows={rows}
        rowKey={ledgerId}
        older={older}
        empty={<Nothing name="ledger" user={user} isLoaded={isLoaded} />}
      />
      {asked !== undefined && <WhyDialog update={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

function columnsOf(
  ask: (row: LedgerUpdate) => void,
  t: Words,
  names: MarketNames,
): readonly Column<LedgerUpdate>[] {
  return [
    minuteColumn(({ time }) => time, t),
    {
      id: 'what',
      header: t('portfolio.what'),
      width: '150px',
      phoneWidth: '98px',
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
      ({ delta }) => <Money value={amountOf(delta)} isSigned isColoured />,
      { width: '140px', phoneWidth: '112px' },
    ),
    numberColumn(
      'transaction',
      t('portfolio.transaction'),
      ({ hash }) => (
        <Link
          to={`/explorer/tx/${hash}` as '/'}
          className="font-mono text-12 text-muted hover:underline"
        >
          {short(hash)}
        </Link>
      ),
      { width: '130px', from: 'tablet' },
    ),
    numberColumn(
      'why',
      <span className="heard">{t('portfolio.actions')}</span>,
      (row) =>
        (row.delta.type === 'liquidation' || row.delta.type === 'adl') && (
          <Button size="small" onClick={() => ask(row)}>
            {t('portfolio.why.button')}
          </Button>
        ),
      { width: '68px', phoneWidth: '60px' },
    ),
  ];
}
