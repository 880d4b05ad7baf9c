import { approveAgentShape } from '@oddlot/protocol';
import { sendDirect, type DirectOptions } from './send-direct.ts';
import type { ReplyOf } from './reply.ts';
import type { ExchangeContext } from './send-action.ts';

/** What `approveAgent` takes. */
export type ApproveAgentParameters = {
  /** The zero address revokes the label. */
  readonly agentAddress: string;
  /** A label of at most 64 characters; each holds one agent. Without one it is the unnamed agent. */
  readonly agentName?: string | null | undefined;
};

/**
 * Lets an agent trade for the account. Signed by the account's own key.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function approveAgent<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { agentAddress, agentName }: ApproveAgentParameters,
  options?: DirectOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const type = 'approveAgent';
  const action = { type, agentAddress: agentAddress.toLowerCase(), agentName } as const;
  return sendDirect(context, approveAgentShape, action, options);
}
