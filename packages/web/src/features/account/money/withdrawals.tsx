import type { LedgerUpdate, Withdrawal } from '@oddlot/sdk';
import { useQuery } from '@tanstack/react-query';
import { magnitude, negate } from '../../../lib/decimal.ts';
import { useWords } from '../../../lib/words.ts';
import { ledgerLists } from '../../../market/account-lists.ts';
import { queryClient } from '../../../market/queries.ts';
import { reader } from '../../../market/venue.ts';
import { Ladder } from '../../../ui/figures.tsx';

const STEPS = ['held', 'signed', 'sent', 'confirmed'] as const;

type WithdrawalWayProps = {
  readonly label: string;
  readonly status: Withdrawal['status'];
  readonly error: string | undefined;
};

export function WithdrawalWay({ label, status, error }: WithdrawalWayProps) {
  const t = useWords();
  if (status === 'returned') {
    return (
      <div role="status" className="border-s-2 border-warning ps-3 text-12">
        <p>{t('account.returned')}</p>
        {error !== undefined && <p className="text-muted">{t('account.because', { error })}</p>}
      </div>
    );
  }
  return (
    <div className="flex flex-col gap-2">
      <Ladder
        label={label}
        steps={STEPS.map((step) => t(`account.step.${step}`))}
        reached={STEPS.indexOf(status) + 1}
        isStopped={error !== undefined}
      />
      {error !== undefined && (
        <div role="status" className="border-s-2 border-warning ps-3 text-12">
          <p>{t('account.waitsFor', { error })}</p>
          <p className="text-muted">{t('account.waitsText')}</p>
        </div>
      )}
    </div>
  );
}

const NAME = 'withdrawals';
const OPEN_EVERY_MS = 500;
const NONE: readonly Withdrawal[] = [];

export function isFinal({ status }: Withdrawal): boolean {
  return status === 'confirmed' || status === 'returned';
}

export function withdrawalOf(
  { amount: signed, kind, other, time: movedMs }: Movement,
  withdrawals: readonly Withdrawal[],
): Withdrawal | undefined {
  if (kind !== 'withdraw') return undefined;
  return withdrawals.find(
    ({ amount, destination, time }) =>
      time === movedMs && destination === other && amount === magnitude(signed),
  );
}

const LEDGER_STATUS = { pending: 'held', completed: 'confirmed', failed: 'returned' } as const;

export function statusOf(
  movement: Movement,
  withdrawal: Withdrawal | undefined,
): Withdrawal['status'] {
  if (movement.kind !== 'withdraw') return 'confirmed';
  return withdrawal?.status ?? LEDGER_STATUS[movement.status];
}

export function useWithdrawals(user: string): readonly Withdrawal[] {
  const pending = ledgerLists.use(
    user,
    ({ rows }) =>
      rows.filter(({ delta }) => delta.type === 'withdraw' && delta.status === 'pending').length,
  );
  const { data } = useQuery({
    queryKey: [NAME, user, pending],
    queryFn: ({ signal }) => reader.info.withdrawals({ user }, { signal }),
    placeholderData: (before) => before,
    staleTime: 0,
    refetchInterval: ({ state }) =>
      pending > 0 || state.data?.some((row) => !isFinal(row)) === true ? OPEN_EVERY_MS : false,
  });
  return data ?? NONE;
}

export function askWithdrawals(): void {
  void queryClient.invalidateQueries({ queryKey: [NAME] });
}

export type Movement = {
  readonly key: string;
  readonly time: number;
  readonly kind:
    | 'deposit'
    | 'withdraw'
    | 'send'
    | 'receive'
    | 'toOutcome'
    | 'toPerp'
    | 'faucet'
    | 'builderRewardsClaim';
  /** The change of the perp sub-account, which also receives deposits. */
  readonly amount: string;
  readonly other: string | undefined;
  readonly status: 'pending' | 'completed' | 'failed';
  readonly hash: string;
};

export function movementOf({ delta, hash, time }: LedgerUpdate): Movement | undefined {
  const base = {
    key: `${time} ${hash} ${delta.type}`,
    time,
    other: undefined,
    status: 'completed' as const,
    hash,
  };
  switch (delta.type) {
    case 'deposit':
    case 'faucet':
    case 'builderRewardsClaim':
      return { ...base, kind: delta.type, amount: delta.amount };
    case 'withdraw':
      return {
        ...base,
        kind: 'withdraw',
        amount: negate(delta.amount),
        other: delta.destination,
        status: delta.status,
      };
    case 'send':
      return { ...base, kind: 'send', amount: negate(delta.amount), other: delta.destination };
    case 'receive':
      return { ...base, kind: 'receive', amount: delta.amount, other: delta.user };
    case 'accountTransfer': {
      if (delta.toAccountType === 'perp') return { ...base, kind: 'toPerp', amount: delta.amount };
      return { ...base, kind: 'toOutcome', amount: negate(delta.amount) };
    }
    default:
      return undefined;
  }
}
