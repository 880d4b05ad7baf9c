import {
  checkBinding,
  actionShape,
  checkExpiryAllowed,
  checkShape,
  checkVaultAllowed,
  createHasher,
  hashInnerAction,
  isDirectActionType,
  isPermissionedType,
  multiSigShape,
  recoverSigner,
  type Action,
  type ActionInputOf,
  type DirectActionType,
  type Hasher,
  type InnerActionType,
  type InnerHash,
  type MultiSigPayload,
  type Network,
  type SignatureHex,
} from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import { ValidationError } from '../errors.ts';
import { innerTypedDataOf } from '../typed-data.ts';
import type { SigningRequest, Wallet } from '../wallet.ts';
import { checkChain } from './check-chain.ts';
import type { UnboundAction } from './send-direct.ts';
import { encodeAction, type EnvelopeFields } from './sign-action.ts';

/** An action that a wrapper can carry, spelled as on the wire and bound to its network. */
export type InnerActionInput = { [Type in InnerActionType]: ActionInputOf<Type> }[InnerActionType];

/** The same before it is bound: direct actions get the network's names and the nonce by `propose`. */
export type ProposedAction =
  | { [Type in Exclude<InnerActionType, DirectActionType>]: ActionInputOf<Type> }[Exclude<
      InnerActionType,
      DirectActionType
    >]
  | UnboundAction;

/**
 * What the signers of a multi-sig account are asked to agree to: plain data, so that it can be sent to
 * each of them as JSON. Every field is covered by every signature.
 */
export type MultiSigProposal = {
  /** The account that is acted for. */
  readonly multiSigUser: string;
  /** The signer who will send it; the nonce is theirs. */
  readonly outerSigner: string;
  readonly action: InnerActionInput;
  readonly nonce: number;
  /** Of the domains of direct actions, and of the sender's own signature. */
  readonly signatureChainId?: number | undefined;
  readonly vaultAddress?: string | undefined;
  readonly expiresAfter?: number | undefined;
};

/** What is signed for a proposal: the digest, and the typed data that it is the digest of. */
export function multiSigRequest(proposal: MultiSigProposal, network: Network): SigningRequest {
  const { hash, payload } = hashProposal(proposal, createHasher(network));
  return { digest: hash.digest, typedData: () => innerTypedDataOf(hash, payload, network) };
}

/**
 * Signs a proposal as one of the account's signers. Read it first: of a trading action a wallet shows
 * only a hash.
 *
 * @throws ValidationError when it is not in order, SigningError
 */
export async function signProposal(
  proposal: MultiSigProposal,
  { wallet, network }: { readonly wallet: Wallet; readonly network: Network },
): Promise<SignatureHex> {
  checkProposal(proposal, network);
  const { hash } = hashProposal(proposal, createHasher(network));
  await checkChain(wallet, { hash, type: proposal.action.type });
  return wallet.sign(multiSigRequest(proposal, network));
}

/** Who made a signature of a proposal; undefined when nobody can have. */
export function proposalSigner(
  proposal: MultiSigProposal,
  signature: SignatureHex,
  network: Network,
): Address | undefined {
  return recoverSigner(multiSigRequest(proposal, network).digest, signature);
}

/** What stands beside the wrapper in the envelope. */
export function envelopeOf(proposal: MultiSigProposal): EnvelopeFields {
  const { nonce, vaultAddress, signatureChainId, expiresAfter } = proposal;
  return { nonce, vaultAddress, signatureChainId, expiresAfter };
}

/** The wrapper of a proposal; without signatures it is still what the inner hash is cut out of. */
export function wrapperOf(
  { multiSigUser, outerSigner, action }: MultiSigProposal,
  signatures: readonly SignatureHex[],
): ActionInputOf<'multiSig'> {
  const payload = { multiSigUser, outerSigner, action };
  return { type: 'multiSig', signatures: [...signatures], payload };
}

function hashProposal(
  proposal: MultiSigProposal,
  hasher: Hasher,
): { hash: InnerHash; payload: MultiSigPayload } {
  const { action, msgpack } = encodeAction(wrapperOf(proposal, []));
  const payload = action.payload as unknown as MultiSigPayload;
  return { hash: hashInnerAction(hasher, { msgpack, payload, context: proposal }), payload };
}

/** Finds what the venue would refuse for its form, before anybody is asked to sign it. */
export function checkProposal(proposal: MultiSigProposal, network: Network): void {
  const wrapper = wrapperOf(proposal, [NO_SIGNATURE]);
  const { type } = proposal.action;
  if ((type as string) === 'multiSig' || isPermissionedType(type)) {
    const details = { field: 'payload.action.type', got: type };
    throw new ValidationError(`A multi-sig wrapper cannot contain ${type}`, { details });
  }
  const action = wrapper as unknown as Action;
  const error =
    checkShape(multiSigShape, wrapper) ??
    checkShape(actionShape(type), proposal.action, ['payload', 'action']) ??
    checkBinding(action, proposal, network) ??
    checkVaultAllowed(action, proposal) ??
    checkExpiryAllowed(action, proposal);
  if (error !== undefined) throw ValidationError.of(error);
}

/** A wrapper has at least one signature; before the first is made its place is kept by this. */
const NO_SIGNATURE: SignatureHex = { r: '0x0', s: '0x0', v: 27 };

/** True for the actions that need the network's names and the nonce. */
export function isUnbound(action: ProposedAction): action is UnboundAction {
  return isDirectActionType(action.type);
}
