import type { Address, Hash } from '@oddlot/units';
import type { CommandResult } from '@oddlot/engine';
import {
  type ActionResultStatus,
  type OrderResult,
  OUTCOME_ID_MIN,
  type Warning,
} from '@oddlot/protocol';
import { authorityOf, type RequestCommand } from '@oddlot/replica/block';
import { actionTypeOf } from '@oddlot/translate/action-to-command';
import type {
  ActionResult,
  Created,
  ErrorBody,
  WireOutcome,
} from '@oddlot/translate/outcome-to-wire';

export type ReceiptRow = {
  readonly txHash: Hash;
  readonly signer: Address;
  /** The account the action was signed for. */
  readonly user: Address;
  readonly nonce: number;
  readonly actionType: string;
  /** The block that executed the action; a later block may have completed it. */
  readonly height: number;
  readonly timeMs: number;
  readonly blockHash: Hash;
  readonly index: number;
  readonly failed: boolean;
  readonly body: string;
};

/**
 * The receipts completed by a block. A block without receipts also advances the height of the
 * archive (R-tx).
 */
export type ReceiptBlock = {
  readonly height: number;
  readonly timeMs: number;
  readonly blockHash: Hash;
  readonly receipts: readonly ReceiptRow[];
};

export type ReceiptQuery =
  | { readonly by: 'txHash'; readonly txHash: string }
  | { readonly by: 'traceId'; readonly traceId: string }
  | { readonly by: 'signer'; readonly signer: string; readonly nonce: number };

export type ReceiptKey =
  | { readonly by: 'txHash'; readonly txHash: string }
  | { readonly by: 'traceId'; readonly traceId: string }
  | { readonly by: 'nonce'; readonly signer: string; readonly nonce: number };

/** A receipt in memory. Most receipts are never read, so the text can be built on demand. */
export type MadeReceipt = {
  readonly row: Omit<ReceiptRow, 'body'>;
  readonly body: () => string;
  /** Approximate memory use, in characters. */
  readonly chars: number;
  /** True if nothing was executed. The same request may have been executed in an earlier block. */
  readonly isRefused: boolean;
};

type Done = {
  readonly block: { readonly height: number; readonly timeMs: number; readonly hash: Hash };
  readonly index: number;
  readonly user: Address | undefined;
};

export function madeReceipt(
  command: RequestCommand,
  done: Done,
  outcome: WireOutcome,
): MadeReceipt {
  const body = encodeReceiptBody(outcome, done.user !== undefined);
  return receiptOfRow({ ...rowOf(command, done, outcome.error !== null), body });
}

/**
 * The approximate memory use, in characters, of an order and its result before they are converted
 * to text.
 */
const CHARS_PER_ENTRY = 160;

/** Returns a receipt whose text is built on demand. `canWait` must be true for the action. */
export function lateReceipt(
  command: RequestCommand,
  done: Done,
  { entries, outcome }: { readonly entries: number; readonly outcome: () => WireOutcome },
): MadeReceipt {
  const hasUser = done.user !== undefined;
  const chars = CHARS_PER_ENTRY * (1 + entries);
  return {
    row: rowOf(command, done, false),
    body: () => encodeReceiptBody(outcome(), hasUser),
    chars,
    isRefused: false,
  };
}

export function receiptOfRow({ body, ...row }: ReceiptRow): MadeReceipt {
  return { row, body: () => body, chars: body.length, isRefused: false };
}

/**
 * Returns true if all orders of an action were accepted. Their receipt depends only on the command,
 * its result and the scale of perps, which later blocks do not change. Other receipts depend on the
 * state at the time of execution.
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

/**
 * The stored outcome of an action in wire format, so that an old receipt is the same in every
 * release. Orders are tuples, because repeated keys would make up most of a receipt.
 */
type StoredBody = {
  readonly type: string;
  readonly status: ActionResultStatus;
  readonly orders?: readonly StoredOrder[];
  readonly error?: ErrorBody;
  readonly refused?: true;
  readonly warnings?: readonly Warning[];
  readonly created?: Created;
  /** The time of the block that released the last queued order, in milliseconds. */
  readonly done?: number;
  readonly traced?: true;
  /** Present if the signer had no role; there is then no account. */
  readonly noUser?: true;
};

type StoredOrder = readonly [
  oid: number | null,
  cloid: string | null,
  state: OrderResult['state'],
  filledSz: string,
  avgPx: string | null,
  error: string | null,
];

function encodeReceiptBody(outcome: WireOutcome, hasUser: boolean): string {
  const { result, error, refused, warnings, created, doneHeight, isTraced } = outcome;
  const body: StoredBody = {
    type: result.type,
    status: result.statuses[0],
    ...(result.orders === undefined ? {} : { orders: result.orders.map(toStored) }),
    ...(error === null ? {} : { error }),
    ...(refused ? { refused } : {}),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(created === undefined ? {} : { created }),
    ...(doneHeight === undefined ? {} : { done: doneHeight }),
    ...(isTraced === undefined ? {} : { traced: isTraced }),
    ...(hasUser ? {} : { noUser: true }),
  };
  return JSON.stringify(body);
}

export function decodeReceiptBody(text: string): { outcome: WireOutcome; hasUser: boolean } {
  const body = JSON.parse(text) as StoredBody;
  const orders = body.orders?.map(fromStored);
  const result: ActionResult = {
    type: body.type,
    statuses: [body.status],
    ...(orders === undefined ? {} : { orders }),
  };
  const outcome = {
    result,
    error: body.error ?? null,
    refused: body.refused ?? false,
    warnings: body.warnings ?? [],
    ...(body.created === undefined ? {} : { created: body.created }),
    ...(body.done === undefined ? {} : { doneHeight: body.done }),
    ...(body.traced === undefined ? {} : { isTraced: body.traced }),
  };
  return { outcome, hasUser: body.noUser !== true };
}

function toStored({ oid, cloid, state, filledSz, avgPx, error }: OrderResult): StoredOrder {
  return [oid, cloid, state, filledSz, avgPx, error];
}

function fromStored(
  [oid, cloid, state, filledSz, avgPx, error]: StoredOrder,
  i: number,
): OrderResult {
  return { i, oid, cloid, state, filledSz, avgPx, error };
}
