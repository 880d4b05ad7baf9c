import { BrowserProvider, Wallet as EthersKey } from 'ethers';
import { createWalletClient, custom } from 'viem';
import { describe, expect, test } from 'vitest';
import { privateKeyToAccount } from 'viem/accounts';
import { createHasher, type ActionInput } from '@oddlot/protocol';
import { SigningError, ValidationError } from './errors.ts';
import {
  accountWallet,
  type Eip1193Provider,
  eip1193Wallet,
  ethersWallet,
  privateKeyWallet,
  randomPrivateKey,
  type Wallet,
  walletClientWallet,
} from './wallet.ts';
import { signProposal } from './exchange/multi-sig.ts';
import { signAction } from './exchange/sign-action.ts';
import { signAsSent } from '@oddlot/testing/sdk/sign-as-sent';
import { domainChainOf, vectorOf, VECTORS, type Vector } from '@oddlot/testing/sdk/vectors';

/**
 * The vectors were generated with other libraries, and viem signs with the keys of all wallets
 * except the first, so both sides of the comparison are independent.
 */

type Hex = `0x${string}`;

/** A browser wallet that receives typed data as JSON and signs only for its own chain. */
function browserWallet(privateKey: Hex, chainId = 1): Eip1193Provider {
  const account = privateKeyToAccount(privateKey);
  return {
    request: async ({ method, params }) => {
      if (method === 'eth_chainId') return `0x${chainId.toString(16)}`;
      if (method === 'eth_accounts') return [account.address];
      const text = params?.[1] as string;
      const { domain } = JSON.parse(text);
      if (Number(domain.chainId) !== chainId) throw new Error(`not for ${domain.chainId}`);
      return signAsSent(account, text);
    },
  };
}

/** A function that creates a wallet from a key, connected to a chain. */
type MakeWallet = (key: Hex, chainId: number) => Wallet | Promise<Wallet>;

const WALLETS: Record<string, MakeWallet> = {
  'a private key': (key) => privateKeyWallet(key),
  'an account of viem': (key) => accountWallet(privateKeyToAccount(key)),
  'a wallet client of viem with its own key': (key) => {
    const transport = custom({ request: () => Promise.reject(new Error('must not be asked')) });
    return walletClientWallet(createWalletClient({ account: privateKeyToAccount(key), transport }));
  },
  'a wallet client of viem behind a transport': (key, chainId) => {
    const { address: account } = privateKeyToAccount(key);
    const transport = custom(browserWallet(key, chainId));
    return walletClientWallet(createWalletClient({ account, transport }));
  },
  'a wallet of ethers': (key) => ethersWallet(new EthersKey(key)),
  'a signer of ethers in a browser': async (key, chainId) => {
    const provider = new BrowserProvider(browserWallet(key, chainId));
    return ethersWallet(await provider.getSigner(privateKeyToAccount(key).address));
  },
  'a browser wallet': (key, chainId) =>
    eip1193Wallet(browserWallet(key, chainId), privateKeyToAccount(key).address),
};

async function signed(given: Vector, wallet: Wallet) {
  const hasher = createHasher(given);
  const fields = {
    nonce: given.nonce,
    vaultAddress: given.vaultAddress ?? undefined,
    signatureChainId: given.signatureChainId ?? undefined,
    expiresAfter: given.expiresAfter ?? undefined,
  };
  return signAction(JSON.parse(given.action) as ActionInput, fields, { hasher, wallet });
}

/**
 * The wallets that sign every vector. The others differ only in how they are called, so they sign
 * only a selection.
 */
const ASKED_FOR_ALL = ['a private key', 'an account of viem', 'a browser wallet'];
const SELECTION = VECTORS.filter(
  ({ name, scheme }) => scheme !== 'agent' || /^order-(?:gtc|vault-expiresAfter)$/.test(name),
);

describe.each(Object.entries(WALLETS))('the signatures of %s', (kind, walletOf) => {
  const vectors = ASKED_FOR_ALL.includes(kind) ? VECTORS : SELECTION;
  test.each(vectors.map((given) => [given.name, given] as const))(
    'the signature of "%s" matches its vector',
    async (_name, given) => {
      const wallet = await walletOf(given.privateKey, domainChainOf(given));
      expect(wallet.address).toBe(given.signer);
      const { body, txHash } = await signed(given, wallet);
      const envelope = JSON.parse(body);
      expect(envelope.signature).toEqual(given.signature);
      expect(txHash).toBe(given.txHash);
      expect(body.startsWith(`{"action":${given.action},`)).toBe(true);
    },
  );

  const wrappers = VECTORS.filter(({ scheme }) => scheme === 'multiSig');
  test.each(wrappers.map((given) => [given.name, given] as const))(
    'the inner signatures of "%s" match its vector',
    async (_name, given) => {
      const { signatures, payload } = JSON.parse(given.action);
      const { nonce, chainId } = given;
      const vaultAddress = given.vaultAddress ?? undefined;
      const expiresAfter = given.expiresAfter ?? undefined;
      const signatureChainId = given.signatureChainId ?? undefined;
      const envelope = { nonce, vaultAddress, expiresAfter, signatureChainId };
      // The inner signature of a trading action is always for the network's own chain.
      const innerChainId = payload.action.type === 'order' ? chainId : domainChainOf(given);
      const made = await Promise.all(
        (given.inner?.signers ?? []).map(async ({ privateKey }) => {
          const wallet = await walletOf(privateKey, innerChainId);
          return signProposal({ ...payload, ...envelope }, { wallet, network: given });
        }),
      );
      expect(made).toEqual(signatures);
    },
  );
});

