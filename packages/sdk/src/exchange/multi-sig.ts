import {
  type Action,
  type ActionInputOf,
  actionShape,
  checkBinding,
  checkExpiryAllowed,
  checkShape,
  checkVaultAllowed,
  createHasher,
  type DirectActionType,
  type Hasher,
  hashInnerAction,
  type InnerActionType,
  type InnerHash,
  isDirectActionType,
  isPermissionedType,
  type MultiSigPayload,
  multiSigShape,
  type Network,
  recoverSigner,
  type SignatureHex,
} from '@oddlot/protocol';
import type { ReplyOf } from './reply.ts';
import {
  type ActionOptions,
  bindAction,
  deliver,
  domainChainOf,
  type ExchangeContext,
  type UnboundAction,
  walletOf,
} from './send-action.ts';
import { checkChain, encodeAction, type EnvelopeFields, signAction } from './sign-action.ts';
import { SigningError, ValidationError } from '../errors.ts';
import type { Address } from '@oddlot/units';
import { innerTypedDataOf } from '../typed-data.ts';
import type { SigningRequest, Wallet } from '../wallet.ts';

type Confirmation = 'executed' | undefined;

/** The three steps of acting for a multi-sig account, bound to a venue and a wallet. */
export type MultiSigClient = ReturnType<typeof createMultiSig>;

/** Binds the steps. Written out, so that `confirm` types the replies. */
export function createMultiSig(context: ExchangeContext) {
  return {
    /** What the signers are to agree to. */
    propose: (parameters: ProposeParameters): Promise<MultiSigProposal> =>
      proposeMultiSig(context, parameters),
    /** The signature of the client's wallet, as one of the account's signers. */
    sign: async (proposal: MultiSigProposal): Promise<SignatureHex> => {
      const wallet = walletOf(context);
      const { network } = await context.hasher();
      return signProposal(proposal, { wallet, network });
    },
    /** Sends it with the signatures of enough signers. */
    send: <Confirm extends Confirmation = undefined>(
      proposal: MultiSigProposal,
      signatures: readonly SignatureHex[],
      options?: SendMultiSigOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => sendMultiSig(context, proposal, signatures, options),
  };
}

/** What `multiSig.propose` takes. */
export type ProposeParameters = {
  /** The account to act for. */
  readonly multiSigUser: string;
  /** Spelled as on the wire; a direct action without network and nonce. */
  readonly action: ProposedAction;
  /** The signer who will send it; the client's own wallet by default. */
  readonly outerSigner?: string | undefined;
  /** The chain id of the EIP-712 domain, for signers whose wallets sign for one chain only. */
  readonly signatureChainId?: number | undefined;
  /** Acts for a vault that the multi-sig account leads. */
  readonly vaultAddress?: string | undefined;
  /** The consensus time, in milliseconds, from which the action is refused. Trading actions only. */
  readonly expiresAfter?: number | undefined;
};

/**
 * Writes down what the signers of a multi-sig account are to agree to. Nothing is sent: give it to the
 * signers, and `send` it with what they signed. It holds while its nonce does: less than two days, and
 * until its sender has used 100 later ones.
 *
 * @throws ValidationError, SigningError
 */
async function proposeMultiSig(
  context: ExchangeContext,
  { multiSigUser, action, outerSigner, vaultAddress, expiresAfter, ...rest }: ProposeParameters,
): Promise<MultiSigProposal> {
  const { network } = await context.hasher();
  const sender = (outerSigner ?? walletOf(context).address).toLowerCase();
  const nonce = context.nonces.next(sender);
  const bound: InnerActionInput = isUnbound(action) ? bindAction(action, network, nonce) : action;
  const signatureChainId = await domainChainOf(context, rest.signatureChainId);
  const proposal: MultiSigProposal = {
    multiSigUser: multiSigUser.toLowerCase(),
    outerSigner: sender,
    action: encodeAction(bound).action,
    nonce,
    ...(signatureChainId === undefined ? {} : { signatureChainId }),
    ...(vaultAddress === undefined ? {} : { vaultAddress: vaultAddress.toLowerCase() }),
    ...(expiresAfter === undefined ? {} : { expiresAfter }),
  };
  checkProposal(proposal, network);
  return proposal;
}

/** How a proposal is sent; the rest of the envelope is part of the proposal. */
export type SendMultiSigOptions<Confirm extends 'executed' | undefined = undefined> = Pick<
  ActionOptions<Confirm>,
  'confirm' | 'signal'
>;

/**
 * Sends a proposal with the signatures that were collected, as many as the account asks for. The
 * client's wallet must be the proposal's `outerSigner`; its own signature counts only if it is among
 * them. After a rate limit the same bytes are sent again: new ones would need all signers once more.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
async function sendMultiSig<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  proposal: MultiSigProposal,
  signatures: readonly SignatureHex[],
  { signal, confirm }: SendMultiSigOptions<Confirm> = {},
): Promise<ReplyOf<Confirm>> {
  const wallet = walletOf(context);
  const { http } = context;
  if (wallet.address !== proposal.outerSigner.toLowerCase()) {
    throw new SigningError(`The proposal must be sent by ${proposal.outerSigner}`);
  }
  const hasher = await context.hasher();
  checkProposal(proposal, hasher.network);
  refuseStrays(proposal, signatures, hasher.network);
  const fields = { ...envelopeOf(proposal), confirm };
  const signed = await signAction(wrapperOf(proposal, signatures), fields, { hasher, wallet });
  const { networkCheck } = context;
  const reply = await deliver(http, signed, { signal, signAnew: undefined, networkCheck });
  return reply as ReplyOf<Confirm>;
}

/** Finds signatures that are of no use before the sender signs. Whether they suffice the venue knows. */
function refuseStrays(
  proposal: MultiSigProposal,
  signatures: readonly SignatureHex[],
  network: Network,
): void {
  const seen = new Set<string>();
  for (const [index, signature] of signatures.entries()) {
    const signer = proposalSigner(proposal, signature, network);
    const field = `signatures[${index}]`;
    if (signer === undefined) {
      throw new ValidationError(`Invalid signature: ${field}`, { details: { field } });
    }
    if (seen.has(signer)) {
      const details = { field, got: signer };
      throw new ValidationError(`Signed twice by ${signer}: ${field}`, { details });
    }
    seen.add(signer);
  }
}

/** An action that a wrapper can carry, spelled as on the wire and bound to its network. */
type InnerActionInput = { [Type in InnerActionType]: ActionInputOf<Type> }[InnerActionType];

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
function envelopeOf(proposal: MultiSigProposal): EnvelopeFields {
  const { nonce, vaultAddress, signatureChainId, expiresAfter } = proposal;
  return { nonce, vaultAddress, signatureChainId, expiresAfter };
}

/** The wrapper of a proposal; without signatures it is still what the inner hash is cut out of. */
function wrapperOf(
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
function checkProposal(proposal: MultiSigProposal, network: Network): void {
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
function isUnbound(action: ProposedAction): action is UnboundAction {
  return isDirectActionType(action.type);
}
