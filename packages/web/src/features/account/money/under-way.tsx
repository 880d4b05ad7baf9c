import type { Withdrawal } from '@oddlot/sdk';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { useStore } from 'zustand';
import { money, short } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { ledgerLists } from '../../../market/account-lists.ts';
import { useVenueSecond } from '../../../market/time-column.tsx';
import { venueNow } from '../../../market/venue.ts';
import { Ladder } from '../../../ui/ladder.tsx';
import {
  depositsUnderWay,
  forgetDeposit,
  settleDeposits,
  type DepositUnderWay,
} from './deposit.ts';
import { isFinal, useWithdrawals, WithdrawalWay } from './withdrawals.tsx';

/** A withdrawal that came to its end while somebody looked stays for a moment of pride. */
const SHOWN_AFTER_MS = 60_000;
/** Confirmations take seconds on most chains; beyond this somebody should look. */
const SLOW_MS = 10 * 60 * 1_000;

/** Money between here and the settlement chain, each with the step that it stands at. */
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

function Row({
  title,
  hash,
  children,
}: {
  readonly title: string;
  readonly hash?: string | undefined;
  readonly children: ReactNode;
}) {
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
