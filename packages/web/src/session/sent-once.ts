import {
  ApiError,
  HttpError,
  type ActionReply,
  type ActionStatus,
  type Client,
  type ExecutedReply,
} from '@oddlot/sdk';
import { NotArrivedError } from '../lib/explain-error.ts';
import { words } from '../lib/words.ts';
import { venueNow } from '../market/venue.ts';
import { dropAgent, NO_TRADER, sessionStore, setSession } from './session.ts';

/** What was sent, and when it can no longer be taken in. */
type Sent = { readonly txHash: string; readonly expiresAfter: number | undefined };

/** Between two questions to a venue that does not answer. */
const ASK_EVERY_MS = 1_000;
/** After its time an action may still be on its way through the venue for so long. */
const GRACE_MS = 2_000;
/** One that has no end, as transfers, may come at any time: so long after it was given up, nobody is kept waiting for it. */
const ENDLESS_GRACE_MS = 10_000;

/**
 * Sends something once, and does not rest until it is known what became of it. An answer that was lost is
 * asked for by the action's name; nothing is sent a second time. `onAsk` tells that this has begun. What the venue does not know
 * then is a `NotArrivedError`, which says whether that can change.
 */
export async function sentOnce(
  trader: Client,
  run: (trader: Client) => Promise<ActionReply>,
  onAsk?: () => void,
): Promise<ActionReply> {
  let sent: Sent;
  try {
    const reply = await run(trader);
    if (reply.status !== 'pending') return reply;
    sent = { txHash: reply.txHash, expiresAfter: undefined };
  } catch (error) {
    if (!(error instanceof HttpError) || error.txHash === undefined)
      throw await unlessRevoked(error);
    sent = { txHash: error.txHash, expiresAfter: error.expiresAfter };
  }
  onAsk?.();
  return fateOf(trader, sent);
}

/** The same for one thing that is done or is not: what was refused of it is thrown. */
export async function doneOnce(
  client: Client,
  run: (client: Client) => Promise<ActionReply>,
): Promise<void> {
  const fault = failureOf(await sentOnce(client, run));
  if (fault !== undefined) throw fault;
}

/** A refusal of one entry of an action, in the form of one of the whole. */
export function failureOf(reply: ActionReply): ApiError | undefined {
  if (reply.status !== 'executed' || reply.failure === undefined) return undefined;
  const { code = 0, details, error, name } = reply.failure;
  return new ApiError({
    code,
    name,
    message: error.replace(/^\w+\[\d+\]: /, ''),
    details,
    httpStatus: 200,
    response: reply,
  });
}

async function fateOf(trader: Client, { expiresAfter, txHash }: Sent): Promise<ActionReply> {
  const endMs =
    expiresAfter === undefined ? venueNow() + ENDLESS_GRACE_MS : expiresAfter + GRACE_MS;
  for (;;) {
    const receipt = await trader.exchange.waitForAction(txHash).catch(() => undefined);
    if (receipt?.status === 'executed' || receipt?.status === 'failed') {
      return replyOf(receipt, txHash);
    }
    // The venue never saw it, and from its end on it never will; what has none may only be slow.
    if (receipt?.status === 'unknown' && venueNow() > endMs)
      throw new NotArrivedError({ txHash, mayStill: expiresAfter === undefined });
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
  }
}

type Decided = Extract<ActionStatus, { status: 'executed' | 'failed' }>;

/** A receipt in the form of the answer that was lost. */
function replyOf(receipt: Decided, txHash: string): ExecutedReply {
  const { block, error, nonce, result } = receipt;
  if (error !== null) {
    throw new ApiError({ ...error, details: error.details, httpStatus: 200, response: error });
  }
  const [status] = result.statuses;
  return {
    status: 'executed',
    txHash: txHash as ExecutedReply['txHash'],
    nonce,
    height: block.height,
    orders: result.orders ?? [],
    failure: status === 'success' ? undefined : status,
    created: undefined,
    traceId: undefined,
    warnings: [],
  };
}

/** After its approval was taken back: the key is of no use any more, so it is not kept. */
export async function forgetAgent(account: string): Promise<void> {
  await dropAgent(account);
  const { session } = sessionStore.getState();
  if (session?.address === account) setSession({ ...session, ...NO_TRADER });
}

/**
 * Why something was refused. Where the venue no longer knows the agent of this browser, somebody took its approval
 * back (in another tab, or by another program): its key is forgotten, and the page offers to approve another.
 */
async function unlessRevoked(refusal: unknown): Promise<unknown> {
  const { session } = sessionStore.getState();
  const agent = session?.agentAddress?.toLowerCase();
  const isRevoked =
    refusal instanceof ApiError &&
    refusal.name === 'UNAUTHORIZED' &&
    agent !== undefined &&
    String(refusal.details?.got).toLowerCase() === agent;
  if (session === undefined || !isRevoked) return refusal;
  await forgetAgent(session.address);
  return new Error(words.t('wallet.revoked'));
}
