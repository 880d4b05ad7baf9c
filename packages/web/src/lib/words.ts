import { createStore } from 'zustand/vanilla';
import { useStore } from 'zustand';
import { texts as common } from 'words:common';
import type en from '../words/en.json';

/**
 * Every text of the page. A language is one file in `words/`; the English one, which is also what another lacks, is
 * loaded by sections (`words:perps`). Keys are checked by the compiler. Texts are never markup: what people type into
 * titles and names stays text.
 */

/** The name of a text, `header.testnet`; of one that depends on a number without its ending. */
type WordKey = KeysOf<typeof en>;
type KeysOf<Catalogue> = {
  [Name in keyof Catalogue & string]: Catalogue[Name] extends string
    ? OfAnyNumber<Name>
    : `${Name}.${KeysOf<Catalogue[Name]>}`;
}[keyof Catalogue & string];
type OfAnyNumber<Name extends string> = Name extends `${infer Stem}_${'zero' | 'one' | 'other'}`
  ? Stem
  : Name;

/** What stands in a text: `{{size}}` is replaced by `size`, and `count` chooses among the forms of a word. */
type Given = Readonly<Record<string, string | number | undefined>>;
export type Words = (key: WordKey, given?: Given) => string;

type Texts = { readonly [name: string]: string | Texts };

const GAP = /\{\{(\w+)\}\}/g;
const FALLBACK = 'en';

/** What has been loaded of English. It only grows, and by what nothing that is drawn already shows. */
let english = common as Texts;
const ENGLISH = new Intl.PluralRules(FALLBACK);

/** Another function for another language, so that what shows texts is drawn anew. */
const spoken = createStore<{ readonly language: string; readonly t: Words }>(() => ({
  language: FALLBACK,
  t: wordsOf(FALLBACK, {}),
}));

/** From now on texts are those of another language; what it lacks is English. */
export function speak(tag: string, own: object = {}): void {
  spoken.setState({ language: tag, t: wordsOf(tag, own as Texts) });
}

export function language(): string {
  return spoken.getState().language;
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

/** The texts outside of components. */
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

/** The form for a number where there is one: none at all, else what the language has for it. */
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

/** React escapes markup by itself; what is left to do is that a name does not turn its sentence. */
function filled(text: string, given: Given): string {
  return text.replace(GAP, (_, name: string) => inOneDirection(String(given[name] ?? '')));
}

/** Signs that turn the direction of the text around them: embeddings, overrides, isolates and marks. */
const TURNING = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/**
 * A text without signs that turn its direction. Whoever names an outcome could make the price beside it read
 * backwards (59¢ as ¢95); what is written from right to left still is.
 */
export function inOneDirection(text: string): string {
  return text.replace(TURNING, '');
}
