import type { Withdrawal } from '@oddlot/protocol';
import { formatMoney } from '@oddlot/units';
import type { WithdrawalRecord } from '../../../history/rows/block-rows.ts';
import type { PayoutProgress } from '../../../settlement/payout/payout-worker.ts';
import { waitFor, type HistoryHandler } from './handler.ts';

/** The withdrawals of an account, newest first. */
export const withdrawals: HistoryHandler<'withdrawals', Withdrawal[]> = async (
  { history, payouts },
  query,
) => {
  const { before, limit, user } = query;
  const asked = { user, limit, ...(before === undefined ? {} : { before }) };
  const { answer, asOf } = await history.ask('withdrawals', asked, waitFor(query));
  const data = await Promise.all(
    answer.map(async (record) => {
      const isOpen = record.status === 'pending';
      const progress = isOpen ? await payouts?.progressOf(record.withdrawalId) : undefined;
      return withdrawalRow(record, progress);
    }),
  );
  return { ok: true, data, asOf };
};

/** How far a withdrawal is, as far as the venue itself knows it. */
const STATUSES = { pending: 'held', completed: 'confirmed', failed: 'returned' } as const;

/** While it is open the settlement chain's side tells more; its end is in the row for good. */
function withdrawalRow(record: WithdrawalRecord, progress: PayoutProgress | undefined): Withdrawal {
  return {
    id: record.withdrawalId,
    time: record.timeMs,
    destination: record.destination,
    amount: formatMoney(record.amountMicroUsdc),
    fee: formatMoney(record.feeMicroUsdc),
    status: progress?.status ?? STATUSES[record.status],
    txHash: progress?.txHash ?? record.txHash ?? null,
    error: progress?.error ?? record.error ?? null,
    updateTime: Math.max(progress?.updatedMs ?? 0, record.updatedMs),
  };
}
