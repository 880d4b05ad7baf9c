import type { Withdrawal } from '@oddlot/sdk';
import { useMemo } from 'react';
import { magnitude } from '../../../lib/decimal.ts';
import { short } from '../../../lib/format.ts';
import { dateTime, wholeDate } from '../../../lib/time.ts';
import { useWords, type Words } from '../../../lib/words.ts';
import { ledgerLists } from '../../../market/account-lists.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Money } from '../../../ui/figure.tsx';
import { Table, type Column } from '../../../ui/table.tsx';
import { movementOf, type Movement } from './movement.ts';
import { useWithdrawals } from './use-withdrawals.ts';

/** Every movement of money but trading and funding, with what became of it. */
export function Movements({ user }: { readonly user: string }) {
  const t = useWords();
  const rows = ledgerLists.use(user, (list) => list.rows);
  const withdrawals = useWithdrawals(user);
  const movements = useMemo(() => rows.flatMap((row) => movementOf(row) ?? []), [rows]);
  const columns = useMemo(() => columnsOf(withdrawals, t), [withdrawals, t]);
  return (
    <section aria-labelledby="movements">
      <div className="flex h-9 items-center justify-between border-b border-line px-4">
        <h2 id="movements" className="text-13 font-medium">
          {t('account.movements')}
        </h2>
        <a
          href={`/export/ledger?user=${user}`}
          download
          className="text-12 text-muted hover:text-text"
        >
          {t('account.csv')}
        </a>
      </div>
      <Table
        label={t('account.movements')}
        columns={columns}
        rows={movements}
        rowKey={({ key }) => key}
        empty={<EmptyState title={t('account.noMovements')} text={t('account.noMovementsText')} />}
      />
    </section>
  );
}

function columnsOf(withdrawals: readonly Withdrawal[], t: Words): readonly Column<Movement>[] {
  return [
    {
      id: 'time',
      header: t('account.time'),
      width: '120px',
      phoneWidth: '104px',
      cell: ({ time }) => (
        <span className="text-muted" title={wholeDate(time)}>
          {dateTime(time)}
        </span>
      ),
    },
    {
      id: 'what',
      header: t('account.what'),
      width: '150px',
      cell: ({ kind }) => t(`account.movement.${kind}`),
    },
    {
      id: 'with',
      header: t('account.with'),
      from: 'tablet',
      cell: ({ other }) =>
        other === undefined ? (
          <span className="text-faint">–</span>
        ) : other.startsWith('0x') ? (
          <span className="font-mono text-12" title={other}>
            {short(other)}
          </span>
        ) : (
          other
        ),
    },
    {
      id: 'amount',
      header: t('account.amount'),
      align: 'right',
      width: '130px',
      phoneWidth: '88px',
      cell: ({ amount, isNeutral }) => <Money value={amount} isSigned={!isNeutral} />,
    },
    {
      id: 'status',
      header: t('account.status'),
      align: 'right',
      width: '150px',
      phoneWidth: '80px',
      cell: (row) => <Status row={row} withdrawals={withdrawals} />,
    },
  ];
}

function Status({
  row,
  withdrawals,
}: {
  readonly row: Movement;
  readonly withdrawals: readonly Withdrawal[];
}) {
  const t = useWords();
  if (row.kind !== 'withdraw') {
    return <span className="text-muted">{t('account.step.done')}</span>;
  }
  const withdrawal = withdrawals.find(
    ({ amount, destination, time }) =>
      time === row.time && destination === row.other && amount === magnitude(row.amount),
  );
  const status = withdrawal?.status ?? (row.isFailed ? 'returned' : 'held');
  const isBad = status === 'returned' || (withdrawal?.error ?? null) !== null;
  return (
    <span className={isBad ? 'text-warning' : 'text-muted'} title={withdrawal?.error ?? undefined}>
      {t(`account.step.${status}`)}
    </span>
  );
}
