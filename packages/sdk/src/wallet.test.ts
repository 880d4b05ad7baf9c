import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { privateKeyToAccount } from 'viem/accounts';
import { createHasher, type ActionInput } from '@oddlot/protocol';
import { SigningError, ValidationError } from './errors.ts';
import { signAction } from './exchange/sign-action.ts';
import {
  accountWallet,
  eip1193Wallet,
  privateKeyWallet,
  randomPrivateKey,
  type Eip1193Provider,
  type Wallet,
} from './wallet.ts';

/**
 * Goal: all wallets sign alike, and as the vectors say. The vectors were made by other libraries; the
 * keys behind the second and third wallet sign by viem, so neither side of the comparison is ours.
 */

type Hex = `0x${string}`;
type Case = {
  name: string;
  action: string;
  nonce: number;
  vaultAddress: string | null;
  signatureChainId: number | null;
  expiresAfter: number | null;
  serviceNetwork: string;
  chainId: number;
  apiVersion: number;
  privateKey: Hex;
  signature: { r: string; s: string; v: number };
  signer: string;
  txHash: string;
};

const { cases } = JSON.parse(
  readFileSync(new URL('../../../tests/vectors/signing.json', import.meta.url), 'utf8'),
) as { cases: Case[] };

/** A browser's wallet: it gets typed data as text, and nothing but that. */
function browserWallet(privateKey: Hex, chainId = 1): Eip1193Provider {
  const account = privateKeyToAccount(privateKey);
  return {
    request: async ({ method, params }) => {
      if (method === 'eth_chainId') return `0x${chainId.toString(16)}`;
      const { domain, types, primaryType, message } = JSON.parse(params?.[1] as string);
      return account.signTypedData({ domain, types, primaryType, message });
    },
  };
}

const WALLETS: Record<string, (key: Hex) => Wallet> = {
  'a private key': privateKeyWallet,
  'an account of viem': (key) => accountWallet(privateKeyToAccount(key)),
  'a browser wallet': (key) => eip1193Wallet(browserWallet(key), privateKeyToAccount(key).address),
};

async function signed(given: Case, wallet: Wallet) {
  const hasher = createHasher(given);
  const fields = {
    nonce: given.nonce,
    vaultAddress: given.vaultAddress ?? undefined,
    signatureChainId: given.signatureChainId ?? undefined,
    expiresAfter: given.expiresAfter ?? undefined,
  };
  return signAction(JSON.parse(given.action) as ActionInput, fields, { hasher, wallet });
}

describe.each(Object.entries(WALLETS))('%s signs as the vectors say', (_, walletOf) => {
  test.each(cases.map((given) => [given.name, given] as const))('%s', async (_name, given) => {
    const wallet = walletOf(given.privateKey);
    expect(wallet.address).toBe(given.signer);
    const { body, txHash } = await signed(given, wallet);
    const envelope = JSON.parse(body);
    expect(envelope.signature).toEqual(given.signature);
    expect(txHash).toBe(given.txHash);
    expect(body.startsWith(`{"action":${given.action},`)).toBe(true);
  });
});

const aCase = cases.find(({ name }) => name === 'order-gtc')!;

test('a wallet that signs with another key than it says is found out', async () => {
  const other = privateKeyToAccount(randomPrivateKey()).address;
  const wallet = eip1193Wallet(browserWallet(aCase.privateKey), other);
  await expect(signed(aCase, wallet)).rejects.toThrow(SigningError);
  await expect(signed(aCase, wallet)).rejects.toThrow(`signed as ${aCase.signer}`);
});

test('a person who declines is a signing error with the cause', async () => {
  const cause = new Error('User rejected the request');
  const provider = { request: () => Promise.reject(cause) };
  const failed = signed(aCase, eip1193Wallet(provider, aCase.signer));
  await expect(failed).rejects.toMatchObject({ name: 'SigningError', cause });
});

test('a signature in its malleable form is brought into the accepted one', async () => {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const { r, s, v } = aCase.signature;
  const highS = (order - BigInt(s)).toString(16).padStart(64, '0');
  const mirrored = `${r}${highS}${(v === 27 ? 28 : 27).toString(16)}`;
  const wallet = eip1193Wallet({ request: async () => mirrored }, aCase.signer);
  expect(JSON.parse((await signed(aCase, wallet)).body).signature).toEqual(aCase.signature);
});

test('an answer that is no signature is refused', async () => {
  const wallet = eip1193Wallet({ request: async () => '0x1234' }, aCase.signer);
  await expect(signed(aCase, wallet)).rejects.toThrow('not a signature: 0x1234');
});

test('a bad key is refused without being repeated', () => {
  expect(() => privateKeyWallet('0xsecret')).toThrow(SigningError);
  expect(() => privateKeyWallet('0xsecret')).not.toThrow('secret');
  expect(() => privateKeyWallet(`0x${'0'.repeat(64)}`)).toThrow('zero');
});

test('a wallet does not show its key', () => {
  const key = randomPrivateKey();
  expect(JSON.stringify(privateKeyWallet(key))).not.toContain(key.slice(2));
});

describe('what the venue would refuse for its form is found before anyone signs', () => {
  const wallet: Wallet = {
    ...privateKeyWallet(aCase.privateKey),
    sign: () => Promise.reject(new Error('must not be asked')),
  };
  const order = JSON.parse(aCase.action).orders[0];
  const approval = {
    type: 'approveAgent',
    serviceNetwork: 'X',
    chainId: 1,
    apiVersion: 1,
    agentAddress: aCase.signer,
    nonce: 1,
  };
  test.each<[string, object, object, string]>([
    [
      'a misspelt key',
      { type: 'order', grouping: 'na', orders: [{ ...order, q: 1 }] },
      {},
      'order',
    ],
    [
      'a number for a price',
      { type: 'order', grouping: 'na', orders: [{ ...order, p: 1 }] },
      {},
      'p',
    ],
    ['no entries', { type: 'cancel', cancels: [] }, {}, '1 to 200'],
    ['a vault on a direct action', approval, { vaultAddress: aCase.signer }, 'vaultAddress'],
    ['an expiry on a direct action', approval, { expiresAfter: 1 }, 'expiresAfter'],
  ])('%s', async (_, action, extra, message) => {
    const failed = signAction(
      action as ActionInput,
      { nonce: 1, ...extra },
      { hasher: createHasher(aCase), wallet },
    );
    await expect(failed).rejects.toThrow(ValidationError);
    await expect(failed).rejects.toThrow(message);
  });
});
