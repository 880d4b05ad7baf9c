import { bodyOfRequest, refusal, traceId, type InfoQueryOf } from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import type {
  ActionResultStatus,
  BlockDetail,
  BlockRow,
  StateHash,
  TxBrief,
  TxDetail,
  TxRow,
} from '@oddlot/protocol';
import type { Ask, BlockRecord, TxRecordRow } from '@oddlot/history/history';
import type { Receipt } from '@oddlot/history/receipts';
import { authorityOf } from '@oddlot/replica/block';
import { internalNameNamed, internalNameOf } from '@oddlot/translate/action-to-command';
import { briefAction, publicAction } from '@oddlot/translate/explorer';
import { readCursor } from './cursor.ts';
import {
  waitFor,
  waitForSpan,
  type HistoryAnswer,
  type HistoryContext,
  type HistoryHandler,
  type HistoryQueries,
} from './handler.ts';

/** The venue has no other proposers, so every block shows the zero address. */
const NO_PROPOSER = `0x${'0'.repeat(40)}`;

const blocks: HistoryHandler<'blocks', BlockRow[]> = async (context, query) => {
  const { before, limit } = query;
  const asked = { limit, ...(before === undefined ? {} : { before }) };
  const wait =
    before === undefined
      ? waitFor(query)
      : waitForHeight(context, Math.max(0, before - 1), query.minHeight);
  const { answer, asOf } = await context.history.ask('blocks', asked, wait);
  return { ok: true, data: answer.map(blockRow), asOf };
};

const block: HistoryHandler<'block', BlockDetail> = async (context, query) => {
  const isByHeight = 'height' in query;
  const asked = isByHeight ? { height: query.height } : { hash: query.hash };
  const { answer, asOf } = isByHeight
    ? await context.history.ask(
        'block',
        asked,
        waitForHeight(context, query.height, query.minHeight),
      )
    : await askOnce(context, 'block', asked, query);
  if (answer === null) {
    return isByHeight ? blockNotFound('height', query.height) : blockNotFound('hash', query.hash);
  }
  const data = { ...blockRow(answer), txs: answer.txs.map(txRow) };
  return { ok: true, data, asOf };
};

/**
 * Returns the state hash of a block. The replica keeps the hashes of the newest blocks in memory.
 */
const stateHash: HistoryHandler<'stateHash', StateHash> = async (context, query) => {
  const { history, replica } = context;
  const { height = replica.head.height, minHeight = 0 } = query;
  const isKnown = minHeight <= replica.head.height;
  const head = height === replica.head.height ? replica.head : replica.headAt(height);
  if (isKnown && head !== undefined && head.height > 0) {
    const data = { height, blockTime: head.timeMs, stateHash: head.stateHash };
    return { ok: true, data, asOf: replica.head };
  }
  const wait = waitForHeight(context, height, query.minHeight);
  const { answer, asOf } = await history.ask('blocks', { before: height + 1, limit: 1 }, wait);
  const found = answer[0];
  if (found === undefined || found.height !== height) return blockNotFound('height', height);
  const data = { height, blockTime: found.timeMs, stateHash: found.stateHash };
  return { ok: true, data, asOf };
};

/**
 * Makes a query wait for a block that this process has already applied, because the history will
 * soon have it.
 */
function waitForHeight(
  { replica }: HistoryContext,
  height: number,
  minHeight: number | undefined,
): { readonly minHeight?: number } {
  if (height > replica.head.height) return waitFor({ minHeight });
  return { minHeight: Math.max(height, minHeight ?? 0) };
}

/**
 * Queries the history at most twice. A row that was found is valid at any height, but only a
 * history that includes the newest block can prove that a row does not exist.
 */
async function askOnce<Topic extends 'block' | 'tx'>(
  { history }: HistoryContext,
  topic: Topic,
  question: Ask<Topic>,
  { minHeight = 0 }: { readonly minHeight?: number | undefined },
) {
  const known = await history.ask(topic, question, { minHeight });
  return known.answer === null ? history.ask(topic, question) : known;
}

function blockNotFound(field: string, got: string | number): HistoryAnswer<never> {
  return { ok: false, error: refusal('blockNotFound', [], { field, got }) };
}

function blockRow(record: BlockRecord): BlockRow {
  const { hash, height, numTxs, parentHash, timeMs } = record;
  return {
    height,
    blockTime: timeMs,
    hash,
    parentHash,
    stateHash: record.stateHash,
    proposer: NO_PROPOSER,
    numTxs,
  };
}

function txRow({ actionType, error, height, timeMs, txHash, user }: TxRecordRow): TxRow {
  return { hash: txHash, time: timeMs, user, action: { type: actionType }, block: height, error };
}

