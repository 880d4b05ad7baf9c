import type { Client, Eip1193Provider } from '@oddlot/sdk';
import { createStore } from 'zustand/vanilla';
import { words } from '../lib/words.ts';
import {
  keepAgent,
  keepView,
  storedView,
  loadSigning,
  NO_TRADER,
  sessionStore,
  setSession,
  traderOf,
  type Session,
} from './session.ts';

export type BrowserWallet = {
  readonly uuid: string;
  readonly name: string;
  readonly rdns: string | undefined;
  readonly icon: string | undefined;
  readonly provider: Eip1193Provider;
};

export const browserWallets = createStore<{ readonly wallets: readonly BrowserWallet[] }>(() => ({
  wallets: [],
}));

const WALLETS_MAX = 20;

export function watchWallets(): () => void {
  const onAnnounce = (event: Event): void => {
    const wallet = readAnnouncement(event);
    const { wallets } = browserWallets.getState();
    if (wallet === undefined || wallets.length >= WALLETS_MAX) return;
    if (wallets.some(({ uuid }) => uuid === wallet.uuid)) return;
    browserWallets.setState({ wallets: [...wallets, wallet] });
    void rejoinWallet();
  };
  globalThis.addEventListener('eip6963:announceProvider', onAnnounce);
  const leave = sessionStore.subscribe(() => void rejoinWallet());
  globalThis.dispatchEvent(new Event('eip6963:requestProvider'));
  return () => {
    leave();
    globalThis.removeEventListener('eip6963:announceProvider', onAnnounce);
  };
}

const providers = new Map<string, Eip1193Provider>();

export function providerOf(address: string): Eip1193Provider | undefined {
  return providers.get(address);
}

export async function connectWallet({ provider, rdns }: BrowserWallet): Promise<void> {
  const accounts = (await provider.request({ method: 'eth_requestAccounts' })) as string[];
  const address = accounts[0]?.toLowerCase();
  if (address === undefined) throw new Error('The wallet returned no account');
  const { browserWallet, clientOf } = await loadSigning();
  const owner = clientOf(browserWallet(provider, address));
  providers.set(address, provider);
  const trader = await traderOf(address);
  keepView({ kind: 'wallet', address, rdns });
  setSession({ kind: 'wallet', address, owner, ...(trader ?? NO_TRADER) });
}

/** Reconnects the wallet without a prompt, because the page still has access after a reload. */
async function rejoinWallet(): Promise<void> {
  const { session } = sessionStore.getState();
  const rdns = storedView()?.rdns;
  if (session?.kind !== 'wallet' || session.owner !== undefined || rdns === undefined) return;
  const wallet = browserWallets.getState().wallets.find((each) => each.rdns === rdns);
  if (wallet === undefined) return;
  const { provider } = wallet;
  const accounts = await provider.request({ method: 'eth_accounts' }).catch(() => []);
  const isSeen = (accounts as string[]).some((each) => each.toLowerCase() === session.address);
  if (!isSeen) return;
  const { browserWallet, clientOf } = await loadSigning();
  const now = sessionStore.getState().session;
  if (now?.address !== session.address || now.owner !== undefined) return;
  providers.set(session.address, provider);
  setSession({ ...now, owner: clientOf(browserWallet(provider, session.address)) });
}

export async function enableTrading(): Promise<void> {
  const { session } = sessionStore.getState();
  if (session?.owner === undefined || session.trader !== undefined) return;
  if (!(await hasAccount(session.owner, session.address))) {
    throw new Error(words.t('wallet.depositFirst'));
  }
  const trader = await approveOwnAgent(session.owner, session.address);
  const now = sessionStore.getState().session;
  if (now?.owner === session.owner) setSession({ ...now, ...trader });
}

/** Returns true if the user has an account, or if the query fails. */
export async function hasAccount(owner: Client, user: string): Promise<boolean> {
  const status = await owner.accountStatus({ user }).catch(() => undefined);
  return status?.checked !== true || status.exists;
}

export function spectate(address: string): void {
  const lower = address.toLowerCase();
  keepView({ kind: 'spectator', address: lower });
  setSession({ kind: 'spectator', address: lower, owner: undefined, ...NO_TRADER });
}

function readAnnouncement(event: Event): BrowserWallet | undefined {
  const { info, provider } = ((event as CustomEvent).detail ?? {}) as {
    info?: { uuid?: unknown; name?: unknown; icon?: unknown; rdns?: unknown };
    provider?: Eip1193Provider;
  };
  if (typeof info?.uuid !== 'string' || typeof info.name !== 'string') return undefined;
  if (typeof provider?.request !== 'function') return undefined;
  const { icon, name, rdns, uuid } = info;
  return {
    uuid,
    name,
    rdns: typeof rdns === 'string' ? rdns : undefined,
    icon: isPictureUrl(icon) ? icon : undefined,
    provider,
  };
}

function isPictureUrl(icon: unknown): icon is string {
  return typeof icon === 'string' && /^data:image\/(?:png|svg\+xml|webp|jpeg)/.test(icon);
}

/** Approving another agent under this label replaces the previous one. */
const LABEL = 'this browser';

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
