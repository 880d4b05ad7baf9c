import type { Withdrawal } from '@oddlot/sdk';
import { lazy, Suspense, useEffect, useMemo, useState, type ReactNode } from 'react';
import { useStore } from 'zustand';
import { money, short } from '../../../lib/format.ts';
import { useWords, type Words } from '../../../lib/words.ts';
import { ledgerLists, useLedger } from '../../../market/account-lists.ts';
import { timeColumn, useVenueSecond } from '../../../market/cells.tsx';
import { venueNow } from '../../../market/venue.ts';
import { Ladder, Money } from '../../../ui/figures.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Table, type Column } from '../../../ui/table.tsx';
import {
  depositsUnderWay,
  forgetDeposit,
  settleDeposits,
  type DepositUnderWay,
} from './deposit.ts';
import {
  isFinal,
  movementOf,
  statusOf,
  useWithdrawals,
  withdrawalOf,
  WithdrawalWay,
  type Movement,
} from './withdrawals.tsx';

const MovementDialog = lazy(async () => ({
  default: (await import('./movement-dialog.tsx')).MovementDialog,
}));

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
      phoneWidth: '52px',
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
      cell: ({ amount }) => <Money value={amount} isSigned />,
    },
    {
      id: 'status',
      header: t('account.status'),
      align: 'right',
      width: '150px',
      phoneWidth: '104px',
      cell: (row) => <Status row={row} withdrawal={withdrawalOf(row, withdrawals)} />,
    },
  ];
}

type StatusProps = { readonly row: Movement; readonly withdrawal: Withdrawal | undefined };

function Status({ row, withdrawal }: StatusProps) {
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

const SHOWN_AFTER_MS = 60_000;
const SLOW_MS = 10 * 60 * 1_000;

export function UnderWay({ user }: { readonly user: string }) {
  const t = useWords();
  const withdrawals = useWithdrawals(user);
  const rows = ledgerLists.use(user, (list) => list.rows);
  const sent = useStore(depositsUnderWay, (store) => store.sent);
  const [openedMs] = useState(venueNow);
  useEffect(() => settleDeposits(sent, rows, venueNow()), [sent, rows]);
  const shown = useMemo(
    () =>
      withdrawals.filter(
        (row) =>
          !isFinal(row) ||
          (row.updateTime > openedMs && venueNow() - row.updateTime < SHOWN_AFTER_MS),
      ),
    [withdrawals, openedMs],
  );
  const deposits = sent.filter((each) => each.user === user);
  if (shown.length === 0 && deposits.length === 0) return null;
  return (
    <section aria-label={t('account.underWay')} className="border-b border-line">
      {deposits.map((each) => (
        <DepositLadder key={each.txHash} deposit={each} />
      ))}
      {shown.map((row) => (
        <WithdrawalLadder key={row.id} withdrawal={row} />
      ))}
    </section>
  );
}

function DepositLadder({ deposit }: { readonly deposit: DepositUnderWay }) {
  const t = useWords();
  const isSlow = useVenueSecond() - deposit.sentMs > SLOW_MS;
  const title = t('account.depositOf', { amount: money(deposit.amount) });
  return (
    <Row title={title} hash={deposit.txHash}>
      <Ladder
        label={title}
        steps={[t('account.step.sent'), t('account.step.confirming'), t('account.step.credited')]}
        reached={1}
      />
      {isSlow && (
        <p role="status" className="border-s-2 border-warning ps-3 text-12">
          {t('account.slowDeposit')}{' '}
          <button
            type="button"
            className="text-accent hover:underline"
            onClick={() => forgetDeposit(deposit.txHash)}
          >
            {t('account.forget')}
          </button>
        </p>
      )}
    </Row>
  );
}

function WithdrawalLadder({ withdrawal }: { readonly withdrawal: Withdrawal }) {
  const t = useWords();
  const { amount, destination, error, status, txHash } = withdrawal;
  const title = t('account.withdrawalOf', { amount: money(amount), address: short(destination) });
  return (
    <Row title={title} hash={txHash ?? undefined}>
      <WithdrawalWay label={title} status={status} error={error ?? undefined} />
    </Row>
  );
}

type RowProps = Readonly<{ title: string; hash?: string | undefined; children: ReactNode }>;

function Row({ title, hash, children }: RowProps) {
  return (
    <div className="flex flex-col gap-2 px-4 py-3 not-last:border-b not-last:border-line/50">
      <p className="flex items-baseline justify-between gap-4 text-13">
        <span className="truncate tabular-nums">{title}</span>
        {hash !== undefined && (
          <span className="shrink-0 font-mono text-11 text-faint" title={hash}>
            {short(hash)}
          </span>
        )}
      </p>
      {children}
    </div>
  );
}
