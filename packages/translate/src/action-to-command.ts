import type { Authority } from '@oddlot/engine';
import { type ActionOf, refusal, type WireError } from '@oddlot/protocol';
import {
  cancelAll,
  cancelByClientId,
  cancelOrders,
  modifyOrder,
  placeOrders,
  type PlainAction,
  type PlainType,
  scheduleCancel,
} from './actions/orders.ts';
import type { InstrumentLookup } from './instruments.ts';
import {
  approveAgent,
  approveBuilder,
  claimBuilderRewards,
  convertToMultiSig,
  reversePosition,
  revokeBuilder,
  sendToken,
  updateIsolatedMargin,
  updateLeverage,
  updateMarginMode,
  updatePositionMode,
  withdraw,
} from './actions/account.ts';
import { operatorCommand } from './actions/operator-command.ts';
import { deployCommand, operateOutcome } from './actions/outcome.ts';
import type { RequestCommand } from '@oddlot/replica/block';
export { type InstrumentLookup, instrumentLookup } from './instruments.ts';

/** From the wire's spelling to the engine's integers. Nothing is judged here: the engine does. */

type Translation<Type extends PlainType> = (
  action: ActionOf<Type>,
  authority: Authority,
  instruments: InstrumentLookup,
) => RequestCommand;

const TRANSLATIONS = {
  order: placeOrders,
  modify2: modifyOrder,
  cancel: cancelOrders,
  cancelByCloid: cancelByClientId,
  cancelAll: cancelAll,
  scheduleCancel: scheduleCancel,
  reversePosition: reversePosition,
  approveAgent: approveAgent,
  approveBuilderFee: approveBuilder,
  revokeBuilderFee: revokeBuilder,
  claimBuilderRewards: claimBuilderRewards,
  convertToMultiSigUser: convertToMultiSig,
  tokenSend: sendToken,
  withdraw3: withdraw,
  updatePositionMode: updatePositionMode,
  updateLeverage: updateLeverage,
  updateMarginMode: updateMarginMode,
  updateIsolatedMargin: updateIsolatedMargin,
  outcomeOperate: operateOutcome,
  outcomeDeploy: deployCommand,
  venueAdmin: operatorCommand,
} as const satisfies { readonly [Type in PlainType]: Translation<Type> };

export function actionToCommand(
  action: PlainAction,
  authority: Authority,
  instruments: InstrumentLookup,
): RequestCommand {
  // The table's row, which takes just this action.
  const translation = TRANSLATIONS[action.type] as Translation<PlainAction['type']>;
  return translation(action, authority, instruments);
}

/** Named in `details.why` of every refusal of an action that needs the settlement chain. */
export const NO_CHAIN = 'this venue has no settlement chain';

/** Refuses a withdrawal where no chain can pay it (R-withdraw): otherwise the amount would be held for ever. */
export function refuseWithoutChain(
  command: RequestCommand,
  hasChain = true,
): WireError | undefined {
  if (hasChain || command.type !== 'withdraw') return undefined;
  return refusal('notAllowed', [], { why: NO_CHAIN });
}
