import type { CommandResult } from '@oddlot/engine';
import { OUTCOME_ID_MIN } from '@oddlot/protocol';
import type { Address, Hash } from '@oddlot/units';
import { authorityOf, type RequestCommand } from '../block/request-command.ts';
import { actionTypeOf } from '../translate/action-types.ts';
import type { WireOutcome } from '../translate/outcome-to-wire.ts';
import { encodeReceiptBody } from './receipt-body.ts';
import type { ReceiptRow } from './receipt-row.ts';

/** A receipt as a block makes it. Most are never asked for, so its words may be found when they are. */
export type MadeReceipt = {
  readonly row: Omit<ReceiptRow, 'body'>;
  readonly body: () => string;
  /** What it holds in memory, about, in characters. */
  readonly chars: number;
  /** Nothing of it was executed: the same request may have been, in an earlier block. */
  readonly isRefused: boolean;
};

type Done = {
  readonly block: { readonly height: number; readonly timeMs: number; readonly hash: Hash };
  readonly index: number;
  readonly user: Address | undefined;
};

/** Of an outcome that is in words. */
export function madeReceipt(
  command: RequestCommand,
  done: Done,
  outcome: WireOutcome,
): MadeReceipt {
  const body = encodeReceiptBody(outcome, done.user !== undefined);
  return receiptOfRow({ ...rowOf(command, done, outcome.error !== null), body });
}

/** About what an order and what became of it hold until they are put into words. */
const CHARS_PER_ENTRY = 160;

/** Of one that `canWait`: it is put into words when somebody asks. */
export function lateReceipt(
  command: RequestCommand,
  done: Done,
  { entries, told }: { readonly entries: number; readonly told: () => WireOutcome },
): MadeReceipt {
  const hasUser = done.user !== undefined;
  const chars = CHARS_PER_ENTRY * (1 + entries);
  return {
    row: rowOf(command, done, false),
    body: () => encodeReceiptBody(told(), hasUser),
    chars,
    isRefused: false,
  };
}

/** Of a row that was made elsewhere. */
export function receiptOfRow({ body, ...row }: ReceiptRow): MadeReceipt {
  return { row, body: () => body, chars: body.length, isRefused: false };
}

/**
 * True of orders that were all taken: what is told of them lies in the command, in its result and in the
 * scale of perps, which no later block changes. Everything else is told by the state that it met.
 */
export function canWait(command: RequestCommand, { entries, reject }: CommandResult): boolean {
  if (command.type !== 'placeOrders' || reject !== undefined || entries === undefined) return false;
  if (entries.some((entry) => entry.reject !== undefined)) return false;
  return command.orders.every(({ instrumentId }) => instrumentId < OUTCOME_ID_MIN);
}

function rowOf(
  command: RequestCommand,
  { block, index, user }: Done,
  failed: boolean,
): MadeReceipt['row'] {
  const { signer, nonce, txHash } = authorityOf(command);
  return {
    txHash,
    signer,
    user: user ?? signer,
    nonce,
    actionType: actionTypeOf(command),
    height: block.height,
    timeMs: block.timeMs,
    blockHash: block.hash,
    index,
    failed,
  };
}
