import { words, type Words } from '../../lib/words.ts';
import type en from '../../words/en.json';

/** The types of actions that have a name in words. */
type NamedAction = keyof typeof en.explorer.action;

function isNamed(type: string): type is NamedAction {
  return words.exists(`explorer.action.${type}`);
}

/** What an action is called; one that this page does not know keeps its own name. */
export function actionName(type: string, t: Words): string {
  return isNamed(type) ? t(`explorer.action.${type}`) : type;
}
