import { useMemo, useState } from 'react';
import type { LedgerDelta, LedgerUpdate } from '@oddlot/sdk';
import { negate } from '../../../lib/decimal.ts';
import { short } from '../../../lib/format.ts';
import { dateTime } from '../../../lib/time.ts';
import { useWords, type Words } from '../../../lib/words.ts';
import { ledgerId, useLedger } from '../../../market/account-lists.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Money } from '../../../ui/figure.tsx';
import { Table, type Column } from '../../../ui/table.tsx';
import { WhyDialog } from './why-dialog.tsx';

/** Money that moved other than by trades and funding; a liquidation opens its why. */
export function LedgerTable({ user }: { readonly user: string }) {
  const t = useWords();
  const { older, rows } = useLedger(user);
  const [asked, setAsked] = useState<LedgerUpdate>();
  const columns = useMemo(() => columnsOf(t, setAsked), [t]);
  return (
    <>
      <Table
        label={t('perps.tables.ledger')}
        columns={columns}
        rows={rows}
        rowKey={ledgerId}
        older={older}
        empty={<EmptyState title={t('perps.empty.ledger')} text={t('perps.empty.ledgerText')} />}
      />
      {asked !== undefined && <WhyDialog update={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

function columnsOf(t: Words, ask: (row: LedgerUpdate) => void): readonly Column<LedgerUpdate>[] {
  return [
    {
      id: 'time',
      header: t('perps.column.time'),
      width: '140px',
      cell: ({ time }) => dateTime(time),
    },
    {
      id: 'what',
      header: t('perps.column.what'),
      cell: ({ delta }) => t(`perps.ledger.${delta.type}`),
    },
    {
      id: 'amount',
      header: t('perps.column.amount'),
      align: 'right',
      cell: ({ delta }) => <Money value={amountOf(delta)} isSigned isColoured />,
    },
    {
      id: 'transaction',
      header: t('perps.column.transaction'),
      align: 'right',
      from: 'tablet',
      cell: ({ hash }) => <span className="font-mono text-12 text-muted">{short(hash)}</span>,
    },
    {
      id: 'why',
      header: <span className="heard">{t('perps.column.actions')}</span>,
      align: 'right',
      width: '80px',
      cell: (row) =>
        (row.delta.type === 'liquidation' || row.delta.type === 'adl') && (
          <Button size="small" onClick={() => ask(row)}>
            {t('perps.why.button')}
          </Button>
        ),
    },
  ];
}

function amountOf(delta: LedgerDelta): string | undefined {
  if (delta.type === 'liquidation') return undefined;
  if (delta.type === 'adl') return delta.closedPnl;
  const leaves =
    delta.type === 'send' || delta.type === 'withdraw' || delta.type === 'outcomeSplit';
  return leaves ? negate(delta.amount) : delta.amount;
}
