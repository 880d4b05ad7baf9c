import type { Client, Wallet } from '@oddlot/sdk';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { keepText, readText } from '../lib/browser.ts';
import { queryClient } from '../market/queries.ts';
import { connection, reader } from '../market/venue.ts';
import { forget, seal, unseal } from './key-safe.ts';
import type { Signing } from './signing.ts';

/**
 * The kind of a session. An account key also signs transfers and approvals, whereas an agent key
 * signs only trades.
 */

type SessionKind = 'burner' | 'wallet' | 'spectator';

export type Session = {
  readonly kind: SessionKind;
  readonly address: string;
  readonly owner: Client | undefined;
  readonly trader: Client | undefined;
  readonly agentAddress: string | undefined;
};

type SessionState = { readonly isLoaded: boolean; readonly session: Session | undefined };

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

/**
 * Returns true if this browser had an account. The value is available before the keys are loaded,
 * but may be outdated.
 */
export function hadAccount(): boolean {
  return readText(HAS_ACCOUNT) !== null;
}

/** Returns false while the displayed data is not live. Actions are disabled during that time. */
export function isLive(): boolean {
  return connection.getState().status !== 'lost';
}

export function useSession(): Session | undefined {
  return useStore(sessionStore, ({ session }) => session);
}

export function useIsSessionLoaded(): boolean {
  return useStore(sessionStore, ({ isLoaded }) => isLoaded);
}

export async function loadSigning(): Promise<
  Omit<Signing, 'clientOf'> & { readonly clientOf: (wallet: Wallet) => Client }
> {
  const [{ signing }, settings] = await Promise.all([
    import('./signing.ts'),
    queryClient.ensureQueryData({ queryKey: ['settings'], queryFn: () => reader.info.settings() }),
  ]);
  return { ...signing, clientOf: (wallet) => signing.clientOf(wallet, settings) };
}

const BURNER = 'burner';
const AGENT = 'agent';
const VIEW = 'oddlot.view';

const tabs = new BroadcastChannel('oddlot.erased');

type Key = `0x${string}`;
export async function keepBurner(key: Key): Promise<void> {
  await seal(BURNER, key);
}

export async function keepAgent(agent: Readonly<{ account: string; key: Key }>): Promise<void> {
  await seal(`${AGENT} ${agent.account}`, agent.key);
}

export async function dropAgent(account: string): Promise<void> {
  await forget(`${AGENT} ${account}`);
}

async function storedAgent(account: string): Promise<Key | undefined> {
  return (await unseal(`${AGENT} ${account}`)) as Key | undefined;
}

export async function exportBurner(): Promise<Key | undefined> {
  return (await unseal(BURNER)) as Key | undefined;
}

export async function eraseKeys(session: Session): Promise<void> {
  await dropAgent(session.address);
  if (session.kind === 'burner') await forget(BURNER);
  forgetView();
  setSession(undefined);
  tabs.postMessage(session.address);
}

/** Removes a key from this tab's memory if another tab has erased it. */
function forgetErased({ data: address }: MessageEvent<unknown>): void {
  if (sessionStore.getState().session?.address === address) setSession(undefined);
}

type View = Readonly<{ kind: 'wallet' | 'spectator'; address: string; rdns?: string | undefined }>;

export function keepView(view: View): void {
  keepText(VIEW, JSON.stringify(view));
}

export function forgetView(): void {
  keepText(VIEW, null);
}

const AGAIN_MS = 2_000;
const AGAIN_MAX_MS = 30_000;

/** Tries again after a failure, so that an outage of the venue does not sign the user out. */
export async function restoreSession(): Promise<void> {
  tabs.addEventListener('message', forgetErased);
  for (let waitMs = AGAIN_MS; ; waitMs = Math.min(2 * waitMs, AGAIN_MAX_MS)) {
    const before = sessionStore.getState().session;
    const stored = await storedSession().then(
      (session) => ({ session }),
      () => undefined,
    );
    // The user may have connected another account in the meantime.
    if (sessionStore.getState().session !== before) return;
    setSession(stored?.session);
    if (stored !== undefined) return;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    if (sessionStore.getState().session !== undefined) return;
  }
}

async function storedSession(): Promise<Session | undefined> {
  const view = storedView();
  if (view !== undefined) {
    const { address, kind } = view;
    const trader = kind === 'wallet' ? await traderOf(address) : undefined;
    return { kind, address, owner: undefined, ...(trader ?? NO_TRADER) };
  }
  const key = await exportBurner();
  if (key === undefined) return undefined;
  const { clientOf, keyWallet } = await loadSigning();
  const wallet = keyWallet(key);
  const owner = clientOf(wallet);
  // After a reset of the venue, the account of a stored key must be opened again.
  const { exists } = await owner.accountStatus({ user: wallet.address });
  if (!exists) return undefined;
  const trader = await traderOf(wallet.address);
  return { kind: 'burner', address: wallet.address, owner, ...(trader ?? NO_TRADER) };
}

type Trader = Pick<Session, 'trader' | 'agentAddress'>;

export async function traderOf(account: string): Promise<Trader | undefined> {
  const key = await storedAgent(account);
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

export function storedView(): View | undefined {
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
