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

/** The stored receipt (R-tx) of an action. */
export type ReceiptRow = {
  readonly txHash: Hash;
  readonly signer: Address;
  /** The account of the action. */
  readonly user: Address;
  readonly nonce: number;
  readonly actionType: string;
  /** The block that executed it, which may be older than the one that completed it. */
  readonly height: number;
  readonly timeMs: number;
  readonly blockHash: Hash;
  /** The index in its block. */
  readonly index: number;
  readonly failed: boolean;
  /** JSON of the result or the error. */
  readonly body: string;
};

/** The receipts that a block completed. A block without receipts also updates the height. */
export type ReceiptBlock = {
  readonly height: number;
  readonly timeMs: number;
  readonly blockHash: Hash;
  readonly receipts: readonly ReceiptRow[];
};

/** A query of the history for a receipt. */
export type ReceiptQuery =
  | { readonly by: 'txHash'; readonly txHash: string }
  | { readonly by: 'traceId'; readonly traceId: string }
  | { readonly by: 'signer'; readonly signer: string; readonly nonce: number };

/** A query for a receipt. */
export type ReceiptKey =
  | { readonly by: 'txHash'; readonly txHash: string }
  | { readonly by: 'traceId'; readonly traceId: string }
  | { readonly by: 'nonce'; readonly signer: string; readonly nonce: number };

/** A receipt of a block. Most are never read, so their text may be made on demand. */
export type MadeReceipt = {
  readonly row: Omit<ReceiptRow, 'body'>;
  readonly body: () => string;
  /** Approximate memory use, in characters. */
  readonly chars: number;
  /** Nothing was executed; an earlier block may have executed the same request. */
  readonly isRefused: boolean;
};

type Done = {
  readonly block: { readonly height: number; readonly timeMs: number; readonly hash: Hash };
  readonly index: number;
  readonly user: Address | undefined;
};

/** The receipt of an outcome in wire format. */
export function madeReceipt(
  command: RequestCommand,
  done: Done,
  outcome: WireOutcome,
): MadeReceipt {
  const body = encodeReceiptBody(outcome, done.user !== undefined);
  return receiptOfRow({ ...rowOf(command, done, outcome.error !== null), body });
}

/** Approximate characters of an order and its result before they are converted. */
const CHARS_PER_ENTRY = 160;

/** The receipt of an action that `canWait`: its text is made on demand. */
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

/** The receipt of a stored row. */
export function receiptOfRow({ body, ...row }: ReceiptRow): MadeReceipt {
  return { row, body: () => body, chars: body.length, isRefused: false };
}

/**
 * True if all orders were accepted: their receipt depends only on the command, its result and the scale of perps,
 * which no later block changes. Other receipts depend on the state at execution.
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
 * The stored outcome of an action, in wire format, so that an old receipt is the same in any release. Orders are
 * tuples, because their keys would be most of a receipt.
 */
type StoredBody = {
  readonly type: string;
  readonly status: ActionResultStatus;
  readonly orders?: readonly StoredOrder[];
  readonly error?: ErrorBody;
  readonly refused?: true;
  readonly warnings?: readonly Warning[];
  readonly created?: Created;
  /** The time of the block that released the last waiting order. */
  readonly done?: number;
  /** Orders on outcome markets. */
  readonly traced?: true;
  /** The signer had no role, so there is no account. */
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
