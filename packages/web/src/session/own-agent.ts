import { ApiError, type Client } from '@oddlot/sdk';
import { words } from '../lib/words.ts';
import { loadSigning } from './load-signing.ts';
import { sessionStore, setSession, type Session } from './session.ts';
import { dropAgent, keepAgent, NO_TRADER, traderOf } from './stored-session.ts';

/** The label under which the page's own agent stands in the list; approving another replaces it. */
const LABEL = 'this browser';

/** The agent of this browser for an account: the one that it has, or a new one that the owner approves. */
export async function approveOwnAgent(
  owner: Client,
  account: string,
): Promise<Pick<Session, 'trader' | 'agentAddress'>> {
  const known = await traderOf(account);
  if (known !== undefined) return known;
  const { clientOf, keyWallet, newKey } = await loadSigning();
  const key = newKey();
  const wallet = keyWallet(key);
  await owner.exchange.approveAgent(
    { agentAddress: wallet.address, agentName: LABEL },
    { confirm: 'executed' },
  );
  await keepAgent({ account, key });
  return { trader: clientOf(wallet), agentAddress: wallet.address };
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
