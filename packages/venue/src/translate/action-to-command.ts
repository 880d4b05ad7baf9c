import type { Authority } from '@oddlot/engine';
import type { ActionOf } from '@oddlot/protocol';
import { cancelAll, cancelByClientId, cancelOrders, scheduleCancel } from './actions/cancels.ts';
import type { InstrumentLookup } from './actions/instrument-lookup.ts';
import {
  approveAgent,
  approveBuilder,
  claimBuilderRewards,
  convertToMultiSig,
  revokeBuilder,
} from './actions/keys.ts';
import { sendToken, withdraw } from './actions/money.ts';
import { operatorCommand } from './actions/operator-command.ts';
import { modifyOrder, placeOrders } from './actions/orders.ts';
import { deployCommand, operateOutcome } from './actions/outcome.ts';
import {
  reversePosition,
  updateIsolatedMargin,
  updateLeverage,
  updateMarginMode,
  updatePositionMode,
} from './actions/settings.ts';
import type { RequestCommand } from '../block/request-command.ts';
import type { PlainAction, PlainType } from './refuse-unsupported.ts';

export { instrumentLookup, type InstrumentLookup } from './actions/instrument-lookup.ts';

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
