import type { Authority } from '@oddlot/engine';
import type { ActionOf, ActionType, WireError } from '@oddlot/protocol';
import type { RequestCommand } from '@oddlot/replica/block';
import type { ScaleLookup } from '../instruments.ts';

/** Actions that become a command; a multiSig wrapper only contains such an action. */
export type PlainType = Exclude<ActionType, 'multiSig'>;
export type PlainAction = ActionOf<PlainType>;

/** The translation of an action from API texts to an engine command with integers. */
export type ActionTranslation<Type extends PlainType> = {
  /** The types of the commands that the action may become. */
  readonly commands: readonly RequestCommand['type'][];
  /** Rejects actions that no state could make acceptable, as far as the action alone shows. */
  readonly refuse?: (action: ActionOf<Type>) => WireError | undefined;
  /** Does not validate; the engine does. */
  readonly toCommand: (
    action: ActionOf<Type>,
    authority: Authority,
    instruments: ScaleLookup,
  ) => RequestCommand;
};

/** The actions of one subject; `action-to-command.ts` joins these records. */
export type ActionTranslations = { readonly [Type in PlainType]?: ActionTranslation<Type> };