const aCase = vectorOf('order-gtc');

describe('a wallet that is bound to another chain signs only direct actions', () => {
  const direct = vectorOf('tokenSend-own');
  const bound = Object.entries(WALLETS).filter(([name]) => /browser|transport/.test(name));

  test.each(bound)(
    '%s is not asked to sign an order, which its agent must sign',
    async (_, walletOf) => {
      const failed = signed(aCase, await walletOf(aCase.privateKey, 1));
      await expect(failed).rejects.toThrow(SigningError);
      await expect(failed).rejects.toThrow(
        /signs for chain 1 only, but order is signed for the venue's chain 2511.*approveAgent/,
      );
    },
  );

  test.each(bound)(
    '%s is not asked to sign a direct action for another chain',
    async (_, walletOf) => {
      const failed = signed(direct, await walletOf(direct.privateKey, 1));
      await expect(failed).rejects.toThrow(/tokenSend is signed for 2511.*signatureChainId/);
    },
  );

  test('the error for an operator action requires the key of an admin', async () => {
    const operator = vectorOf('venueAdmin-setPerp');
    const wallet = eip1193Wallet(browserWallet(operator.privateKey), operator.signer);
    await expect(signed(operator, wallet)).rejects.toThrow(/with the admin's key/);
  });
});

test('a wallet client without an account needs an address', async () => {
  const client = createWalletClient({ transport: custom(browserWallet(aCase.privateKey, 2511)) });
  expect(() => walletClientWallet(client)).toThrow('has no account');
  const { body } = await signed(aCase, walletClientWallet(client, aCase.signer));
  expect(JSON.parse(body).signature).toEqual(aCase.signature);
});

test('a wallet whose signatures do not match its address is rejected', async () => {
  const other = privateKeyToAccount(randomPrivateKey()).address;
  const wallet = eip1193Wallet(browserWallet(aCase.privateKey, aCase.chainId), other);
  await expect(signed(aCase, wallet)).rejects.toThrow(SigningError);
  await expect(signed(aCase, wallet)).rejects.toThrow(`signed as ${aCase.signer}`);
});

/** Creates a wallet on the right chain with a fixed response to every signing request. */
function answering(answer: unknown): Eip1193Provider {
  return { request: async ({ method }) => (method === 'eth_chainId' ? aCase.chainId : answer) };
}

test("a user's rejection becomes a SigningError that keeps its cause", async () => {
  const cause = new Error('User rejected the request');
  const provider = answering(Promise.reject(cause));
  const failed = signed(aCase, eip1193Wallet(provider, aCase.signer));
  await expect(failed).rejects.toMatchObject({ name: 'SigningError', cause });
});

test('a malleable signature is converted to the accepted form', async () => {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const { r, s, v } = aCase.signature;
  const highS = (order - BigInt(s)).toString(16).padStart(64, '0');
  const mirrored = `${r}${highS}${(v === 27 ? 28 : 27).toString(16)}`;
  const wallet = eip1193Wallet(answering(mirrored), aCase.signer);
  expect(JSON.parse((await signed(aCase, wallet)).body).signature).toEqual(aCase.signature);
});

test('a response that is not a signature is rejected', async () => {
  const wallet = eip1193Wallet(answering('0x1234'), aCase.signer);
  await expect(signed(aCase, wallet)).rejects.toThrow('not a signature: 0x1234');
});

test('the error for an invalid key does not contain the key', () => {
  expect(() => privateKeyWallet('0xsecret')).toThrow(SigningError);
  expect(() => privateKeyWallet('0xsecret')).not.toThrow('secret');
  expect(() => privateKeyWallet(`0x${'0'.repeat(64)}`)).toThrow('zero');
});

test('the JSON of a wallet does not contain its key', () => {
  const key = randomPrivateKey();
  expect(JSON.stringify(privateKeyWallet(key))).not.toContain(key.slice(2));
});

describe('malformed requests are not signed', () => {
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
  ])('signAction rejects an action with %s', async (_, action, extra, message) => {
    const failed = signAction(
      action as ActionInput,
      { nonce: 1, ...extra },
      { hasher: createHasher(aCase), wallet },
    );
    await expect(failed).rejects.toThrow(ValidationError);
    await expect(failed).rejects.toThrow(message);
  });
});
