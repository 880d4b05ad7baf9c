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
import { reader, venueNow } from '../market/venue.ts';
import { dropAgent, NO_TRADER, sessionStore, setSession, type Session } from './session.ts';

type Sent = { readonly txHash: string; readonly expiresAfter: number | undefined };

const ASK_EVERY_MS = 1_000;
/** An expired action may still be in the venue's pipeline for this many milliseconds. */
const GRACE_MS = 2_000;
/**
 * The maximum wait, in milliseconds, for an action without an expiry, which may be executed at any
 * time.
 */
const ENDLESS_GRACE_MS = 10_000;

/**
 * Sends an action and never sends it twice. If the response is lost, the status of the action is
 * queried.
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
  return resultOf(trader, sent);
}

export async function doneOnce(
  client: Client,
  run: (client: Client) => Promise<ActionReply>,
): Promise<void> {
  const fault = failureOf(await sentOnce(client, run));
  if (fault !== undefined) throw fault;
}

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

async function resultOf(trader: Client, { expiresAfter, txHash }: Sent): Promise<ActionReply> {
  const endMs =
    expiresAfter === undefined ? venueNow() + ENDLESS_GRACE_MS : expiresAfter + GRACE_MS;
  for (;;) {
    const receipt = await trader.exchange.waitForAction(txHash).catch(() => undefined);
    if (receipt?.status === 'executed' || receipt?.status === 'failed') {
      return replyOf(receipt, txHash);
    }
    // Only an action with an expiry is certain not to be executed later.
    if (receipt?.status === 'unknown' && venueNow() > endMs)
      throw new NotArrivedError({ txHash, mayStill: expiresAfter === undefined });
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
  }
}

type Decided = Extract<ActionStatus, { status: 'executed' | 'failed' }>;

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

/**
 * Removes the key of an agent that was revoked elsewhere, before a trade signed with it is
 * rejected.
 */
export async function checkAgent({ address, agentAddress }: Session): Promise<void> {
  if (agentAddress === undefined) return;
  const { owner } = await reader.info.agentOwner({ agent: agentAddress });
  const { session } = sessionStore.getState();
  if (owner !== address && session?.agentAddress === agentAddress) await forgetAgent(address);
}

export async function forgetAgent(account: string): Promise<void> {
  await dropAgent(account);
  const { session } = sessionStore.getState();
  if (session?.address === account) setSession({ ...session, ...NO_TRADER });
}

/**
 * Removes the key of an agent that was revoked elsewhere. The page then offers to approve a new
 * one.
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
