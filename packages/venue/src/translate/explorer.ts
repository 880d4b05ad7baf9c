import type { Command, CommandResult } from '@oddlot/engine';
import type { ExplorerBlock, ExplorerTx } from '@oddlot/protocol';
import type { AppliedBlock } from '../block/applied-block.ts';
import { authorityOf, isRequest, type RequestCommand } from '../block/request-command.ts';
import { actionTypeOf } from './action-types.ts';
import type { InstrumentLookup } from './actions/instrument-lookup.ts';
import { outcomeToWire } from './outcome-to-wire.ts';
import { requestTexts } from './request-texts.ts';

/** There are no validators: whoever ran the venue made the block. */
export const PROPOSER = '0x0000000000000000000000000000000000000000';

export function explorerBlock(block: AppliedBlock): ExplorerBlock {
  const { height, timeMs, hash, commands, result } = block;
  let numTxs = 0;
  for (const [index, { command }] of commands.entries()) {
    if (isTransaction(command, result.outcomes[index])) numTxs += 1;
  }
  return { height, blockTime: timeMs, hash, proposer: PROPOSER, numTxs };
}

/**
 * True of a signed request that its block has executed, or refused for what it asks. One whose nonce was used is none: in a
 * cluster the same bytes may come into blocks by several replicas, and count once. A process alone refuses it before its block.
 */
export function isTransaction(
  command: Command,
  executed: CommandResult | undefined,
): command is RequestCommand {
  return isRequest(command) && executed?.reject?.reason !== 'nonceUsed';
}

/**
 * The signed requests of a block in order, or the last of them. What a request holds is not shown
 * beyond its type: an order may still wait in the delay queue (R-delay).
 */
export function explorerTxs(
  block: AppliedBlock,
  instruments: InstrumentLookup,
  countMax = Infinity,
): ExplorerTx[] {
  const txs: ExplorerTx[] = [];
  for (let index = block.commands.length - 1; index >= 0 && txs.length < countMax; index--) {
    const { command, request } = block.commands[index] ?? {};
    const executed = block.result.outcomes[index];
    if (command === undefined || executed === undefined) continue;
    if (!isTransaction(command, executed)) continue;
    const { signer, txHash } = authorityOf(command);
    txs.push({
      hash: txHash,
      time: block.timeMs,
      user: executed.account ?? signer,
      action: { type: actionTypeOf(command) },
      block: block.height,
      error: executionError(command, executed, { instruments, request }),
    });
  }
  return txs.reverse();
}

/** Why a request, or the first of its orders that was, was refused when it executed, as its receipt says it. */
export function executionError(
  command: RequestCommand,
  executed: CommandResult,
  found: { readonly instruments: InstrumentLookup; readonly request: string | undefined },
): string | null {
  const { entries = [], reject, skipped = [] } = executed;
  const hasFailed =
    reject !== undefined ||
    skipped.length > 0 ||
    entries.some((entry) => entry.reject !== undefined);
  // Most requests are granted: those are not put into words only to find that nothing failed.
  if (!hasFailed) return null;
  const context = { instruments: found.instruments, texts: requestTexts(found.request) };
  return outcomeToWire(command, executed, context).error?.message ?? null;
}
