import { secp256k1 } from '@noble/curves/secp256k1.js';
import {
  addressOf,
  bytesToHex,
  HALF_ORDER,
  hexToBytes,
  isLowS,
  recoverSigner,
  recoveryOf,
  type SignatureHex,
} from '@oddlot/protocol';
import { type Address, address } from '@oddlot/units';
import { SigningError } from './errors.ts';
import type { TypedData } from './typed-data.ts';

/** A request for a signature, with the digest and its typed data. */
export type SigningRequest = {
  /** The 32 bytes to sign. */
  readonly digest: Uint8Array;
  /** Returns the typed data. It is called only for wallets that need typed data. */
  readonly typedData: () => TypedData;
};

/** A signer of requests. For the same key and request, all adapters return the same signature. */
export interface Wallet {
  /** The address in lower case. */
  readonly address: Address;
  /**
   * True if a user confirms each signature, so signatures should not be requested repeatedly
   * without need.
   */
  readonly isInteractive: boolean;
  sign(request: SigningRequest): Promise<SignatureHex>;
  /**
   * Returns the chain that the wallet requires in the domain. Absent if the wallet accepts any
   * chain.
   */
  chainId?(): Promise<number>;
}

/**
 * Creates a wallet from a key in memory, such as an agent's key. The digest is signed directly,
 * without a wallet library.
 */
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

/**
 * Generates a random key for an agent. To keep trading after a restart, store the key: there is no
 * other copy.
 */
export function randomPrivateKey(): `0x${string}` {
  return bytesToHex(secp256k1.utils.randomSecretKey());
}

/** The part of a viem `LocalAccount` that the client uses. */
export type TypedDataAccount = {
  readonly address: string;
  signTypedData(parameters: {
    domain: TypedData['domain'];
    types: Record<string, unknown>;
    primaryType: string;
    message: Record<string, unknown>;
  }): Promise<string>;
};

/** Creates a wallet from a viem account, or from any other signer of typed data. */
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

/** A wallet with an EIP-1193 interface, such as a browser's `window.ethereum`. */
export type Eip1193Provider = {
  request(call: { method: string; params?: unknown[] }): Promise<unknown>;
};

/**
 * Creates a wallet whose user confirms each signature. It signs only for the chain to which it is
 * connected, so direct actions name that chain in `signatureChainId`. Trading actions are bound to
 * the venue's own chain: approve an agent with this wallet, and trade with the agent.
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
  // The message does not contain the key, because errors are often logged.
  if (!/^0x[0-9a-fA-F]{64}$/.test(privateKey)) {
    throw new SigningError('Invalid private key. Use 0x followed by 64 hex digits');
  }
  const key = hexToBytes(privateKey);
  if (secp256k1.utils.isValidSecretKey(key)) return key;
  throw new SigningError('The private key is zero or beyond the order of the curve');
}

/** The part of an ethers `Signer` (version 6) that the client uses. */
export type EthersSigner = {
  /** The signer's key, if it has one. */
  readonly signingKey?: unknown;
  readonly provider: { getNetwork(): Promise<{ readonly chainId: bigint }> } | null;
  getAddress(): Promise<string>;
  signTypedData(
    domain: TypedData['domain'],
    types: Record<string, { name: string; type: string }[]>,
    value: Record<string, unknown>,
  ): Promise<string>;
};

/**
 * Creates a wallet from an ethers signer. A signer with a key signs for any chain; a browser
 * wallet's signer is bound to its chain, like `eip1193Wallet`.
 */
export async function ethersWallet(signer: EthersSigner): Promise<Wallet> {
  const own = readAddress(await asked(() => signer.getAddress()));
  const { provider } = signer;
  const holdsKey = signer.signingKey !== undefined;
  const chainId = async (): Promise<number> =>
    readChainId((await asked(async () => provider?.getNetwork()))?.chainId);
  return {
    address: own,
    isInteractive: !holdsKey,
    ...(holdsKey || provider === null ? {} : { chainId }),
    sign: async ({ digest, typedData }) => {
      const { domain, types, primaryType, message } = typedData();
      // Ethers adds the domain type itself, and treats a second one as an unused struct.
      const fields = (types[primaryType] ?? []).map((field) => ({ ...field }));
      const signature = await asked(() =>
        signer.signTypedData({ ...domain }, { [primaryType]: fields }, { ...message }),
      );
      return readSignature(signature, { digest, signer: own });
    },
  };
}

