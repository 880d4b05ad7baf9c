import { words } from '../../lib/words.ts';
import type en from '../../words/en.json';

/** The types of actions that have a name in words. */
export type NamedAction = keyof typeof en.explorer.action;

export function isNamed(type: string): type is NamedAction {
  return words.exists(`explorer.action.${type}`);
}
