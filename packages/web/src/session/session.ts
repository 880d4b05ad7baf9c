import type { Client } from '@oddlot/sdk';
import { createStore } from 'zustand/vanilla';
import { connection } from '../market/venue.ts';
import { keepText, readText } from '../lib/local-texts.ts';

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
