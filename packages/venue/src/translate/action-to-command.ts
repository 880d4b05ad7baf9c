import type { Authority } from '@oddlot/engine';
import type { Action, ActionOf, ActionType, MultiSigAction, WireError } from '@oddlot/protocol';
import {
  cancelAll,
  cancelByClientId,
  cancelOrders,
  refuseCancels,
  scheduleCancel,
} from './actions/cancels.ts';
import { refuseGrouping } from './actions/grouping.ts';
import {
  approveAgent,
  approveBuilder,
  claimBuilderRewards,
  convertToMultiSig,
  revokeBuilder,
} from './actions/keys.ts';
import { sendToken, withdraw } from './actions/money.ts';
import { operatorCommand } from './actions/operator.ts';
import { modifyOrder, placeOrders, refuseMixed, refuseModify } from './actions/orders.ts';
import type { PerpLookup } from './actions/perp-lookup.ts';
import {
  reversePosition,
  updateIsolatedMargin,
  updateLeverage,
  updateMarginMode,
  updatePositionMode,
} from './actions/settings.ts';
import type { RequestCommand } from './request-command.ts';

export { perpLookup, type PerpLookup } from './actions/perp-lookup.ts';

/** From the wire's spelling to the engine's integers. Nothing is judged here: the engine does. */

type Translation<Type extends ActionType> = {
  readonly toCommand: (
    action: ActionOf<Type>,
    authority: Authority,
    perps: PerpLookup,
  ) => RequestCommand;
  /** Parts of an action that no state could make acceptable. */
  readonly refuse?: (action: ActionOf<Type>) => WireError | undefined;
};

/** The actions that the engine has commands for. */
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
  venueAdmin: { toCommand: operatorCommand },
} as const satisfies { readonly [Type in ActionType]?: Translation<Type> };

export type SupportedAction = ActionOf<keyof typeof TRANSLATIONS>;

/** True for what is served; what a multiSig wrapper carries is asked about on its own. */
export function isSupported(action: Action): action is SupportedAction | MultiSigAction {
  return action.type === 'multiSig' || Object.hasOwn(TRANSLATIONS, action.type);
}

/** Why no state could make the action acceptable; undefined when one could. */
export function refuseUnsupported(action: SupportedAction): WireError | undefined {
  return translationOf(action).refuse?.(action);
}

export function actionToCommand(
  action: SupportedAction,
  authority: Authority,
  perps: PerpLookup,
): RequestCommand {
  return translationOf(action).toCommand(action, authority, perps);
}

/** The table's row, whose functions take just this action. */
function translationOf(action: SupportedAction): Translation<SupportedAction['type']> {
  return TRANSLATIONS[action.type] as Translation<SupportedAction['type']>;
}
