import type {
  ActionResultStatus,
  ActionStatus,
  ExchangeEnvelope,
  OrderResult,
  Warning,
} from '@oddlot/protocol';
import type { Hash } from '@oddlot/units';
import { ApiError, HttpError } from '../errors.ts';
import { apiErrorOf, type HttpReply } from '../transport/http.ts';
import type { SignedAction } from './sign-action.ts';
import { type InfoContext, queryInfo } from '../info/query-info.ts';
import { sleep } from '../transport/backoff.ts';

/** The names of the request, the same in every reply. */
type Sent = {
  /** Names the action for good: `info.actionStatus({ txHash })` tells what became of it. */
  readonly txHash: Hash;
  readonly nonce: number;
};

/** Taken in and in good form; the streams tell what came of it. */
export type AcceptedReply = Sent & {
  readonly status: 'accepted';
  readonly warnings: readonly Warning[];
};

/** An outcome order that waits for its release; the streams tell what came of it. */
export type QueuedReply = Sent & {
  readonly status: 'queued';
  readonly traceId: string;
  readonly warnings: readonly Warning[];
};

/** Executed; of a list of orders or cancels each entry has its own result. */
export type ExecutedReply = Sent & {
  readonly status: 'executed';
  /** The block that it is in. */
  readonly height: number;
  /** One element per entry, in order; empty for actions without entries. */
  readonly orders: readonly OrderResult[];
  /** The first entry's failure when one failed; the others went their own way. */
  readonly failure: ActionFailure | undefined;
  /** What an operator's action made. */
  readonly created: Created | undefined;
  /** Of orders on outcome markets. */
  readonly traceId: string | undefined;
  readonly warnings: readonly Warning[];
};

/** The ids that the venue gave to what an operator's action made. */
export type Created = {
  readonly eventId?: number;
  readonly instrumentId?: number;
  readonly seriesSlug?: string;
};

/** Why an entry failed. */
export type ActionFailure = Exclude<ActionResultStatus, 'success'>;

/** The venue did not wait any longer. The action may still execute: see `waitForAction`. */
export type PendingReply = Sent & {
  readonly status: 'pending';
  /** Of orders on outcome markets. */
  readonly traceId: string | undefined;
};

/** What an action that asks for confirmation is answered, and one that does not. */
export type ReplyOf<Confirm extends 'executed' | undefined> = Confirm extends 'executed'
  ? ExecutedReply | PendingReply
  : AcceptedReply | QueuedReply;

/** Any reply. */
export type ActionReply = AcceptedReply | QueuedReply | ExecutedReply | PendingReply;

/** A failure that names its entry: the others went their own way, results or not. */
const ENTRY_FAILURE = /^\w+\[\d+\]: /;

/** Reads an answer of /exchange; a refusal of the whole action is thrown. */
export function readReply(reply: HttpReply, { txHash, nonce }: SignedAction): ActionReply {
  const sent = { txHash, nonce };
  const body = reply.body as unknown as ExchangeEnvelope;
  if (body.status === 'err') throw apiErrorOf(reply);
  if (body.status === 'pending') return { ...sent, status: 'pending', traceId: body.traceId };
  if (body.status !== 'ok') {
    const text = JSON.stringify(reply.body);
    const message = `Unexpected response from /exchange: HTTP ${reply.status}`;
    throw new HttpError(message, { status: reply.status, body: text, txHash });
  }
  const warnings = body.warnings ?? [];
  if (!('data' in body)) return { ...sent, status: 'queued', traceId: body.traceId, warnings };
  const { statuses, orders, created } = body.data.data;
  const [status] = statuses;
  const failure = status === 'success' ? undefined : status;
  // Without entries the failure is that of the whole action, however it was told.
  const isOfAll = orders === undefined && !ENTRY_FAILURE.test(failure?.error ?? '');
  if (failure !== undefined && isOfAll) throw failureOf(failure, reply);
  if (body.confirm !== 'executed') return { ...sent, status: 'accepted', warnings };
  const { height = 0, traceId } = body;
  const results = { orders: orders ?? [], failure, created: created as Created | undefined };
  return { ...sent, status: 'executed', height, ...results, traceId, warnings };
}

function failureOf(failure: ActionFailure, { status, body }: HttpReply): ApiError {
  const { error: message, code = 0, name, details } = failure;
  return new ApiError({ code, name, message, details, httpStatus: status, response: body });
}

/** How long to wait for an action. */
export type WaitOptions = {
  readonly timeoutMs?: number | undefined;
  /** Between two looks at the receipt. */
  readonly intervalMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** Which action: by its hash, or by the trace id that an order on an outcome market was given. */
export type ActionName = string | { readonly traceId: string };

/**
 * Waits until an action that was sent is decided and gives its receipt; orders of outcome markets are
 * when the last of them has left the delay queue. `unknown` is a decision too: the venue never saw it.
 *
 * @throws HttpError when it is still open after `timeoutMs`
 */
export async function waitForAction(
  context: InfoContext,
  name: ActionName,
  { timeoutMs = 30_000, intervalMs = 250, signal }: WaitOptions = {},
): Promise<ActionStatus> {
  const wanted = typeof name === 'string' ? { txHash: name } : { traceId: name.traceId };
  const query = { type: 'actionStatus', ...wanted } as const;
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    const receipt = await queryInfo(context, query, { signal });
    if (receipt.status !== 'pending' && receipt.status !== 'queued') return receipt;
    if (performance.now() + intervalMs > deadlineMs) {
      const txHash = receipt.txHash ?? undefined;
      throw new HttpError(`Still ${receipt.status} after ${timeoutMs} ms: ${txHash}`, { txHash });
    }
    await sleep(intervalMs, signal);
  }
}
