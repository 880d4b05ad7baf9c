import { encode } from '@msgpack/msgpack';
import { ethers } from 'ethers';
import { addressOf, nextNonce, TESTNET, type Envelope, type JsonObject } from './wallet.ts';

/**
 * A second implementation of the three signing schemes that uses only ethers. All it shares with
 * the tests' other signing code is the specification and the MessagePack library.
 */

type Field = { readonly name: string; readonly type: string };
export type EthersOptions = { readonly nonce?: number; readonly signatureChainId?: number };

const field = (type: string, name: string): Field => ({ name, type });
const HEAD = [
  field('string', 'serviceNetwork'),
  field('uint32', 'chainId'),
  field('uint32', 'apiVersion'),
];
const WRAPPED = [field('address', 'payloadMultiSigUser'), field('address', 'outerSigner')];
const NONCE = [field('uint64', 'nonce')];

const BODIES: Readonly<Record<string, readonly Field[]>> = {
  tokenSend: [
    field('address', 'destination'),
    field('uint32', 'token'),
    field('string', 'amount'),
    field('string', 'fromAccountType'),
    field('string', 'toAccountType'),
  ],
  convertToMultiSigUser: [field('string', 'signers')],
};

export async function signAgentWithEthers(key: string, action: JsonObject): Promise<Envelope> {
  const nonce = nextNonce();
  const message = { connectionId: hashed(encode(action), nonce) };
  const types = { Agent: [...HEAD, field('bytes32', 'connectionId')] };
  return { action, nonce, signature: await typed(key, types, message) };
}

export async function signDirectWithEthers(
  key: string,
  type: string,
  fields: JsonObject,
  options: EthersOptions = {},
): Promise<Envelope> {
  const { nonce = nextNonce(), signatureChainId } = options;
  const message = { ...fields, nonce };
  const types = { [nameOf(type)]: [...HEAD, ...bodyOf(type), ...NONCE] };
  return {
    action: { type, ...TESTNET, ...message },
    nonce,
    signature: await typed(key, types, message, signatureChainId),
    ...(signatureChainId === undefined ? {} : { signatureChainId }),
  };
}

/**
 * Signs a wrapper. `action` is either an agent-signed action, or just the action-specific fields of
 * a direct action.
 */
export async function signMultiSigWithEthers(
  multiSigUser: string,
  action: JsonObject & { readonly type: string },
  keys: { readonly outer: string; readonly inner: readonly string[] },
): Promise<Envelope> {
  const nonce = nextNonce();
  const outerSigner = addressOf(keys.outer as `0x${string}`);
  const isDirect = Object.hasOwn(BODIES, action.type);
  const { type, ...fields } = action;
  const content = isDirect ? { type, ...TESTNET, ...fields, nonce } : action;
  const types = isDirect
    ? { [nameOf(type)]: [...HEAD, ...WRAPPED, ...bodyOf(type), ...NONCE] }
    : { Agent: [...HEAD, field('bytes32', 'connectionId')] };
  const message = isDirect
    ? { ...fields, payloadMultiSigUser: multiSigUser, outerSigner, nonce }
    : { connectionId: hashed(encode([multiSigUser, outerSigner, action]), nonce) };
  const signatures = [];
  for (const key of keys.inner) signatures.push(await typed(key, types, message));
  const body = { signatures, payload: { multiSigUser, outerSigner, action: content } };
  const outer = { SendMultiSig: [...HEAD, field('bytes32', 'multiSigActionHash'), ...NONCE] };
  const signature = await typed(keys.outer, outer, {
    multiSigActionHash: hashed(encode(body), nonce),
    nonce,
  });
  return { action: { type: 'multiSig', ...body }, nonce, signature };
}

/** Returns the hash of an action and its nonce, with neither a vault nor an expiry. */
function hashed(packed: Uint8Array, nonce: number): string {
  const nonceBytes = ethers.toBeHex(nonce, 8);
  return ethers.keccak256(ethers.concat([packed, nonceBytes, '0x00']));
}

async function typed(
  key: string,
  types: Record<string, Field[]>,
  message: JsonObject,
  chainId = TESTNET.chainId,
): Promise<{ r: string; s: string; v: number }> {
  const domain = {
    name: TESTNET.serviceNetwork,
    version: String(TESTNET.apiVersion),
    chainId,
    verifyingContract: ethers.ZeroAddress,
  };
  const wallet = new ethers.Wallet(key);
  const flat = await wallet.signTypedData(domain, types, { ...TESTNET, ...message });
  const { r, s, v } = ethers.Signature.from(flat);
  return { r, s, v };
}

function bodyOf(type: string): readonly Field[] {
  const body = BODIES[type];
  if (body === undefined) throw new Error(`${type} is not a direct action of this signer`);
  return body;
}

function nameOf(type: string): string {
  return type.charAt(0).toUpperCase() + type.slice(1);
}
