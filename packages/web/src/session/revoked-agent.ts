import { ApiError } from '@oddlot/sdk';
import { words } from '../lib/words.ts';
import { sessionStore, setSession } from './session.ts';
import { dropAgent, NO_TRADER } from './stored-session.ts';

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
export async function unlessRevoked(refusal: unknown): Promise<unknown> {
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
