import type { Authority } from '@oddlot/engine';
import type { ActionOf, ActionType, WireError } from '@oddlot/protocol';
import type { RequestCommand } from '@oddlot/replica/block';
import type { ScaleLookup } from '../instruments.ts';

/** The action types that become a command; a multiSig wrapper only carries one of them. */
export type PlainType = Exclude<ActionType, 'multiSig'>;
export type PlainAction = ActionOf<PlainType>;

/**
 * The translation of an API action, which has decimal strings, into an engine command, which has
 * integers.
 */
export type ActionTranslation<Type extends PlainType> = {
  /** The types of all commands that the action can become. */
  readonly commands: readonly RequestCommand['type'][];
  /** Rejects an action that could not be accepted in any state, based on the action alone. */
  readonly refuse?: (action: ActionOf<Type>) => WireError | undefined;
  /** Converts the action without validating it; the engine validates commands. */
  readonly toCommand: (
    action: ActionOf<Type>,
    authority: Authority,
    instruments: ScaleLookup,
  ) => RequestCommand;
};

export type ActionTranslations = { readonly [Type in PlainType]?: ActionTranslation<Type> };
