import type { Client, Wallet } from '@oddlot/sdk';
import { createStore } from 'zustand/vanilla';
import { connection, reader } from '../market/venue.ts';
import { keepText, readText } from '../lib/local-texts.ts';
import { useStore } from 'zustand';
import { queryClient } from '../market/queries.ts';
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
