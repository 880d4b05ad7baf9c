import type { InfoContext } from '../info/query-info.ts';
import { approveAgent, type ApproveAgentParameters, type DirectOptions } from './approve-agent.ts';
import { cancelByCloid, type CancelByCloidParameters } from './cancel-by-cloid.ts';
import { cancel, type CancelParameters } from './cancel.ts';
import { order, type OrderParameters } from './order.ts';
import type { ReplyOf } from './reply.ts';
import type { ActionOptions, ExchangeContext } from './send-action.ts';
import { waitForAction, type WaitOptions } from './wait-for-action.ts';

type Confirmation = 'executed' | undefined;

/** The actions of /exchange, bound to a venue and a wallet. */
export type ExchangeClient = ReturnType<typeof createExchange>;

/** Binds the actions to a venue and a wallet. Written out, so that `confirm` types the replies. */
export function createExchange(context: ExchangeContext & InfoContext) {
  return {
    order: <Confirm extends Confirmation = undefined>(
      parameters: OrderParameters,
      options?: ActionOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => order(context, parameters, options),
    cancel: <Confirm extends Confirmation = undefined>(
      parameters: CancelParameters,
      options?: ActionOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => cancel(context, parameters, options),
    cancelByCloid: <Confirm extends Confirmation = undefined>(
      parameters: CancelByCloidParameters,
      options?: ActionOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => cancelByCloid(context, parameters, options),
    approveAgent: <Confirm extends Confirmation = undefined>(
      parameters: ApproveAgentParameters,
      options?: DirectOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => approveAgent(context, parameters, options),
    waitForAction: (txHash: string, options?: WaitOptions) =>
      waitForAction(context, txHash, options),
  };
}
