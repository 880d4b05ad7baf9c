import type { SignatureHex } from '@oddlot/protocol';
import { signProposal, type MultiSigProposal } from './multi-sig-proposal.ts';
import { proposeMultiSig, type ProposeParameters } from './propose-multi-sig.ts';
import type { ReplyOf } from './reply.ts';
import { walletOf, type ExchangeContext } from './send-action.ts';
import { sendMultiSig, type SendMultiSigOptions } from './send-multi-sig.ts';

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
