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

/** The request's identifiers, included in every reply. */
type Sent = {
  /** The permanent identifier of the action. `info.actionStatus({ txHash })` returns its result. */
  readonly txHash: Hash;
  readonly nonce: number;
};

/** The reply to an action that was accepted. The streams report its result. */
export type AcceptedReply = Sent & {
  readonly status: 'accepted';
  readonly warnings: readonly Warning[];
};

/** The reply to an outcome order that is waiting for its release. The streams report its result. */
export type QueuedReply = Sent & {
  readonly status: 'queued';
  readonly traceId: string;
  readonly warnings: readonly Warning[];
};

/**
 * The reply to an action that was executed. Each entry of a list of orders or cancels has its own
 * result.
 */
export type ExecutedReply = Sent & {
  readonly status: 'executed';
  /** The height of the block that executed the action. */
  readonly height: number;
  /** The results of the entries, in order; empty for actions without entries. */
  readonly orders: readonly OrderResult[];
  /** The failure of the first entry that failed. The other entries are independent of it. */
  readonly failure: ActionFailure | undefined;
  /** The ids that an operator's action created. */
  readonly created: Created | undefined;
  /** The trace id; set for orders on outcome markets. */
  readonly traceId: string | undefined;
  readonly warnings: readonly Warning[];
};

/** The ids of the objects that an operator's action created. */
export type Created = {
  readonly eventId?: number;
  readonly instrumentId?: number;
  readonly seriesSlug?: string;
};

/** The reason an entry failed. */
export type ActionFailure = Exclude<ActionResultStatus, 'success'>;

/**
 * The reply after the venue stopped waiting. The action may still be executed; see `waitForAction`.
 */
export type PendingReply = Sent & {
  readonly status: 'pending';
  /** The trace id; set for orders on outcome markets. */
  readonly traceId: string | undefined;
};

/** The type of the reply to an action, depending on whether the action requests confirmation. */
export type ReplyOf<Confirm extends 'executed' | undefined> = Confirm extends 'executed'
  ? ExecutedReply | PendingReply
  : AcceptedReply | QueuedReply;

/** The reply to any action. */
export type ActionReply = AcceptedReply | QueuedReply | ExecutedReply | PendingReply;

/**
 * The pattern of a failure message that identifies its entry. The other entries are independent of
 * it, even if the reply has no results.
 */
const ENTRY_FAILURE = /^\w+\[\d+\]: /;

/** Reads a response of /exchange. If the whole action was refused, the error is thrown. */
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
  // A failure that names no entry applies to the whole action.
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

/** Options for `waitForAction`. */
export type WaitOptions = {
  readonly timeoutMs?: number | undefined;
  /** The interval between queries for the receipt. */
  readonly intervalMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};

/**
 * The action to wait for, identified by its hash, or by the trace id of an order on an outcome
 * market.
 */
export type ActionName = string | { readonly traceId: string };

/**
 * Waits for the final result of an action and returns its receipt. The orders of an action on
 * outcome markets are final when the last of them has left the delay queue. The status `unknown` is
 * also final: the venue never received the action.
 *
 * @throws HttpError if the action is not final after `timeoutMs`
 */
export async function waitForAction(
  context: InfoContext,
  name: ActionName,
  { timeoutMs = 30_000, intervalMs = 250, signal }: WaitOptions = {},
): Promise<ActionStatus> {
  const selector = typeof name === 'string' ? { txHash: name } : { traceId: name.traceId };
  const query = { type: 'actionStatus', ...selector } as const;
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
