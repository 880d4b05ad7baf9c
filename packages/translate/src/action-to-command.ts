import type { Authority } from '@oddlot/engine';
import { ACTIONS, type ActionType, refusal, type WireError } from '@oddlot/protocol';
import type { RequestCommand } from '@oddlot/replica/block';
import { ACCOUNT_ACTIONS } from './actions/account.ts';
import { OPERATOR_ACTIONS } from './actions/operator-command.ts';
import { ORDER_ACTIONS } from './actions/orders.ts';
import { OUTCOME_ACTIONS } from './actions/outcome.ts';
import type { ActionTranslation, PlainAction, PlainType } from './actions/translation.ts';
import type { ScaleLookup } from './instruments.ts';

export type { PlainAction } from './actions/translation.ts';
export { type InstrumentLookup, instrumentLookup } from './instruments.ts';

const TRANSLATIONS = {
  ...ORDER_ACTIONS,
  ...ACCOUNT_ACTIONS,
  ...OUTCOME_ACTIONS,
  ...OPERATOR_ACTIONS,
} as const satisfies { readonly [Type in PlainType]: ActionTranslation<Type> };

/** The commands that the records name; a missing one is a compile error in the lookups below. */
type NamedCommand = (typeof TRANSLATIONS)[PlainType]['commands'][number];

export function actionToCommand(
  action: PlainAction,
  authority: Authority,
  instruments: ScaleLookup,
): RequestCommand {
  return translationOf(action).toCommand(action, authority, instruments);
}

/** The reason no state could make the action acceptable; undefined if one could. */
export function refuseUnsupported(action: PlainAction): WireError | undefined {
  return translationOf(action).refuse?.(action);
}

function translationOf({ type }: PlainAction): ActionTranslation<PlainType> {
  return TRANSLATIONS[type] as ActionTranslation<PlainType>;
}

/** The action type of each command; for a multiSig wrapper, that of its inner action. */
export const ACTION_TYPES = Object.fromEntries(
  Object.entries(TRANSLATIONS).flatMap(([type, { commands }]) =>
    commands.map((command) => [command, type]),
  ),
) as Readonly<Record<NamedCommand, PlainType>>;

export const actionTypeOf = ({ type }: Pick<RequestCommand, 'type'>): string => ACTION_TYPES[type];

/** The action type of a command name that came from the engine. */
export const actionTypeNamed = (command: string): string =>
  Object.hasOwn(ACTION_TYPES, command) ? ACTION_TYPES[command as NamedCommand] : command;

/** The `data.type` of replies to a command. */
export const internalNameOf = ({ type }: Pick<RequestCommand, 'type'>): string =>
  ACTIONS[ACTION_TYPES[type]].internalName;

/** The `data.type` of replies to an action type. */
export const internalNameNamed = (action: string): string =>
  Object.hasOwn(ACTIONS, action) ? ACTIONS[action as ActionType].internalName : action;

/** The `details.why` of rejected actions that need the settlement chain. */
export const NO_CHAIN = 'this venue has no settlement chain';

/**
 * Rejects a withdrawal if no chain can pay it (R-withdraw); otherwise the amount would be held
 * forever.
 */
export function refuseWithoutChain(
  command: RequestCommand,
  hasChain = true,
): WireError | undefined {
  if (hasChain || command.type !== 'withdraw') return undefined;
  return refusal('notAllowed', [], { why: NO_CHAIN });
}
