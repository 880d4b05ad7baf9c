import type { Withdrawal } from '@oddlot/protocol';
import type { WithdrawalRecord } from '../../../history/rows/block-rows.ts';
import { formatMoney } from '../../../translate/format.ts';
import { waitFor, type HistoryHandler } from './handler.ts';

/** The withdrawals of an account, newest first. */
export const withdrawals: HistoryHandler<'withdrawals', Withdrawal[]> = async (
  { history },
  query,
) => {
  const { before, limit, user } = query;
  const asked = { user, limit, ...(before === undefined ? {} : { before }) };
  const { answer, asOf } = await history.ask('withdrawals', asked, waitFor(query));
  return { ok: true, data: answer.map(withdrawalRow), asOf, rows: answer.length };
};

/** How far a withdrawal is, as far as the venue itself knows it. */
const STATUSES = { pending: 'held', completed: 'confirmed', failed: 'returned' } as const;

/** What the settlement chain says of it is unset: there is no bridge yet. */
function withdrawalRow(record: WithdrawalRecord): Withdrawal {
  return {
    id: record.withdrawalId,
    time: record.timeMs,
    destination: record.destination,
    amount: formatMoney(record.amountMicroUsdc),
    fee: formatMoney(record.feeMicroUsdc),
    status: STATUSES[record.status],
    txHash: null,
    error: null,
    updateTime: record.updatedMs,
  };
}
