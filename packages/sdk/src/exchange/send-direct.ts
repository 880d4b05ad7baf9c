import type { ActionInputOf, DirectActionType, Network, ObjectShape } from '@oddlot/protocol';
import { domainChainOf } from './domain-chain.ts';
import type { ReplyOf } from './reply.ts';
import { sendAction, type ActionOptions, type ExchangeContext } from './send-action.ts';

/** Direct actions act for the account itself and do not expire. */
export type DirectOptions<Confirm extends 'executed' | undefined = undefined> = Omit<
  ActionOptions<Confirm>,
  'vaultAddress' | 'expiresAfter'
>;

/** The fields that every direct action has and that its sender need not write. */
type Bound = keyof Network | 'nonce';

/** A direct action without what binds it to the network and the envelope. */
export type UnboundAction = {
  [Type in DirectActionType]: Omit<ActionInputOf<Type>, Bound>;
}[DirectActionType];

/** The action with the network and the nonce that it is signed for. */
export function bindAction(action: UnboundAction, network: Network, nonce: number) {
  return { ...action, ...network, nonce } as ActionInputOf<DirectActionType>;
}

/**
 * Signs a direct action with the account's own key and sends it. A wallet that insists on its own
 * chain signs for that one, and the venue is told.
 */
export async function sendDirect<Confirm extends 'executed' | undefined>(
  context: ExchangeContext,
  shape: ObjectShape,
  action: UnboundAction,
  options: DirectOptions<Confirm> = {},
): Promise<ReplyOf<Confirm>> {
  const { network } = await context.hasher();
  const build = (nonce: number) => bindAction(action, network, nonce);
  const signatureChainId = await domainChainOf(context, options.signatureChainId);
  return sendAction(context, shape, build, { ...options, signatureChainId });
}
