import type { AppliedBlock } from '../../block/applied-block.ts';
import { authorityOf, isRequest } from '../../block/request-command.ts';
import { actionTypeOf } from '../../translate/action-types.ts';
import { decodeReceiptBody } from '../receipt-body.ts';
import type { ReceiptRow } from '../receipt-row.ts';
import type { TxRecord } from './block-rows.ts';

/**
 * The signed requests of a block. Why one failed is read off its receipt, so that the two say the
 * same; the receipt of an action that waits in the delay queue comes later, and such one has not
 * failed at execution.
 */
export function txRecords(block: AppliedBlock, receipts: readonly ReceiptRow[]): TxRecord[] {
  const failed = new Map<number, ReceiptRow>();
  for (const receipt of receipts) {
    if (receipt.failed && receipt.height === block.height) failed.set(receipt.index, receipt);
  }
  const records: TxRecord[] = [];
  for (const [index, { command, request = '' }] of block.commands.entries()) {
    if (!isRequest(command)) continue;
    const { signer, txHash } = authorityOf(command);
    const receipt = failed.get(index);
    records.push({
      index,
      txHash,
      user: block.result.outcomes[index]?.account ?? signer,
      actionType: actionTypeOf(command),
      error: receipt === undefined ? null : errorOf(receipt),
      request,
    });
  }
  return records;
}

function errorOf({ body }: ReceiptRow): string | null {
  return decodeReceiptBody(body).outcome.error?.message ?? null;
}
