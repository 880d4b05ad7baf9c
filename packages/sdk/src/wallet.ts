import { secp256k1 } from '@noble/curves/secp256k1.js';
import { addressOf, bytesToHex, hexToBytes, type SignatureHex } from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import { SigningError } from './errors.ts';
import type { TypedData } from './typed-data.ts';
import { asked, readAddress, readChainId, readSignature } from './wallet-answer.ts';

/** What a wallet is asked to sign: the digest, and the typed data that it is the digest of. */
export type SigningRequest = {
  /** 32 bytes. */
  readonly digest: Uint8Array;
  /** Built only for wallets that need it. */
  readonly typedData: () => TypedData;
};

/** Someone who signs. All adapters give the same signature for the same key and request. */
export interface Wallet {
  /** In lower case. */
  readonly address: Address;
  /** A person confirms each signature, so none is asked for twice without need. */
  readonly isInteractive: boolean;
  sign(request: SigningRequest): Promise<SignatureHex>;
  /** The chain that the wallet insists on having in the domain; absent when any will do. */
  chainId?(): Promise<number>;
}

/** A key in memory, such as an agent's. It signs the digest itself, without a wallet library. */
export function privateKeyWallet(privateKey: `0x${string}`): Wallet {
  const key = readKey(privateKey);
  return {
    address: addressOf(secp256k1.getPublicKey(key, false)),
    isInteractive: false,
    sign: async ({ digest }) => {
      const bytes = secp256k1.sign(digest, key, { prehash: false, format: 'recovered' });
      return {
        r: bytesToHex(bytes.subarray(1, 33)),
        s: bytesToHex(bytes.subarray(33, 65)),
        v: bytes[0] === 0 ? 27 : 28,
      };
    },
  };
}

/** A new random key for an agent. Keep it to trade after a restart; nobody else has it. */
export function randomPrivateKey(): `0x${string}` {
  return bytesToHex(secp256k1.utils.randomSecretKey());
}

/** The part of a viem `LocalAccount` that is used. */
export type TypedDataAccount = {
  readonly address: string;
  signTypedData(parameters: {
    domain: TypedData['domain'];
    types: Record<string, unknown>;
    primaryType: string;
    message: Record<string, unknown>;
  }): Promise<string>;
};

/** An account of viem, or anything else that signs typed data. */
export function accountWallet(account: TypedDataAccount): Wallet {
  const own = readAddress(account.address);
  return {
    address: own,
    isInteractive: false,
    sign: async ({ digest, typedData }) => {
      const { domain, types, primaryType, message } = typedData();
      const parameters = { domain, types: { ...types }, primaryType, message: { ...message } };
      const signature = await asked(() => account.signTypedData(parameters));
      return readSignature(signature, { digest, signer: own });
    },
  };
}

/** A wallet behind EIP-1193, such as a browser's `window.ethereum`. */
export type Eip1193Provider = {
  request(call: { method: string; params?: unknown[] }): Promise<unknown>;
};

/**
 * A wallet that asks a person. Such wallets sign only for the chain that they are connected to, so
 * direct actions name that chain in `signatureChainId`. Trading actions are bound to the venue's own
 * chain: approve an agent with this wallet, and let the agent trade.
 */
export function eip1193Wallet(provider: Eip1193Provider, account: string): Wallet {
  const own = readAddress(account);
  return {
    address: own,
    isInteractive: true,
    chainId: async () => {
      const answer = await asked(() => provider.request({ method: 'eth_chainId' }));
      return readChainId(answer);
    },
    sign: async ({ digest, typedData }) => {
      const params = [own, JSON.stringify(typedData())];
      const call = { method: 'eth_signTypedData_v4', params };
      return readSignature(await asked(() => provider.request(call)), { digest, signer: own });
    },
  };
}

function readKey(privateKey: string): Uint8Array {
  // The value stays out of the message: errors end up in logs.
  if (!/^0x[0-9a-fA-F]{64}$/.test(privateKey)) {
    throw new SigningError('Invalid private key. Use 0x followed by 64 hex digits');
  }
  const key = hexToBytes(privateKey);
  if (secp256k1.utils.isValidSecretKey(key)) return key;
  throw new SigningError('The private key is zero or beyond the order of the curve');
}
