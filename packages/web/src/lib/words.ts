import { createStore } from 'zustand/vanilla';
import { useStore } from 'zustand';
import { texts as common } from 'words:common';
import type en from '../words/en.json';

/**
 * The keys of texts. English is the fallback and is loaded by section. Texts are never markup,
 * because titles are user input.
 */

type WordKey = KeysOf<typeof en>;
type KeysOf<Catalogue> = {
  [Name in keyof Catalogue & string]: Catalogue[Name] extends string
    ? OfAnyNumber<Name>
    : `${Name}.${KeysOf<Catalogue[Name]>}`;
}[keyof Catalogue & string];
type OfAnyNumber<Name extends string> = Name extends `${infer Stem}_${'zero' | 'one' | 'other'}`
  ? Stem
  : Name;

type Given = Readonly<Record<string, string | number | undefined>>;
export type Words = (key: WordKey, given?: Given) => string;

type Texts = { readonly [name: string]: string | Texts };

const GAP = /\{\{(\w+)\}\}/g;
const FALLBACK = 'en';

let english = common as Texts;
const ENGLISH = new Intl.PluralRules(FALLBACK);

const spoken = createStore<{ readonly language: string; readonly t: Words }>(() => ({
  language: FALLBACK,
  t: wordsOf(FALLBACK, {}),
}));

export function speak(tag: string, own: object = {}): void {
  spoken.setState({ language: tag, t: wordsOf(tag, own as Texts) });
}

export function language(): string {
  return spoken.getState().language;
}

export function onLanguage(listener: () => void): void {
  spoken.subscribe((now, before) => {
    if (now.language !== before.language) listener();
  });
}

export function useLanguage(): string {
  return useStore(spoken, (state) => state.language);
}

function wordsOf(tag: string, own: Texts): Words {
  const plural = new Intl.PluralRules(tag);
  return (key, given = {}) => {
    const text = textFor(own, key, given, plural) ?? textFor(english, key, given, ENGLISH);
    return text === undefined ? key : filled(text, given);
  };
}

export const words = {
  get t(): Words {
    return spoken.getState().t;
  },
  exists: (key: string): boolean => typeof at(english, key) === 'string',
};

export function addWords(section: object): void {
  english = { ...english, ...(section as Texts) };
}

export function useWords(): Words {
  return useStore(spoken, ({ t }) => t);
}

function textFor(
  texts: Texts,
  key: string,
  { count }: Given,
  plural: Intl.PluralRules,
): string | undefined {
  const names =
    typeof count === 'number'
      ? [...(count === 0 ? [`${key}_zero`] : []), `${key}_${plural.select(count)}`, key]
      : [key];
  for (const name of names) {
    const found = at(texts, name);
    if (typeof found === 'string') return found;
  }
  return undefined;
}

function at(texts: Texts, key: string): string | Texts | undefined {
  let found: string | Texts | undefined = texts;
  for (const name of key.split('.')) {
    if (typeof found !== 'object' || !Object.hasOwn(found, name)) return undefined;
    found = found[name];
  }
  return found;
}

/**
 * Fills in the placeholders of a text. React escapes markup. Direction characters in names are
 * removed, because they would change the direction of the sentence.
 */
function filled(text: string, given: Given): string {
  return text.replace(GAP, (_, name: string) => inOneDirection(String(given[name] ?? '')));
}

const TURNING = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/**
 * Removes direction characters. With such characters, user input could reverse the price next to it
 * (59¢ as ¢95).
 */
export function inOneDirection(text: string): string {
  return text.replace(TURNING, '');
}
