import type { ActionInputOf } from '@oddlot/protocol';
import { domainChainOf } from './domain-chain.ts';
import type { ReplyOf } from './reply.ts';
import { sendAction, type ActionOptions, type ExchangeContext } from './send-action.ts';

/** What `approveAgent` takes. */
export type ApproveAgentParameters = {
  /** The zero address revokes the label. */
  readonly agentAddress: string;
  /** A label of at most 64 characters; each holds one agent. Without one it is the unnamed agent. */
  readonly agentName?: string | null | undefined;
};

/** Direct actions act for the account itself and do not expire. */
export type DirectOptions<Confirm extends 'executed' | undefined = undefined> = Omit<
  ActionOptions<Confirm>,
  'vaultAddress' | 'expiresAfter'
>;

/**
 * Lets an agent trade for the account. Signed by the account's own key.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export async function approveAgent<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { agentAddress, agentName }: ApproveAgentParameters,
  options: DirectOptions<Confirm> = {},
): Promise<ReplyOf<Confirm>> {
  const build = (nonce: number): ActionInputOf<'approveAgent'> => ({
    type: 'approveAgent',
    ...context.hasher.network,
    agentAddress: agentAddress.toLowerCase(),
    agentName,
    nonce,
  });
  const signatureChainId = await domainChainOf(context, options.signatureChainId);
  return sendAction(context, build, { ...options, signatureChainId });
}
