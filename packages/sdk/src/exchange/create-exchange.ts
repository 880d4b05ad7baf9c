import type { InfoContext } from '../info/query-info.ts';
import {
  approveAgent,
  type ApproveAgentParameters,
  approveBuilderFee,
  type ApproveBuilderFeeParameters,
  claimBuilderRewards,
  revokeBuilderFee,
  type RevokeBuilderFeeParameters,
} from './approvals.ts';
import {
  convertToMultiSigUser,
  type ConvertToMultiSigUserParameters,
} from './convert-to-multi-sig-user.ts';
import { createMultiSig, type MultiSigClient } from './multi-sig.ts';
import {
  createOutcomeDeploy,
  createVenueAdmin,
  type OutcomeDeployClient,
  type VenueAdminClient,
} from './create-operator.ts';
import {
  type ActionOptions,
  type DirectOptions,
  type ExchangeContext,
  sendSigned,
} from './send-action.ts';
import { type ActionName, type ReplyOf, waitForAction, type WaitOptions } from './reply.ts';
import type { SignedAction } from './sign-action.ts';
import {
  sendTo,
  type SendToParameters,
  tokenSend,
  type TokenSendParameters,
  transferBetween,
  type TransferParameters,
  withdraw3,
  type Withdraw3Parameters,
} from './transfers.ts';
import {
  cancel,
  cancelAll,
  type CancelAllParameters,
  cancelByCloid,
  type CancelByCloidParameters,
  type CancelParameters,
  modify2,
  type Modify2Parameters,
  order,
  type OrderParameters,
  reversePosition,
  type ReversePositionParameters,
  scheduleCancel,
  type ScheduleCancelParameters,
} from './orders.ts';
import { outcomeOperate, type OutcomeOperateParameters } from './outcomes.ts';
import {
  updateIsolatedMargin,
  type UpdateIsolatedMarginParameters,
  updateLeverage,
  type UpdateLeverageParameters,
  updateMarginMode,
  type UpdateMarginModeParameters,
  updatePositionMode,
  type UpdatePositionModeParameters,
} from './margin.ts';

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

/** What an agent may do, for its account or for a vault. */
export type TradingClient = ReturnType<typeof createTrading>;

/** Binds the trading actions. Written out, so that `confirm` types the replies. */
function createTrading(context: ExchangeContext) {
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
    cancelAll: <Confirm extends Confirmation = undefined>(
      parameters?: CancelAllParameters,
      options?: ActionOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => cancelAll(context, parameters, options),
    modify2: <Confirm extends Confirmation = undefined>(
      parameters: Modify2Parameters,
      options?: ActionOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => modify2(context, parameters, options),
    outcomeOperate: <Confirm extends Confirmation = undefined>(
      parameters: OutcomeOperateParameters,
      options?: ActionOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => outcomeOperate(context, parameters, options),
    scheduleCancel: <Confirm extends Confirmation = undefined>(
      parameters?: ScheduleCancelParameters,
      options?: ActionOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => scheduleCancel(context, parameters, options),
    reversePosition: <Confirm extends Confirmation = undefined>(
      parameters: ReversePositionParameters,
      options?: ActionOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => reversePosition(context, parameters, options),
    updateLeverage: <Confirm extends Confirmation = undefined>(
      parameters: UpdateLeverageParameters,
      options?: ActionOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => updateLeverage(context, parameters, options),
    updateMarginMode: <Confirm extends Confirmation = undefined>(
      parameters: UpdateMarginModeParameters,
      options?: ActionOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => updateMarginMode(context, parameters, options),
    updateIsolatedMargin: <Confirm extends Confirmation = undefined>(
      parameters: UpdateIsolatedMarginParameters,
      options?: ActionOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => updateIsolatedMargin(context, parameters, options),
    updatePositionMode: <Confirm extends Confirmation = undefined>(
      parameters: UpdatePositionModeParameters,
      options?: ActionOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => updatePositionMode(context, parameters, options),
  };
}
