import {
  bytesToHex,
  createHasher,
  encodeMsgpack,
  hashEnvelope,
  NETWORKS,
  normaliseSignature,
  recoverSigner,
  type SignatureHex,
  type StructValues,
} from '@oddlot/protocol';
import { z } from 'zod';
import { SigningRefusal } from './signing-refusal.ts';

/** A request as a venue publishes it (`tx`). Only the signed fields are trusted. */
export const ShownRequest = z.object({
  nonce: z.int().min(0),
  vaultAddress: z.string().nullable(),
  signatureChainId: z.int().nullable(),
  expiresAfter: z.int().nullable(),
  action: z.looseObject({ type: z.string() }),
  signature: z.unknown(),
});
export type ShownRequest = z.infer<typeof ShownRequest>;

/** A request with the signers recovered from its signatures. */
export type RecoveredRequest = {
  readonly txHash: string;
  /** The account: the signer of a direct request, or the account specified in a wrapper. */
  readonly account: string;
  readonly action: StructValues;
  /** The sender of a wrapper, and the signers of its contents. */
  readonly wrapped?: { readonly sender: string; readonly signers: ReadonlySet<string> };
};

const Wrapper = z.object({
  signatures: z.array(z.unknown()).min(1).max(10),
  payload: z.object({
    multiSigUser: z.string(),
    outerSigner: z.string(),
    action: z.looseObject({ type: z.string() }),
  }),
});

/**
 * Recovers the signers of a direct action for the venue with this name. The action may be in a
 * wrapper (R-multisig).
 */
export function recoverRequest(shown: ShownRequest, serviceNetwork: string): RecoveredRequest {
  const { action, signature: given, ...context } = shown;
  const isWrapped = action.type === 'multiSig';
  const wrapper = isWrapped ? Wrapper.safeParse(action).data : undefined;
  if (isWrapped && wrapper === undefined) throw unreadable('its multi-sig wrapper cannot be read');
  const inner = wrapper?.payload.action ?? action;
  const network = networkOf(inner, serviceNetwork);
  const signature = normaliseSignature(given);
  if (signature === undefined || shown.vaultAddress !== null || inner['nonce'] !== shown.nonce) {
    throw unreadable('its action is not one that accounts sign');
  }
  const hasher = createHasher(network);
  const hash = hashEnvelope(
    { msgpack: encodeMsgpack(action), action, envelope: { ...context, signature } },
    hasher,
  );
  const signer = recoverSigner(hash.digest, signature);
  if (signer === undefined || hash.scheme === 'agent')
    throw unreadable('it has no valid signature');
  const txHash = bytesToHex(hash.txHash);
  if (wrapper === undefined) return { txHash, account: signer, action };
  if (hash.scheme !== 'multiSig') throw unreadable('its multi-sig wrapper cannot be read');
  const { multiSigUser, outerSigner } = wrapper.payload;
  if (signer !== outerSigner.toLowerCase()) throw unreadable(`it was not sent by ${outerSigner}`);
  const { digest } = hash.inner;
  const signers = wrapper.signatures
    .map(normaliseSignature)
    .map((each) => (each === undefined ? undefined : recoverSigner(digest, each as SignatureHex)))
    .filter((each) => each !== undefined);
  const wrapped = { sender: signer, signers: new Set<string>(signers) };
  return { txHash, account: multiSigUser.toLowerCase(), action: inner, wrapped };
}

/**
 * Returns the network of an action. The action includes the ids of one of the networks; the name
 * identifies the venue.
 */
function networkOf(action: StructValues, serviceNetwork: string) {
  const found = Object.values(NETWORKS).find(
    ({ apiVersion, chainId }) =>
      chainId === action['chainId'] && apiVersion === action['apiVersion'],
  );
  if (found === undefined) throw unreadable('its network is unknown');
  const name = action['serviceNetwork'];
  if (name === serviceNetwork) return { ...found, serviceNetwork };
  throw unreadable(`it was signed for ${String(name)}, not for ${serviceNetwork}`);
}

function unreadable(why: string): SigningRefusal {
  return new SigningRefusal(409, `the request is not valid: ${why}`);
}
