import type { Authority } from '@oddlot/engine';
import type { Action, ActionOf, ActionType, WireError } from '@oddlot/protocol';
import {
  cancelAll,
  cancelByClientId,
  cancelOrders,
  refuseCancels,
  scheduleCancel,
} from './actions/cancels.ts';
import { refuseGrouping } from './actions/grouping.ts';
import { operatorCommand, refuseOperator } from './actions/operator.ts';
import { modifyOrder, placeOrders, refuseMixed, refuseModify } from './actions/orders.ts';
import type { PerpLookup } from './actions/perp-lookup.ts';
import {
  approveAgent,
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
  updatePositionMode: { toCommand: updatePositionMode },
  updateLeverage: { toCommand: updateLeverage },
  updateMarginMode: { toCommand: updateMarginMode },
  updateIsolatedMargin: { toCommand: updateIsolatedMargin },
  venueAdmin: { toCommand: operatorCommand, refuse: refuseOperator },
} as const satisfies { readonly [Type in ActionType]?: Translation<Type> };

export type SupportedAction = ActionOf<keyof typeof TRANSLATIONS>;

export function isSupported(action: Action): action is SupportedAction {
  return Object.hasOwn(TRANSLATIONS, action.type);
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
