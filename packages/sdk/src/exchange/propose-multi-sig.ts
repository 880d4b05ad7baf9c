import { bindAction } from './send-direct.ts';
import { domainChainOf } from './domain-chain.ts';
import {
  isUnbound,
  checkProposal,
  type InnerActionInput,
  type MultiSigProposal,
  type ProposedAction,
} from './multi-sig-proposal.ts';
import { encodeAction } from './sign-action.ts';
import { walletOf, type ExchangeContext } from './send-action.ts';

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
export async function proposeMultiSig(
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