const tx: HistoryHandler<'tx', TxDetail> = async (context, query) => {
  const { txHash } = query;
  const { answer, asOf } = await askOnce(context, 'tx', { txHash }, query);
  if (answer === null) {
    const details = { field: 'txHash', got: txHash };
    return { ok: false, error: refusal('transactionNotFound', [], details) };
  }
  const envelope = bodyOfRequest(answer.request) as Envelope;
  const outcome = await outcomeOf(context, answer);
  const { action: _, ...row } = txRow(answer);
  const data: TxDetail = {
    ...row,
    error: outcome.error ?? row.error,
    index: answer.index,
    signer: outcome.signer,
    nonce: envelope.nonce,
    vaultAddress: envelope.vaultAddress?.toLowerCase() ?? null,
    signatureChainId: envelope.signatureChainId ?? null,
    expiresAfter: envelope.expiresAfter ?? null,
    // The content of queued orders is not disclosed (R-delay).
    action: outcome.isQueued ? { type: answer.actionType } : publicAction(envelope.action),
    signature: envelope.signature,
    traceId: traceId(txHash),
    result: outcome.result,
  };
  return { ok: true, data, asOf };
};

/** Lists transactions with a summary, so that clients need not query each one. */
const txs: HistoryHandler<'txs', TxBrief[]> = async (context, query) => {
  const { height, limit, user } = query;
  if (user !== undefined && height === undefined) return userTxs(context, { ...query, user });
  const wait =
    height === undefined ? waitFor(query) : waitForHeight(context, height, query.minHeight);
  const asked = { limit, ...(height === undefined ? {} : { height }) };
  const { answer, asOf } = await context.history.ask('txs', asked, wait);
  const own = user === undefined ? answer : answer.filter((found) => found.user === user);
  const data = own.map((found) => briefTx(context, found));
  return { ok: true, data, asOf };
};

/** Lists the transactions of one account in pages. */
async function userTxs(
  context: HistoryContext,
  query: InfoQueryOf<'txs'> & { readonly user: Address },
): Promise<HistoryAnswer<TxBrief[]>> {
  const { endTime, limit, startTime, user } = query;
  const cursor = readCursor(query, context.cursors);
  if (!cursor.ok) return cursor;
  const asked = {
    user,
    limit,
    ...(startTime === undefined ? {} : { startTime }),
    ...(endTime === undefined ? {} : { endTime }),
    ...(cursor.place === undefined ? {} : { cursor: cursor.place.at }),
  };
  const wait = waitForSpan(context.history, query);
  const { answer, asOf } = await context.history.ask('userTxs', asked, wait);
  const data = answer.rows.map((found) => briefTx(context, found));
  const next = answer.next === null ? null : { at: answer.next };
  return { ok: true, data, asOf, next };
}

function briefTx({ receipts }: HistoryContext, { request, ...row }: FoundTx): TxBrief {
  const { action, ...rest } = txRow(row);
  const { txHash } = row;
  // Neither the content nor the number of queued orders is disclosed (R-delay).
  const isQueued = receipts.queued({ by: 'txHash', txHash }) !== undefined;
  if (isQueued) return { ...rest, action, entries: null };
  return { ...rest, ...briefAction(publicAction((bodyOfRequest(request) as Envelope).action)) };
}

type Envelope = Pick<TxDetail, 'action' | 'nonce' | 'signature'> & {
  readonly vaultAddress?: string | null;
  readonly signatureChainId?: number | null;
  readonly expiresAfter?: number | null;
};

type TxOutcome = Pick<TxDetail, 'signer' | 'result'> & {
  readonly isQueued: boolean;
  /** Also set for an order that failed on leaving the delay queue. */
  readonly error?: string | undefined;
};

type FoundTx = TxRecordRow & { readonly request: string };

/** Finds the signer and the result of a transaction. */
async function outcomeOf(context: HistoryContext, found: FoundTx): Promise<TxOutcome> {
  const { receipts } = context;
  const key = { by: 'txHash', txHash: found.txHash } as const;
  // A second attempt is needed if an order leaves the delay queue during the first.
  for (let attempt = 0; attempt < 2; attempt++) {
    const receipt = await receipts.find(key);
    if (receipt !== undefined) return receiptOutcome(receipt);
    const queued = receipts.queued(key);
    if (queued === undefined) continue;
    const result: TxDetail['result'] = {
      type: internalNameOf(queued.command),
      statuses: ['success'],
    };
    return { signer: authorityOf(queued.command).signer, result, isQueued: true };
  }
  return storedOutcome(context, found);
}

function receiptOutcome({ outcome, signer }: Receipt): TxOutcome {
  return { signer, result: outcome.result, isQueued: false, error: outcome.error?.message };
}

/**
 * Returns what is known without a receipt: success, or the error. Transactions are kept longer than
 * receipts.
 */
async function storedOutcome({ pool }: HistoryContext, found: FoundTx): Promise<TxOutcome> {
  const { actionType, error, request, user } = found;
  const { signer } = await pool.recover(request);
  const status: ActionResultStatus = error === null ? 'success' : { error };
  return {
    signer: signer ?? user,
    result: { type: internalNameNamed(actionType), statuses: [status] },
    isQueued: false,
  };
}

export const EXPLORER_QUERIES = {
  blocks,
  block,
  tx,
  txs,
  stateHash,
} as const satisfies HistoryQueries;
