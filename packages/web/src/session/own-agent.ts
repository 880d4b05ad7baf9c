import type { Client } from '@oddlot/sdk';
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
  otherTabs?.postMessage(account);
  return { trader: clientOf(wallet), agentAddress: wallet.address };
}

/** After its approval was taken back: the key is of no use any more, so it is not kept. */
export async function forgetAgent(account: string): Promise<void> {
  await dropAgent(account);
  otherTabs?.postMessage(account);
  const { session } = sessionStore.getState();
  if (session?.address === account) setSession({ ...session, ...NO_TRADER });
}

/** Looks again whether this browser may trade for the account that is open: who may revoke it need not be here. */
export async function findAgentAgain(): Promise<void> {
  const { session } = sessionStore.getState();
  if (session === undefined || session.kind === 'spectator') return;
  const trader = await traderOf(session.address);
  const now = sessionStore.getState().session;
  if (now?.address !== session.address || now.agentAddress === trader?.agentAddress) return;
  setSession({ ...now, ...(trader ?? NO_TRADER) });
}

/** What one tab does to the agent of an account, the others hear. */
const otherTabs =
  typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('oddlot-agents');
otherTabs?.addEventListener('message', ({ data }) => {
  if (sessionStore.getState().session?.address === data) void findAgentAgain();
});
