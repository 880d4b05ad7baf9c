import type { Eip1193Provider } from '@oddlot/sdk';
import { createStore } from 'zustand/vanilla';
import { loadSigning } from './load-signing.ts';
import { approveOwnAgent } from './own-agent.ts';
import { sessionStore, setSession } from './session.ts';
import { keepView, NO_TRADER, traderOf } from './stored-session.ts';

/** Wallets that announce themselves to pages (EIP-6963). */

export type BrowserWallet = {
  /** Names the wallet for as long as the page lives. */
  readonly uuid: string;
  readonly name: string;
  /** A data URL of the wallet's own; anything else is not shown. */
  readonly icon: string | undefined;
  readonly provider: Eip1193Provider;
};

export const browserWallets = createStore<{ readonly wallets: readonly BrowserWallet[] }>(() => ({
  wallets: [],
}));

const WALLETS_MAX = 20;

/** Asks wallets to announce themselves, and listens for those that come later. */
export function watchWallets(): () => void {
  const onAnnounce = (event: Event): void => {
    const wallet = readAnnouncement(event);
    const { wallets } = browserWallets.getState();
    if (wallet === undefined || wallets.length >= WALLETS_MAX) return;
    if (wallets.some(({ uuid }) => uuid === wallet.uuid)) return;
    browserWallets.setState({ wallets: [...wallets, wallet] });
  };
  globalThis.addEventListener('eip6963:announceProvider', onAnnounce);
  globalThis.dispatchEvent(new Event('eip6963:requestProvider'));
  return () => globalThis.removeEventListener('eip6963:announceProvider', onAnnounce);
}

/** Opens the account of a wallet; the wallet asks its owner. */
export async function connectWallet({ provider }: BrowserWallet): Promise<void> {
  const accounts = (await provider.request({ method: 'eth_requestAccounts' })) as string[];
  const address = accounts[0]?.toLowerCase();
  if (address === undefined) throw new Error('The wallet named no account');
  const { browserWallet, clientOf } = await loadSigning();
  const owner = clientOf(browserWallet(provider, address));
  const trader = await traderOf(address);
  keepView({ kind: 'wallet', address });
  setSession({ kind: 'wallet', address, owner, ...(trader ?? NO_TRADER) });
}

/** Lets this browser trade for the account that is open: one signature of its owner. */
export async function enableTrading(): Promise<void> {
  const { session } = sessionStore.getState();
  if (session?.owner === undefined || session.trader !== undefined) return;
  const trader = await approveOwnAgent(session.owner, session.address);
  const now = sessionStore.getState().session;
  if (now?.owner === session.owner) setSession({ ...now, ...trader });
}

/** Looks at any account, read-only. */
export function spectate(address: string): void {
  const lower = address.toLowerCase();
  keepView({ kind: 'spectator', address: lower });
  setSession({ kind: 'spectator', address: lower, owner: undefined, ...NO_TRADER });
}

function readAnnouncement(event: Event): BrowserWallet | undefined {
  const { info, provider } = ((event as CustomEvent).detail ?? {}) as {
    info?: { uuid?: unknown; name?: unknown; icon?: unknown };
    provider?: Eip1193Provider;
  };
  if (typeof info?.uuid !== 'string' || typeof info.name !== 'string') return undefined;
  if (typeof provider?.request !== 'function') return undefined;
  const { icon, name, uuid } = info;
  const isPicture =
    typeof icon === 'string' && /^data:image\/(?:png|svg\+xml|webp|jpeg)/.test(icon);
  return { uuid, name, icon: isPicture ? (icon as string) : undefined, provider };
}
