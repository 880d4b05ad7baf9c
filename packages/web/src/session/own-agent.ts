import { privateKeyWallet, randomPrivateKey, type Client } from '@oddlot/sdk';
import { signingClient, type Session } from './session.ts';
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
  const key = randomPrivateKey();
  const wallet = privateKeyWallet(key);
  await owner.exchange.approveAgent(
    { agentAddress: wallet.address, agentName: LABEL },
    { confirm: 'executed' },
  );
  await keepAgent({ account, key });
  return { trader: await signingClient(wallet), agentAddress: wallet.address };
}
