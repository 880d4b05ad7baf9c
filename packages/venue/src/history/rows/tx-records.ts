import type { AppliedBlock } from '../../block/applied-block.ts';
import { authorityOf } from '../../block/request-command.ts';
import { actionTypeOf } from '../../translate/action-types.ts';
import type { InstrumentLookup } from '../../translate/actions/instrument-lookup.ts';
import { executionError, isTransaction } from '../../translate/explorer.ts';
import type { TxRecord } from './block-rows.ts';

/**
 * The signed requests of a block, with what the explorer's channel says of them. The receipt of an action of
 * which an order waits in the delay queue comes later; what became of that order is in it alone.
 */
export function txRecords(block: AppliedBlock, instruments: InstrumentLookup): TxRecord[] {
  const records: TxRecord[] = [];
  for (const [index, { command, request }] of block.commands.entries()) {
    const executed = block.result.outcomes[index];
    if (!isTransaction(command, executed)) continue;
    const { signer, txHash } = authorityOf(command);
    records.push({
      index,
      txHash,
      user: executed?.account ?? signer,
      actionType: actionTypeOf(command),
      error:
        executed === undefined ? null : executionError(command, executed, { instruments, request }),
      request: request ?? '',
    });
  }
  return records;
}