/** The part of a viem `WalletClient` that the client uses. */
export type TypedDataClient = {
  /**
   * The account. A local account holds its key; other accounts sign through the client's transport.
   */
  readonly account?: { readonly address: string; readonly type: string } | undefined;
  getChainId(): Promise<number>;
  signTypedData(parameters: {
    account: never;
    domain: TypedData['domain'];
    types: Record<string, unknown>;
    primaryType: string;
    message: Record<string, unknown>;
  }): Promise<string>;
};

/**
 * Creates a wallet from a viem `WalletClient`. With a local account, it signs for any chain. With
 * an account behind a transport, it is bound to that account's chain, like `eip1193Wallet`. A
 * client without an account needs the signing address.
 */
export function walletClientWallet(client: TypedDataClient, account?: string): Wallet {
  const named = account ?? client.account?.address;
  if (named === undefined) throw new SigningError('The wallet client has no account. Pass one');
  const own = readAddress(named);
  const holder = client.account;
  const isLocal = holder?.type === 'local' && holder.address.toLowerCase() === own;
  return {
    address: own,
    isInteractive: !isLocal,
    ...(isLocal
      ? {}
      : { chainId: async () => readChainId(await asked(() => client.getChainId())) }),
    sign: async ({ digest, typedData }) => {
      const { domain, types, primaryType, message } = typedData();
      const parameters = {
        account: (isLocal ? holder : own) as never,
        domain,
        types: { ...types },
        primaryType,
        message: { ...message },
      };
      const signature = await asked(() => client.signTypedData(parameters));
      return readSignature(signature, { digest, signer: own });
    },
  };
}

/**
 * Converts an error of an external wallet to a `SigningError` with the original error as its cause.
 */
export async function asked<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SigningError(`The wallet did not sign: ${why}`, { cause });
  }
}

const SIGNATURE_PATTERN = /^0x[0-9a-fA-F]{130}$/;

/**
 * Reads the 65 bytes of a wallet's response. The signer is verified here because the venue could
 * only report that it is unknown.
 */
export function readSignature(
  answer: unknown,
  { digest, signer }: { digest: Uint8Array; signer: Address },
): SignatureHex {
  if (typeof answer !== 'string' || !SIGNATURE_PATTERN.test(answer)) {
    throw new SigningError(`The wallet's answer is not a signature: ${String(answer)}`);
  }
  const digits = answer.slice(2).toLowerCase();
  const recovery = Number.parseInt(digits.slice(128), 16);
  const v = recoveryOf(recovery);
  if (v === undefined) throw new SigningError(`The wallet answered with v = ${recovery}`);
  const read: SignatureHex = { r: `0x${digits.slice(0, 64)}`, s: `0x${digits.slice(64, 128)}`, v };
  const signature = isLowS(read) ? read : mirrored(read);
  const recovered = recoverSigner(digest, signature);
  if (recovered === signer) return signature;
  throw new SigningError(`The wallet signed as ${recovered ?? 'unknown'}, not as ${signer}`);
}

/**
 * Returns the same signature in the form that the venue requires, with `s` in the lower half of the
 * curve order.
 */
function mirrored({ r, s, v }: SignatureHex): SignatureHex {
  const lowS = HALF_ORDER * 2n + 1n - BigInt(s);
  return { r, s: `0x${lowS.toString(16).padStart(64, '0')}`, v: v === 27 ? 28 : 27 };
}

/** Reads an address and returns it in lower case. */
export function readAddress(text: string): Address {
  const lower = text.toLowerCase();
  if (/^0x[0-9a-f]{40}$/.test(lower)) return address(lower);
  throw new SigningError(`Not an address: ${text}`);
}

/** Reads a chain id from a number, or from a string such as `0x1`. */
export function readChainId(answer: unknown): number {
  const chainId = Number(answer);
  if (Number.isSafeInteger(chainId) && chainId > 0) return chainId;
  throw new SigningError(`The wallet did not name a chain: ${String(answer)}`);
}
