import type { Command, CommandResult } from '@oddlot/engine';
import type { ExplorerBlock, ExplorerTx } from '@oddlot/protocol';
import {
  type AppliedBlock,
  authorityOf,
  isRequest,
  type RequestCommand,
} from '@oddlot/replica/block';
import { actionTypeOf } from './action-to-command.ts';
import type { InstrumentLookup } from './instruments.ts';
import { outcomeToWire } from './outcome-to-wire.ts';
import { requestTexts } from './reject-to-wire.ts';
import { maskedCode } from './info/access.ts';

/**
 * The address in every block's `proposer` field. The venue has no validators, because its operator
 * creates all blocks.
 */
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
 * Returns true for a signed request that its block executed, or rejected for its content. A request
 * with a consumed nonce is not counted: several replicas of a cluster can log the same bytes, which
 * are one transaction.
 */
export function isTransaction(
  command: Command,
  executed: CommandResult | undefined,
): command is RequestCommand {
  return isRequest(command) && executed?.reject?.reason !== 'nonceUsed';
}

/**
 * Returns the last `countMax` signed requests of a block, in order. The result includes only the
 * type of each request, because an order can still be in the delay queue (R-delay).
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

/**
 * Returns the reason a request or its first failed entry was rejected, using the message in its
 * receipt.
 */
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
  // Messages are built only for failures, because most requests succeed.
  if (!hasFailed) return null;
  const context = { instruments: found.instruments, texts: requestTexts(found.request) };
  return outcomeToWire(command, executed, context).error?.message ?? null;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Masks the access codes in an action that will be shown publicly, because anyone could use a
 * published code (R-gate). The log and its hashes contain the original, which replays use.
 */
export function publicAction<Action extends Fields>(action: Action): Action {
  const gate = fieldsOf(action['setGate']);
  const { accessCodes, grants } = gate;
  if (accessCodes === undefined && grants === undefined) return action;
  const setGate: Fields = {
    ...gate,
    ...(accessCodes === undefined ? {} : { accessCodes: publicCodes(fieldsOf(accessCodes)) }),
    ...(grants === undefined ? {} : { grants: publicGrants(fieldsOf(grants)) }),
  };
  return { ...action, setGate };
}

function publicCodes(change: Fields): Fields {
  const { add, remove } = change;
  return {
    ...change,
    ...(Array.isArray(add) ? { add: add.map(withMaskedCode) } : {}),
    ...(Array.isArray(remove) ? { remove: remove.map((code) => maskedCode(String(code))) } : {}),
  };
}

function publicGrants(change: Fields): Fields {
  const { add } = change;
  return Array.isArray(add) ? { ...change, add: add.map(withMaskedCode) } : change;
}

function withMaskedCode(entry: unknown): Fields {
  const fields = fieldsOf(entry);
  return { ...fields, code: maskedCode(String(fields['code'])) };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

/** An action with its list cut down to the first entry, and the original number of entries. */
type BriefAction = {
  readonly action: { type: string } & Record<string, unknown>;
  readonly entries: number;
};

const LISTS = ['orders', 'modifies', 'cancels', 'split', 'merge'] as const;

/**
 * Shortens an action for a list of transactions, so that one long action does not make the whole
 * response large.
 */
export function briefAction(action: BriefAction['action']): BriefAction {
  const { payload } = action;
  if (isWrapped(payload)) {
    const inner = briefAction(payload.action);
    return {
      action: { ...action, payload: { ...payload, action: inner.action } },
      entries: inner.entries,
    };
  }
  const brief = { ...action };
  let entries = 0;
  for (const name of LISTS) {
    const list = action[name];
    if (!Array.isArray(list)) continue;
    entries += list.length;
    brief[name] = list.slice(0, 1);
  }
  return { action: brief, entries: Math.max(1, entries) };
}

function isWrapped(payload: unknown): payload is { readonly action: BriefAction['action'] } {
  return typeof payload === 'object' && payload !== null && 'action' in payload;
}
