import type { Authority } from '@oddlot/engine';
import { ACTIONS, type ActionType, refusal, type WireError } from '@oddlot/protocol';
import type { RequestCommand } from '@oddlot/replica/block';
import { ACCOUNT_ACTIONS } from './actions/account.ts';
import {
  type ConvertedAction,
  hyperliquidCommand,
  isHyperliquidOnly,
} from './actions/hyperliquid.ts';
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

type NamedCommand = (typeof TRANSLATIONS)[PlainType]['commands'][number];

export function actionToCommand(
  action: ConvertedAction,
  authority: Authority,
  instruments: ScaleLookup,
): RequestCommand {
  if (isHyperliquidOnly(action)) return hyperliquidCommand(action, authority, instruments);
  return translationOf(action).toCommand(action, authority, instruments);
}

/**
 * Returns the reason the action would be rejected in any state, or undefined if it could be
 * accepted in some state.
 */
export function refuseUnsupported(action: PlainAction): WireError | undefined {
  return translationOf(action).refuse?.(action);
}

function translationOf({ type }: PlainAction): ActionTranslation<PlainType> {
  return TRANSLATIONS[type] as ActionTranslation<PlainType>;
}

/**
 * Maps each command to its action type. A multiSig wrapper has no entry, because it becomes the
 * command of its inner action.
 */
export const ACTION_TYPES = Object.fromEntries(
  Object.entries(TRANSLATIONS).flatMap(([type, { commands }]) =>
    commands.map((command) => [command, type]),
  ),
) as Readonly<Record<NamedCommand, PlainType>>;

export const actionTypeOf = ({ type }: Pick<RequestCommand, 'type'>): string => ACTION_TYPES[type];

/**
 * Returns the action type for a command name reported by the engine, or the name itself if it has
 * none.
 */
export const actionTypeNamed = (command: string): string =>
  Object.hasOwn(ACTION_TYPES, command) ? ACTION_TYPES[command as NamedCommand] : command;

/** Returns the `data.type` for the reply to a command. */
export const internalNameOf = ({ type }: Pick<RequestCommand, 'type'>): string =>
  ACTIONS[ACTION_TYPES[type]].internalName;

/** Returns the `data.type` for replies to an action type. */
export const internalNameNamed = (action: string): string =>
  Object.hasOwn(ACTIONS, action) ? ACTIONS[action as ActionType].internalName : action;

/**
 * The value of `details.why` for actions that are rejected because they need the settlement chain.
 */
export const NO_CHAIN = 'this venue has no settlement chain';

/**
 * Rejects a withdrawal if there is no chain to pay it on (R-withdraw), because the amount would be
 * held forever.
 */
export function refuseWithoutChain(
  command: RequestCommand,
  hasChain = true,
): WireError | undefined {
  if (hasChain || command.type !== 'withdraw') return undefined;
  return refusal('notAllowed', [], { why: NO_CHAIN });
}
