import {
  bytesToHex,
  createHasher,
  encodeMsgpack,
  hashAction,
  hashEnvelope,
  NETWORKS,
  type SignatureHex,
  type StructValues,
} from '@oddlot/protocol';
import type { Hex } from 'viem';
import { privateKeyToAccount, sign } from 'viem/accounts';
import type { ShownRequest } from '../../../packages/custody/src/validator/recover-request.ts';

export type SignedRequest = { readonly txHash: string; readonly shown: ShownRequest };
type Named = { readonly serviceNetwork: string; readonly nonce: number };

export const lowerAddressOf = (key: Hex): Hex =>
  privateKeyToAccount(key).address.toLowerCase() as Hex;

const headOf = ({ serviceNetwork }: Named) => ({ ...NETWORKS.testnet, serviceNetwork });

export function withdrawal(
  named: Named,
  terms: { readonly destination: string; readonly amount: string },
): StructValues {
  return { type: 'withdraw3', ...headOf(named), ...terms, nonce: named.nonce };
}

export function conversion(
  named: Named,
  set: { readonly authorizedUsers: readonly string[]; readonly threshold: number } | null,
): StructValues {
  const signers = JSON.stringify(set);
  return { type: 'convertToMultiSigUser', ...headOf(named), signers, nonce: named.nonce };
}

export async function signedBy(key: Hex, action: StructValues): Promise<SignedRequest> {
  return await requestOf(action, await digestSigned(key, action));
}

/**
 * Signs an inner action of a multi-sig account with each key. The first key also sends the wrapper.
 */
export async function wrappedBy(
  keys: readonly Hex[],
  multiSigUser: string,
  action: StructValues,
): Promise<SignedRequest> {
  const [sender] = keys as readonly [Hex];
  const payload = { multiSigUser, outerSigner: lowerAddressOf(sender), action };
  const bare = { type: 'multiSig', signatures: [], payload };
  const hash = hashed(bare);
  if (hash.scheme !== 'multiSig') throw new TypeError('a wrapper');
  const { digest } = hash.inner;
  const signatures = await Promise.all(keys.map((key) => signatureOf(key, digest)));
  const whole = { ...bare, signatures };
  return await requestOf(whole, await signatureOf(sender, hashed(whole).digest));
}

function hashed(action: StructValues) {
  const inner = (action['payload'] as { readonly action: StructValues } | undefined)?.action;
  const { nonce, serviceNetwork } = (inner ?? action) as Named & StructValues;
  const hasher = createHasher({ ...NETWORKS.testnet, serviceNetwork });
  return hashAction({ msgpack: encodeMsgpack(action), action, envelope: { nonce } }, hasher);
}

function digestSigned(key: Hex, action: StructValues): Promise<SignatureHex> {
  return signatureOf(key, hashed(action).digest);
}

async function signatureOf(key: Hex, digest: Uint8Array): Promise<SignatureHex> {
  const { r, s, yParity } = await sign({ hash: bytesToHex(digest) as Hex, privateKey: key });
  return { r, s, v: yParity === 0 ? 27 : 28 };
}

async function requestOf(action: StructValues, signature: SignatureHex): Promise<SignedRequest> {
  const inner = (action['payload'] as { readonly action: StructValues } | undefined)?.action;
  const { nonce, serviceNetwork } = (inner ?? action) as Named & StructValues;
  const hasher = createHasher({ ...NETWORKS.testnet, serviceNetwork });
  const request = { msgpack: encodeMsgpack(action), action, envelope: { nonce, signature } };
  const { txHash } = hashEnvelope(request, hasher);
  const nothing = { vaultAddress: null, signatureChainId: null, expiresAfter: null };
  const shown = { nonce, ...nothing, action, signature } as unknown as ShownRequest;
  return { txHash: bytesToHex(txHash), shown };
}
