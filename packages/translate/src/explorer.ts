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

type Fields = Readonly<Record<string, unknown>>;

/**
 * An action as anybody may read it. It is what was signed, but for the access codes of a gate: who could read
 * those could use them (R-gate). The log, its hashes and whoever replays it have them as they are.
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

/** An action with its first entry alone, and how many it has. */
type BriefAction = {
  readonly action: { type: string } & Record<string, unknown>;
  readonly entries: number;
};

/** What an action may hold many of. */
const LISTS = ['orders', 'cancels', 'split', 'merge'] as const;

/** An action as a line of a list tells it: long ones would make the list many times as long. */
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

/** What several signed together carries the action in it. */
function isWrapped(payload: unknown): payload is { readonly action: BriefAction['action'] } {
  return typeof payload === 'object' && payload !== null && 'action' in payload;
}
