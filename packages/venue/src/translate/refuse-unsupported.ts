import type { ActionOf, ActionType, WireError } from '@oddlot/protocol';
import { refuseCancels } from './actions/cancels.ts';
import { refuseMixed, refuseModify } from './actions/orders.ts';
import { refuseGrouping } from './actions/refuse-grouping.ts';

/** Parts of an action that no state could make acceptable: what the text alone is enough to refuse. */

/** What asks for something; a multiSig wrapper only carries such an action. */
export type PlainType = Exclude<ActionType, 'multiSig'>;
export type PlainAction = ActionOf<PlainType>;

/** Why no state could make the action acceptable; undefined when one could. */
export function refuseUnsupported(action: PlainAction): WireError | undefined {
  switch (action.type) {
    case 'order':
      return refuseMixed(action) ?? refuseGrouping(action);
    case 'modify2':
      return refuseModify(action);
    case 'cancelByCloid':
      return refuseCancels(action);
    default:
      return undefined;
  }
}
