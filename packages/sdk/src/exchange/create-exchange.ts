import type { InfoContext } from '../info/query-info.ts';
import { approveAgent, type ApproveAgentParameters } from './approve-agent.ts';
import { approveBuilderFee, type ApproveBuilderFeeParameters } from './approve-builder-fee.ts';
import { claimBuilderRewards } from './claim-builder-rewards.ts';
import {
  convertToMultiSigUser,
  type ConvertToMultiSigUserParameters,
} from './convert-to-multi-sig-user.ts';
import { createMultiSig, type MultiSigClient } from './create-multi-sig.ts';
import { createOutcomeDeploy, type OutcomeDeployClient } from './create-outcome-deploy.ts';
import { createTrading, type TradingClient } from './create-trading.ts';
import { createVenueAdmin, type VenueAdminClient } from './create-venue-admin.ts';
import type { DirectOptions } from './send-direct.ts';
import type { ReplyOf } from './reply.ts';
import { revokeBuilderFee, type RevokeBuilderFeeParameters } from './revoke-builder-fee.ts';
import type { ActionOptions, ExchangeContext } from './send-action.ts';
import { sendSigned } from './send-signed.ts';
import type { SignedAction } from './sign-action.ts';
import {
  sendTo,
  tokenSend,
  transferBetween,
  type SendToParameters,
  type TokenSendParameters,
  type TransferParameters,
} from './token-send.ts';
import { waitForAction, type ActionName, type WaitOptions } from './wait-for-action.ts';
import { withdraw3, type Withdraw3Parameters } from './withdraw3.ts';

type Confirmation = 'executed' | undefined;

/** The actions of /exchange, bound to a venue and a wallet. */
export type ExchangeClient = TradingClient &
  ReturnType<typeof createActions> & {
    /** Acting for an account that several signers share. */
    multiSig: MultiSigClient;
    /** The operator's actions; the wallet must be one of the venue's admins. */
    venueAdmin: VenueAdminClient;
    /** The actions of those who list and resolve outcome markets. */
    outcomeDeploy: OutcomeDeployClient;
  };

/** Binds the actions to a venue and a wallet. */
export function createExchange(context: ExchangeContext & InfoContext): ExchangeClient {
  return {
    ...createTrading(context),
    ...createActions(context),
    multiSig: createMultiSig(context),
    venueAdmin: createVenueAdmin(context),
    outcomeDeploy: createOutcomeDeploy(context),
  };
}

/** Written out, so that `confirm` types the replies. */
function createActions(context: ExchangeContext & InfoContext) {
  return {
    /** The trading actions, for a vault that the account leads. The vault's money stays where it is. */
    forVault: (vaultAddress: string): TradingClient => createTrading({ ...context, vaultAddress }),
    claimBuilderRewards: <Confirm extends Confirmation = undefined>(
      options?: ActionOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => claimBuilderRewards(context, options),
    approveAgent: <Confirm extends Confirmation = undefined>(
      parameters: ApproveAgentParameters,
      options?: DirectOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => approveAgent(context, parameters, options),
    approveBuilderFee: <Confirm extends Confirmation = undefined>(
      parameters: ApproveBuilderFeeParameters,
      options?: DirectOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => approveBuilderFee(context, parameters, options),
    revokeBuilderFee: <Confirm extends Confirmation = undefined>(
      parameters: RevokeBuilderFeeParameters,
      options?: DirectOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => revokeBuilderFee(context, parameters, options),
    tokenSend: <Confirm extends Confirmation = undefined>(
      parameters: TokenSendParameters,
      options?: DirectOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => tokenSend(context, parameters, options),
    transferBetween: <Confirm extends Confirmation = undefined>(
      parameters: TransferParameters,
      options?: DirectOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => transferBetween(context, parameters, options),
    sendTo: <Confirm extends Confirmation = undefined>(
      parameters: SendToParameters,
      options?: DirectOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => sendTo(context, parameters, options),
    withdraw3: <Confirm extends Confirmation = undefined>(
      parameters: Withdraw3Parameters,
      options?: DirectOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => withdraw3(context, parameters, options),
    convertToMultiSigUser: <Confirm extends Confirmation = undefined>(
      parameters: ConvertToMultiSigUserParameters,
      options?: DirectOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => convertToMultiSigUser(context, parameters, options),
    /** Sends what was signed before, which executes once however often it is sent. */
    sendSigned: (signed: SignedAction, options?: { readonly signal?: AbortSignal | undefined }) =>
      sendSigned(context, signed, options),
    waitForAction: (name: ActionName, options?: WaitOptions) =>
      waitForAction(context, name, options),
  };
}
