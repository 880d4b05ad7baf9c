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

/** The identifiers of the request, which every reply has. */
type Sent = {
  /** The permanent identifier of the action: `info.actionStatus({ txHash })` returns its result. */
  readonly txHash: Hash;
  readonly nonce: number;
};

/** Accepted and well-formed; the streams report its result. */
export type AcceptedReply = Sent & {
  readonly status: 'accepted';
  readonly warnings: readonly Warning[];
};

/** An outcome order that waits for its release; the streams report its result. */
export type QueuedReply = Sent & {
  readonly status: 'queued';
  readonly traceId: string;
  readonly warnings: readonly Warning[];
};

/** Executed; each entry of a list of orders or cancels has its own result. */
export type ExecutedReply = Sent & {
  readonly status: 'executed';
  /** The block of the execution. */
  readonly height: number;
  /** One element per entry, in order; empty for actions without entries. */
  readonly orders: readonly OrderResult[];
  /** The failure of the first failed entry; the other entries are independent. */
  readonly failure: ActionFailure | undefined;
  /** The object that an operator's action created. */
  readonly created: Created | undefined;
  /** Of orders on outcome markets. */
  readonly traceId: string | undefined;
  readonly warnings: readonly Warning[];
};

/** The assigned ids of the object that an operator's action created. */
export type Created = {
  readonly eventId?: number;
  readonly instrumentId?: number;
  readonly seriesSlug?: string;
};

/** Why an entry failed. */
export type ActionFailure = Exclude<ActionResultStatus, 'success'>;

/** The venue stopped waiting. The action may still execute: see `waitForAction`. */
export type PendingReply = Sent & {
  readonly status: 'pending';
  /** Of orders on outcome markets. */
  readonly traceId: string | undefined;
};

/** The reply to an action, which depends on whether it asks for confirmation. */
export type ReplyOf<Confirm extends 'executed' | undefined> = Confirm extends 'executed'
  ? ExecutedReply | PendingReply
  : AcceptedReply | QueuedReply;

/** Any reply. */
export type ActionReply = AcceptedReply | QueuedReply | ExecutedReply | PendingReply;

/** A failure that names its entry: the other entries are independent, with or without results. */
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
  // Without entries the failure is that of the whole action.
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

/** Options for waiting for an action. */
export type WaitOptions = {
  readonly timeoutMs?: number | undefined;
  /** The polling interval of the receipt. */
  readonly intervalMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** An action by its hash, or by the trace id of an order on an outcome market. */
export type ActionName = string | { readonly traceId: string };

/**
 * Waits for the final result of a sent action and returns its receipt; orders of outcome markets are final when the
 * last of them has left the delay queue. `unknown` is also final: the venue never received it.
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
