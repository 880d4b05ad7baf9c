import type { Authority } from '@oddlot/engine';
import type { ActionOf, ActionType, WireError } from '@oddlot/protocol';
import {
  cancelAll,
  cancelByClientId,
  cancelOrders,
  refuseCancels,
  scheduleCancel,
} from './actions/cancels.ts';
import { refuseGrouping } from './actions/refuse-grouping.ts';
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
import { modifyOrder, placeOrders, refuseMixed, refuseModify } from './actions/orders.ts';
import { deployCommand, operateOutcome } from './actions/outcome.ts';
import {
  reversePosition,
  updateIsolatedMargin,
  updateLeverage,
  updateMarginMode,
  updatePositionMode,
} from './actions/settings.ts';
import type { RequestCommand } from '../block/request-command.ts';

export { instrumentLookup, type InstrumentLookup } from './actions/instrument-lookup.ts';

/** From the wire's spelling to the engine's integers. Nothing is judged here: the engine does. */

/** What asks for something; a multiSig wrapper only carries such an action. */
type PlainType = Exclude<ActionType, 'multiSig'>;
export type PlainAction = ActionOf<PlainType>;

type Translation<Type extends PlainType> = {
  readonly toCommand: (
    action: ActionOf<Type>,
    authority: Authority,
    instruments: InstrumentLookup,
  ) => RequestCommand;
  /** Parts of an action that no state could make acceptable. */
  readonly refuse?: (action: ActionOf<Type>) => WireError | undefined;
};

const TRANSLATIONS = {
  order: {
    toCommand: placeOrders,
    refuse: (action) => refuseMixed(action) ?? refuseGrouping(action),
  },
  modify2: { toCommand: modifyOrder, refuse: refuseModify },
  cancel: { toCommand: cancelOrders },
  cancelByCloid: { toCommand: cancelByClientId, refuse: refuseCancels },
  cancelAll: { toCommand: cancelAll },
  scheduleCancel: { toCommand: scheduleCancel },
  reversePosition: { toCommand: reversePosition },
  approveAgent: { toCommand: approveAgent },
  approveBuilderFee: { toCommand: approveBuilder },
  revokeBuilderFee: { toCommand: revokeBuilder },
  claimBuilderRewards: { toCommand: claimBuilderRewards },
  convertToMultiSigUser: { toCommand: convertToMultiSig },
  tokenSend: { toCommand: sendToken },
  withdraw3: { toCommand: withdraw },
  updatePositionMode: { toCommand: updatePositionMode },
  updateLeverage: { toCommand: updateLeverage },
  updateMarginMode: { toCommand: updateMarginMode },
  updateIsolatedMargin: { toCommand: updateIsolatedMargin },
  outcomeOperate: { toCommand: operateOutcome },
  outcomeDeploy: { toCommand: deployCommand },
  venueAdmin: { toCommand: operatorCommand },
} as const satisfies { readonly [Type in PlainType]: Translation<Type> };

/** Why no state could make the action acceptable; undefined when one could. */
export function refuseUnsupported(action: PlainAction): WireError | undefined {
  return translationOf(action).refuse?.(action);
}

export function actionToCommand(
  action: PlainAction,
  authority: Authority,
  instruments: InstrumentLookup,
): RequestCommand {
  return translationOf(action).toCommand(action, authority, instruments);
}

/** The table's row, whose functions take just this action. */
function translationOf(action: PlainAction): Translation<PlainAction['type']> {
  return TRANSLATIONS[action.type] as Translation<PlainAction['type']>;
}
