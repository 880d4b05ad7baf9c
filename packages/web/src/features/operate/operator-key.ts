import type { Client } from '@oddlot/sdk';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { loadSigning } from '../../session/load-signing.ts';

/**
 * An operator's key that was typed in here. What operators sign is bound to the venue's own chain, which browser
 * wallets do not know; so the key itself signs. It lives in the memory of this page alone and goes with it.
 */
type OperatorKey = { readonly address: string; readonly client: Client };

const store = createStore<{ readonly key: OperatorKey | undefined }>(() => ({ key: undefined }));

export function useOperatorKey(): OperatorKey | undefined {
  return useStore(store, ({ key }) => key);
}

const KEY = /^(?:0x)?[0-9a-fA-F]{64}$/;

/** The order of the curve: keys are the numbers below it, but for 0. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** What is wrong with a text as a key: it has another form, or no account can have it. */
export function faultOfKey(typed: string): 'form' | 'value' | undefined {
  if (!KEY.test(typed.trim())) return 'form';
  const value = BigInt(`0x${digitsOf(typed)}`);
  return value > 0n && value < ORDER ? undefined : 'value';
}

function digitsOf(typed: string): string {
  return typed.trim().replace(/^0x/i, '');
}

export async function openOperatorKey(typed: string): Promise<OperatorKey> {
  const { clientOf, keyWallet } = await loadSigning();
  const wallet = keyWallet(`0x${digitsOf(typed)}`);
  const key = { address: wallet.address, client: clientOf(wallet) };
  putOperatorKeyAway();
  store.setState({ key });
  return key;
}

export function putOperatorKeyAway(): void {
  store.getState().key?.client.close();
  store.setState({ key: undefined });
}
