import type { Client } from '@oddlot/sdk';
import { loadSigning } from './load-signing.ts';
import type { Session } from './session.ts';
import { keepAgent, traderOf } from './stored-session.ts';

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
