import type { Network, SignatureHex } from '@oddlot/protocol';
import { SigningError, ValidationError } from '../errors.ts';
import {
  envelopeOf,
  proposalSigner,
  checkProposal,
  wrapperOf,
  type MultiSigProposal,
} from './multi-sig-proposal.ts';
import type { ReplyOf } from './reply.ts';
import { deliver, walletOf, type ActionOptions, type ExchangeContext } from './send-action.ts';
import { signAction } from './sign-action.ts';

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
export async function sendMultiSig<Confirm extends 'executed' | undefined = undefined>(
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
