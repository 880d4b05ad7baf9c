import { createInstance, type i18n, type TFunction } from 'i18next';
import { initReactI18next, useTranslation } from 'react-i18next';
import en from '../words/en.json';

/**
 * Every text of the page. A language is one file in `words/`; keys are checked by the compiler. Texts are
 * never markup: what people type into titles and names stays text.
 */

declare module 'i18next' {
  interface CustomTypeOptions {
    readonly defaultNS: 'translation';
    readonly resources: { readonly translation: typeof en };
  }
}

export const words: i18n = createInstance();

void words.use(initReactI18next).init({
  lng: 'en',
  fallbackLng: 'en',
  resources: { en: { translation: en } },
  // React escapes by itself.
  interpolation: { escapeValue: false },
  initAsync: false,
});

export type Words = TFunction;
/** The key of a text. */
export type WordKey = Parameters<TFunction>[0];

/** The texts, for a component. */
export function useWords(): Words {
  return useTranslation(undefined, { i18n: words }).t;
}
