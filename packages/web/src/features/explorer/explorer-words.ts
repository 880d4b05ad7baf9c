import { addWords } from '../../lib/words.ts';
import texts from '../../words/en/explorer.json';

addWords('explorer', texts);

/** The types of actions that have a name in words. */
export type NamedAction = keyof typeof texts.action;

export function isNamed(type: string): type is NamedAction {
  return Object.hasOwn(texts.action, type);
}
