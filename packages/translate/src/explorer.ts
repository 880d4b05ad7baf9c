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

/** There are no validators; the venue's operator makes all blocks. */
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
 * True for a signed request that its block executed, or rejected for its content. A request with a
 * used nonce does not count: in a cluster, several replicas may log the same bytes, which count
 * once. A single process rejects it before its block.
 */
export function isTransaction(
  command: Command,
  executed: CommandResult | undefined,
): command is RequestCommand {
  return isRequest(command) && executed?.reject?.reason !== 'nonceUsed';
}

/**
 * The signed requests of a block in order, or the last ones. Only the type of a request is shown,
 * because an order may still be in the delay queue (R-delay).
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

/** The reason a request, or its first rejected order, failed at execution, as in its receipt. */
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
  // Most requests succeed, so their texts are not built.
  if (!hasFailed) return null;
  const context = { instruments: found.instruments, texts: requestTexts(found.request) };
  return outcomeToWire(command, executed, context).error?.message ?? null;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * An action in public form: as signed, but with masked access codes of a gate, because anyone could
 * use a published code (R-gate). The log and its hashes contain the original, which replays use.
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

/** An action reduced to its first entry, with the number of entries. */
type BriefAction = {
  readonly action: { type: string } & Record<string, unknown>;
  readonly entries: number;
};

/** The lists that an action may contain. */
const LISTS = ['orders', 'cancels', 'split', 'merge'] as const;

/** Shortens an action for a list of transactions, which long actions would multiply in size. */
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

/** A multi-sig payload contains the action. */
function isWrapped(payload: unknown): payload is { readonly action: BriefAction['action'] } {
  return typeof payload === 'object' && payload !== null && 'action' in payload;
}
