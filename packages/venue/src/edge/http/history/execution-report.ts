import { type ExecutionReport, type InfoQueryOf, refusal } from '@oddlot/protocol';
import type { Ask } from '../../../history/history.ts';
import { waitFor, type HistoryHandler } from './handler.ts';

/** Rows that an order takes to be put together, its fills aside: where it came, where it ended, its action. */
const ROWS_PER_ORDER = 20;

/** How an order, or those of an action, were executed. */
export const executionReport: HistoryHandler<'executionReport', ExecutionReport> = async (
  { history },
  query,
) => {
  const { user } = query;
  const { by, field } = nameOf(query);
  const { answer, asOf } = await history.ask('executionReport', { user, by }, waitFor(query));
  if (answer.length === 0) {
    return { ok: false, error: refusal('noSuchOrder', [], { field, got: query[field] ?? null }) };
  }
  const rows = answer.reduce((sum, { fills }) => sum + ROWS_PER_ORDER + fills.length, 0);
  return { ok: true, data: { user, orders: [...answer] }, asOf, rows };
};

function nameOf({ cloid, oid, txHash }: InfoQueryOf<'executionReport'>): {
  readonly by: Ask<'executionReport'>['by'];
  readonly field: 'oid' | 'cloid' | 'txHash';
} {
  if (txHash !== undefined) return { by: { txHash }, field: 'txHash' };
  if (cloid !== undefined) return { by: { clientOrderId: cloid }, field: 'cloid' };
  return { by: { orderId: oid ?? 0 }, field: 'oid' };
}
