import type { Client } from '@oddlot/sdk';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { loadSigning } from '../../session/load-signing.ts';

/**
 * An operator's key that was typed in here. What operators sign is bound to the venue's own chain, which browser
 * wallets do not know; so the key itself signs. It lives in the memory of this page alone and goes with it.
 */
export type OperatorKey = { readonly address: string; readonly client: Client };

const store = createStore<{ readonly key: OperatorKey | undefined }>(() => ({ key: undefined }));

export function useOperatorKey(): OperatorKey | undefined {
  return useStore(store, ({ key }) => key);
}

const KEY = /^(?:0x)?[0-9a-fA-F]{64}$/;

export function isKey(typed: string): boolean {
  return KEY.test(typed.trim());
}

export async function openOperatorKey(typed: string): Promise<OperatorKey> {
  const digits = typed.trim().replace(/^0x/i, '');
  const { clientOf, keyWallet } = await loadSigning();
  const wallet = keyWallet(`0x${digits}`);
  const key = { address: wallet.address, client: clientOf(wallet) };
  putOperatorKeyAway();
  store.setState({ key });
  return key;
}

export function putOperatorKeyAway(): void {
  store.getState().key?.client.close();
  store.setState({ key: undefined });
}
