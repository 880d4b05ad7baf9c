import { cancelAll, type CancelAllParameters } from './cancel-all.ts';
import { cancelByCloid, type CancelByCloidParameters } from './cancel-by-cloid.ts';
import { cancel, type CancelParameters } from './cancel.ts';
import { modify2, type Modify2Parameters } from './modify2.ts';
import { order, type OrderParameters } from './order.ts';
import { outcomeOperate, type OutcomeOperateParameters } from './outcome-operate.ts';
import type { ReplyOf } from './reply.ts';
import { reversePosition, type ReversePositionParameters } from './reverse-position.ts';
import { scheduleCancel, type ScheduleCancelParameters } from './schedule-cancel.ts';
import type { ActionOptions, ExchangeContext } from './send-action.ts';
import {
  updateIsolatedMargin,
  type UpdateIsolatedMarginParameters,
} from './update-isolated-margin.ts';
import { updateLeverage, type UpdateLeverageParameters } from './update-leverage.ts';
import { updateMarginMode, type UpdateMarginModeParameters } from './update-margin-mode.ts';
import { updatePositionMode, type UpdatePositionModeParameters } from './update-position-mode.ts';

type Confirmation = 'executed' | undefined;

/** What an agent may do, for its account or for a vault. */
export type TradingClient = ReturnType<typeof createTrading>;

/** Binds the trading actions. Written out, so that `confirm` types the replies. */
export function createTrading(context: ExchangeContext) {
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
