import { type Words, words } from '../../lib/words.ts';
import type en from '../../words/en.json';

export type Sentence = {
  readonly text: string;
  /** Which entry of the request it is about, as the venue numbers what became of them. */
  readonly entry?: number | undefined;
  /** Buying and selling have a colour. */
  readonly side?: 'buy' | 'sell' | undefined;
  /** Its prices are of shares, in cents. */
  readonly isOutcome?: boolean | undefined;
};

/** Names an instrument by its id. */
export type NameOf = (id: number) => string;

/** The types of actions that have a name in words. */
type NamedAction = keyof typeof en.explorer.action;

function isNamed(type: string): type is NamedAction {
  return words.exists(`explorer.action.${type}`);
}

/** What an action is called; one that this page does not know keeps its own name. */
export function actionName(type: string, t: Words): string {
  return isNamed(type) ? t(`explorer.action.${type}`) : type;
}

/** Parts of a request as it was received. What does not look as it should is passed over. */

export type Fields = Readonly<Record<string, unknown>>;

export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(textOf) : [];
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
