import type { Withdrawal } from '@oddlot/sdk';
import { lazy, Suspense, useMemo, useState } from 'react';
import { short } from '../../../lib/format.ts';
import { useWords, type Words } from '../../../lib/words.ts';
import { useLedger } from '../../../market/account-lists.ts';
import { timeColumn } from '../../../market/time-column.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Money } from '../../../ui/figure.tsx';
import { Table, type Column } from '../../../ui/table.tsx';
import { movementOf, type Movement } from './movement.ts';
import { statusOf, useWithdrawals, withdrawalOf } from './withdrawals.tsx';

const MovementDialog = lazy(async () => ({
  default: (await import('./movement-dialog.tsx')).MovementDialog,
}));

/** Every movement of money but trading and funding, with what became of it. */
export function Movements({ user }: { readonly user: string }) {
  const t = useWords();
  const { isLoaded, older, rows } = useLedger(user);
  const withdrawals = useWithdrawals(user);
  const [opened, setOpened] = useState<string>();
  const movements = useMemo(() => rows.flatMap((row) => movementOf(row) ?? []), [rows]);
  const columns = useMemo(() => columnsOf({ withdrawals, t, open: setOpened }), [withdrawals, t]);
  const movement = movements.find(({ key }) => key === opened);
  return (
    <section
      aria-labelledby="movements"
      className="flex min-h-80 flex-col max-desktop:max-h-[75dvh] desktop:min-h-0"
    >
      <div className="flex h-9 shrink-0 items-center justify-between border-b border-line px-4">
        <h2 id="movements" className="text-13 font-medium">
          {t('account.movements')}
        </h2>
        <a
          href={`/export/ledger?user=${user}`}
          aria-label={t('account.csvOf')}
          download
          className="-my-2 py-2 text-12 text-muted hover:text-text"
        >
          {t('account.csv')}
        </a>
      </div>
      <Table
        label={t('account.movements')}
        columns={columns}
        rows={movements}
        rowKey={({ key }) => key}
        older={older}
        empty={
          isLoaded && (
            <EmptyState title={t('account.noMovements')} text={t('account.noMovementsText')} />
          )
        }
      />
      {movement !== undefined && (
        <Suspense>
          <MovementDialog
            movement={movement}
            withdrawal={withdrawalOf(movement, withdrawals)}
            onClose={() => setOpened(undefined)}
          />
        </Suspense>
      )}
    </section>
  );
}

type ColumnNeeds = {
  readonly withdrawals: readonly Withdrawal[];
  readonly open: (key: string) => void;
  readonly t: Words;
};

function columnsOf({ withdrawals, open, t }: ColumnNeeds): readonly Column<Movement>[] {
  const nothing = <span className="text-faint">–</span>;
  return [
    timeColumn(t('account.time'), ({ time }) => time, {
      width: '120px',
      phoneWidth: '104px',
      short: 'never',
      isSortable: false,
    }),
    {
      id: 'what',
      header: t('account.what'),
      width: '150px',
      cell: ({ key, kind }) => (
        <button
          type="button"
          className="underline decoration-line underline-offset-4 hover:decoration-text"
          onClick={() => open(key)}
        >
          {t(`account.movement.${kind}`)}
        </button>
      ),
    },
    {
      id: 'with',
      header: t('account.with'),
      from: 'tablet',
      cell: ({ other }) =>
        other === undefined ? (
          nothing
        ) : (
          <span className="font-mono text-12" title={other}>
            {short(other)}
          </span>
        ),
    },
    {
      id: 'hash',
      header: t('account.transaction'),
      from: 'desktop',
      cell: ({ hash }) => (
        <span className="font-mono text-12 text-muted" title={hash}>
          {short(hash)}
        </span>
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
      phoneWidth: '84px',
      cell: (row) => <Status row={row} withdrawal={withdrawalOf(row, withdrawals)} />,
    },
  ];
}

function Status({
  row,
  withdrawal,
}: {
  readonly row: Movement;
  readonly withdrawal: Withdrawal | undefined;
}) {
  const t = useWords();
  const status = statusOf(row, withdrawal);
  const isStuck =
    (withdrawal?.error ?? null) !== null && status !== 'returned' && status !== 'confirmed';
  return (
    <span className={isStuck || status === 'returned' ? 'text-warning' : 'text-muted'}>
      {isStuck ? t('account.waits') : t(`account.step.${status}`)}
    </span>
  );
}
