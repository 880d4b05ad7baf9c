import type { Client, Wallet } from '@oddlot/sdk';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { keepText, readText } from '../lib/browser.ts';
import { queryClient } from '../market/queries.ts';
import { connection, reader } from '../market/venue.ts';
import { forget, seal, unseal } from './key-safe.ts';
import type { Signing } from './signing.ts';

/**
 * Who acts here. An account key signs what moves money and who may trade; an agent's key, which can only trade,
 * signs orders. Somebody who only looks on has an address and no key.
 */

type SessionKind = 'burner' | 'wallet' | 'spectator';

export type Session = {
  readonly kind: SessionKind;
  /** The account, in lower case. */
  readonly address: string;
  /** Signs account actions: the burner's key, or a wallet that asks a person. */
  readonly owner: Client | undefined;
  /** Signs trades; undefined until an agent is approved. */
  readonly trader: Client | undefined;
  readonly agentAddress: string | undefined;
};

type SessionState = {
  /** Undefined while the page looks whether it keeps one. */
  readonly isLoaded: boolean;
  readonly session: Session | undefined;
};

export const sessionStore = createStore<SessionState>(() => ({
  isLoaded: false,
  session: undefined,
}));

export function setSession(session: Session | undefined): void {
  const before = sessionStore.getState().session;
  if (before?.owner !== session?.owner) before?.owner?.close();
  if (before?.trader !== session?.trader) before?.trader?.close();
  sessionStore.setState({ session, isLoaded: true });
  keepText(HAS_ACCOUNT, session === undefined ? null : '1');
}

const HAS_ACCOUNT = 'oddlot.hasAccount';

/** Whether somebody was here last time. It is known at once, before keys are looked for, and is only good for a guess. */
export function hadAccount(): boolean {
  return readText(HAS_ACCOUNT) !== null;
}

/** Nothing should be sent while the page does not know what it shows. */
export function isLive(): boolean {
  return connection.getState().status !== 'lost';
}

/** Who acts here; undefined for a visitor. */
export function useSession(): Session | undefined {
  return useStore(sessionStore, ({ session }) => session);
}

/** False until the page knows whether the browser keeps an account. */
export function useIsSessionLoaded(): boolean {
  return useStore(sessionStore, ({ isLoaded }) => isLoaded);
}

/** The part of the page that signs, loaded on the first use. */
export async function loadSigning(): Promise<
  Omit<Signing, 'clientOf'> & { readonly clientOf: (wallet: Wallet) => Client }
> {
  const [{ signing }, settings] = await Promise.all([
    import('./signing.ts'),
    queryClient.ensureQueryData({ queryKey: ['settings'], queryFn: () => reader.info.settings() }),
  ]);
  return { ...signing, clientOf: (wallet) => signing.clientOf(wallet, settings) };
}

/** What a reload finds again: the burner's key, the agent's key, and who was looked at. */

const BURNER = 'burner';
const AGENT = 'agent';
const VIEW = 'oddlot.view';

/** To the other tabs of this browser: the account whose keys were erased in one of them. */
const tabs = new BroadcastChannel('oddlot.erased');

type Key = `0x${string}`;
/** An agent's key is of use for one account alone. */
type KeptAgent = { readonly account: string; readonly key: Key };

export async function keepBurner(key: Key): Promise<void> {
  await seal(BURNER, key);
}

export async function keepAgent(agent: KeptAgent): Promise<void> {
  await seal(`${AGENT} ${agent.account}`, agent.key);
}

export async function dropAgent(account: string): Promise<void> {
  await forget(`${AGENT} ${account}`);
}

/** The key of an account's agent, where this browser has one. */
async function keptAgent(account: string): Promise<Key | undefined> {
  return (await unseal(`${AGENT} ${account}`)) as Key | undefined;
}

/** For the owner's eyes: the burner's key, to take it elsewhere. */
export async function exportBurner(): Promise<Key | undefined> {
  return (await unseal(BURNER)) as Key | undefined;
}

/** Erases every key of this account from the browser. What the account has stays at the venue. */
export async function eraseKeys(session: Session): Promise<void> {
  await dropAgent(session.address);
  if (session.kind === 'burner') await forget(BURNER);
  forgetView();
  setSession(undefined);
  tabs.postMessage(session.address);
}

/** A key that another tab erased is not used here any more, though this one still has it in its memory. */
function forgetErased({ data: address }: MessageEvent<unknown>): void {
  if (sessionStore.getState().session?.address === address) setSession(undefined);
}

type View = {
  readonly kind: 'wallet' | 'spectator';
  readonly address: string;
  /** Of the wallet that the account was opened with. */
  readonly rdns?: string | undefined;
};

/** Whose account was shown last, where that is not the burner's. */
export function keepView(view: View): void {
  keepText(VIEW, JSON.stringify(view));
}

export function forgetView(): void {
  keepText(VIEW, null);
}

/** Opens what the browser kept; call it once at the start. */
export async function restoreSession(): Promise<void> {
  tabs.addEventListener('message', forgetErased);
  const view = keptView();
  if (view !== undefined) {
    const { address, kind } = view;
    const trader = kind === 'wallet' ? await traderOf(address) : undefined;
    setSession({ kind, address, owner: undefined, ...(trader ?? NO_TRADER) });
    return;
  }
  const key = await exportBurner();
  if (key === undefined) {
    setSession(undefined);
    return;
  }
  const { clientOf, keyWallet } = await loadSigning();
  const wallet = keyWallet(key);
  const owner = clientOf(wallet);
  // A venue that was set up anew knows nobody: its visitor begins again, with the key that is there.
  const { exists } = await owner.accountStatus({ user: wallet.address });
  if (!exists) {
    setSession(undefined);
    return;
  }
  const trader = await traderOf(wallet.address);
  setSession({ kind: 'burner', address: wallet.address, owner, ...(trader ?? NO_TRADER) });
}

type Trader = Pick<Session, 'trader' | 'agentAddress'>;

/** The agent of an account, if this browser has its key and the venue still knows it. */
export async function traderOf(account: string): Promise<Trader | undefined> {
  const key = await keptAgent(account);
  if (key === undefined) return undefined;
  const { clientOf, keyWallet } = await loadSigning();
  const wallet = keyWallet(key);
  const trader = clientOf(wallet);
  const { owner } = await trader.info.agentOwner({ agent: wallet.address });
  if (owner === account) return { trader, agentAddress: wallet.address };
  trader.close();
  return undefined;
}

export const NO_TRADER: Trader = { trader: undefined, agentAddress: undefined };

export function keptView(): View | undefined {
  const text = readText(VIEW);
  if (text === null) return undefined;
  try {
    const { address, kind, rdns } = JSON.parse(text) as View;
    const isKnown = kind === 'wallet' || kind === 'spectator';
    return isKnown && /^0x[0-9a-f]{40}$/.test(address) ? { address, kind, rdns } : undefined;
  } catch {
    return undefined;
  }
}
