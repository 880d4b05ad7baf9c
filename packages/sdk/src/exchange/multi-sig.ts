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

/** The steps for acting on behalf of a multi-sig account, for one venue and one wallet. */
export type MultiSigClient = ReturnType<typeof createMultiSig>;

/**
 * Creates the steps. Their type signatures are explicit, because otherwise `confirm` would not
 * determine the type of the reply.
 */
export function createMultiSig(context: ExchangeContext) {
  return {
    /** Creates a proposal for the signers. */
    propose: (parameters: ProposeParameters): Promise<MultiSigProposal> =>
      proposeMultiSig(context, parameters),
    /** Signs a proposal with the client's wallet, as one of the account's signers. */
    sign: async (proposal: MultiSigProposal): Promise<SignatureHex> => {
      const wallet = walletOf(context);
      const { network } = await context.hasher();
      return signProposal(proposal, { wallet, network });
    },
    /** Sends a proposal with enough signatures. */
    send: <Confirm extends Confirmation = undefined>(
      proposal: MultiSigProposal,
      signatures: readonly SignatureHex[],
      options?: SendMultiSigOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => sendMultiSig(context, proposal, signatures, options),
  };
}

/** The parameters of `multiSig.propose`. */
export type ProposeParameters = {
  /** The account to act for. */
  readonly multiSigUser: string;
  /**
   * The action, spelled as in the API. A direct action does not include the network or the nonce.
   */
  readonly action: ProposedAction;
  /** The signer that will send the proposal; by default the client's own wallet. */
  readonly outerSigner?: string | undefined;
  /** The chain id of the EIP-712 domain, for signers whose wallets sign for only one chain. */
  readonly signatureChainId?: number | undefined;
  /** The vault to act for. The multi-sig account must be its leader. */
  readonly vaultAddress?: string | undefined;
  /**
   * The consensus time in milliseconds at which the action expires; not allowed for direct actions.
   */
  readonly expiresAfter?: number | undefined;
};

/**
 * Creates a proposal for the signers of a multi-sig account without sending a request. Pass it to
 * the signers, then `send` it with their signatures. It remains valid as long as its nonce: for
 * less than two days, and until its sender has used 100 later nonces.
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

/** Options for sending a proposal. All other fields of the envelope are part of the proposal. */
export type SendMultiSigOptions<Confirm extends 'executed' | undefined = undefined> = Pick<
  ActionOptions<Confirm>,
  'confirm' | 'signal'
>;

/**
 * Sends a proposal with at least the required number of signatures. The client's wallet must be the
 * proposal's `outerSigner`, and its own signature counts only if it is in the list. After a rate
 * limit, the same bytes are sent again, because new bytes would require every signer to sign again.
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

/**
 * Rejects invalid signatures before the sender signs. Only the venue can tell whether there are
 * enough signatures.
 */
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

/** An action that a wrapper can hold, spelled as in the API and bound to a network. */
type InnerActionInput = { [Type in InnerActionType]: ActionInputOf<Type> }[InnerActionType];

/**
 * An action before it is bound to a network; `propose` adds the network and the nonce to direct
 * actions.
 */
export type ProposedAction =
  | { [Type in Exclude<InnerActionType, DirectActionType>]: ActionInputOf<Type> }[Exclude<
      InnerActionType,
      DirectActionType
    >]
  | UnboundAction;

/**
 * A proposal for the signers of a multi-sig account. It is plain data that can be sent as JSON, and
 * every signature covers all its fields.
 */
export type MultiSigProposal = {
  /** The account for which the proposal acts. */
  readonly multiSigUser: string;
  /** The signer that will send the proposal and whose nonce is consumed. */
  readonly outerSigner: string;
  readonly action: InnerActionInput;
  readonly nonce: number;
  /** The chain id for the domains of direct actions and the sender's own signature. */
  readonly signatureChainId?: number | undefined;
  readonly vaultAddress?: string | undefined;
  readonly expiresAfter?: number | undefined;
};

/**
 * Returns the data that a signer of a proposal signs: the digest and the corresponding typed data.
 */
export function multiSigRequest(proposal: MultiSigProposal, network: Network): SigningRequest {
  const { hash, payload } = hashProposal(proposal, createHasher(network));
  return { digest: hash.digest, typedData: () => innerTypedDataOf(hash, payload, network) };
}

/**
 * Signs a proposal as one of the account's signers. Read the proposal first, because a wallet shows
 * only a hash for a trading action.
 *
 * @throws ValidationError if it is invalid, SigningError
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

/** Returns the signer recovered from a proposal's signature, or undefined if there is none. */
export function proposalSigner(
  proposal: MultiSigProposal,
  signature: SignatureHex,
  network: Network,
): Address | undefined {
  return recoverSigner(multiSigRequest(proposal, network).digest, signature);
}

/** Returns the fields of the envelope outside the wrapper. */
function envelopeOf(proposal: MultiSigProposal): EnvelopeFields {
  const { nonce, vaultAddress, signatureChainId, expiresAfter } = proposal;
  return { nonce, vaultAddress, signatureChainId, expiresAfter };
}

/**
 * Builds the wrapper of a proposal. The inner hash can be computed from it even before it is
 * signed.
 */
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

/** Rejects malformed proposals before any signer is asked to sign. */
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

/** This placeholder is needed because a wrapper without signatures does not match its shape. */
const NO_SIGNATURE: SignatureHex = { r: '0x0', s: '0x0', v: 27 };

/** Returns true for actions to which the network and the nonce must be added. */
function isUnbound(action: ProposedAction): action is UnboundAction {
  return isDirectActionType(action.type);
}
