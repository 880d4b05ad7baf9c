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

/** Binds the steps, with explicit signatures so that `confirm` determines the reply. */
export function createMultiSig(context: ExchangeContext) {
  return {
    /** Creates a proposal for the signers. */
    propose: (parameters: ProposeParameters): Promise<MultiSigProposal> =>
      proposeMultiSig(context, parameters),
    /** Signs as one of the account's signers, with the client's wallet. */
    sign: async (proposal: MultiSigProposal): Promise<SignatureHex> => {
      const wallet = walletOf(context);
      const { network } = await context.hasher();
      return signProposal(proposal, { wallet, network });
    },
    /** Sends the proposal with sufficient signatures. */
    send: <Confirm extends Confirmation = undefined>(
      proposal: MultiSigProposal,
      signatures: readonly SignatureHex[],
      options?: SendMultiSigOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => sendMultiSig(context, proposal, signatures, options),
  };
}

/** Parameters of `multiSig.propose`. */
export type ProposeParameters = {
  /** The account to act for. */
  readonly multiSigUser: string;
  /** Spelled as on the wire; a direct action without network and nonce. */
  readonly action: ProposedAction;
  /** The signer that will send it; by default the client's own wallet. */
  readonly outerSigner?: string | undefined;
  /** The chain id of the EIP-712 domain, for signers whose wallets sign for one chain only. */
  readonly signatureChainId?: number | undefined;
  /** Acts for a vault that the multi-sig account leads. */
  readonly vaultAddress?: string | undefined;
  /** The expiry of the action as consensus time in milliseconds. Trading actions only. */
  readonly expiresAfter?: number | undefined;
};

/**
 * Creates a proposal for the signers of a multi-sig account. It sends nothing: pass it to the
 * signers, then `send` it with their signatures. It is valid as long as its nonce: less than two
 * days, and until its sender has used 100 later ones.
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

/** Options for sending a proposal, which contains the rest of the envelope. */
export type SendMultiSigOptions<Confirm extends 'executed' | undefined = undefined> = Pick<
  ActionOptions<Confirm>,
  'confirm' | 'signal'
>;

/**
 * Sends a proposal with at least the required number of signatures. The client's wallet must be the
 * proposal's `outerSigner`; its own signature counts only if it is among them. After a rate limit
 * the same bytes are sent again, because new ones would need all signers again.
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

/** Finds invalid signatures before the sender signs. Only the venue knows whether they are sufficient. */
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

/** An action that a wrapper can contain, spelled as on the wire and bound to its network. */
type InnerActionInput = { [Type in InnerActionType]: ActionInputOf<Type> }[InnerActionType];

/** The same before binding: `propose` adds network and nonce to direct actions. */
export type ProposedAction =
  | { [Type in Exclude<InnerActionType, DirectActionType>]: ActionInputOf<Type> }[Exclude<
      InnerActionType,
      DirectActionType
    >]
  | UnboundAction;

/**
 * A proposal for the signers of a multi-sig account: plain data that can be sent as JSON. Every
 * signature covers every field.
 */
export type MultiSigProposal = {
  /** The account that is acted for. */
  readonly multiSigUser: string;
  /** The signer that will send it, whose nonce is used. */
  readonly outerSigner: string;
  readonly action: InnerActionInput;
  readonly nonce: number;
  /** For the domains of direct actions, and of the sender's own signature. */
  readonly signatureChainId?: number | undefined;
  readonly vaultAddress?: string | undefined;
  readonly expiresAfter?: number | undefined;
};

/** The signing request of a proposal: the digest and its typed data. */
export function multiSigRequest(proposal: MultiSigProposal, network: Network): SigningRequest {
  const { hash, payload } = hashProposal(proposal, createHasher(network));
  return { digest: hash.digest, typedData: () => innerTypedDataOf(hash, payload, network) };
}

/**
 * Signs a proposal as one of the account's signers. Read it first: for a trading action a wallet shows only a hash.
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

/** The signer of a signature of a proposal, or undefined. */
export function proposalSigner(
  proposal: MultiSigProposal,
  signature: SignatureHex,
  network: Network,
): Address | undefined {
  return recoverSigner(multiSigRequest(proposal, network).digest, signature);
}

/** The envelope fields next to the wrapper. */
function envelopeOf(proposal: MultiSigProposal): EnvelopeFields {
  const { nonce, vaultAddress, signatureChainId, expiresAfter } = proposal;
  return { nonce, vaultAddress, signatureChainId, expiresAfter };
}

/** The wrapper of a proposal; the inner hash is computed from it even without signatures. */
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

/** Finds errors of form before any signer is asked. */
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

/** A placeholder, because a wrapper needs at least one signature. */
const NO_SIGNATURE: SignatureHex = { r: '0x0', s: '0x0', v: 27 };

/** True for actions that need the network's names and the nonce. */
function isUnbound(action: ProposedAction): action is UnboundAction {
  return isDirectActionType(action.type);
}
