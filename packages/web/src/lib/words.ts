import { createInstance, type i18n, type TFunction } from 'i18next';
import { initReactI18next, useTranslation } from 'react-i18next';
import { texts as common } from 'words:common';
import type en from '../words/en.json';
import { inOneDirection } from './in-one-direction.ts';

/**
 * Every text of the page. A language is one file in `words/`, loaded by sections (`words:perps`); keys are
 * checked by the compiler. Texts are never markup: what people type into titles and names stays text.
 */

declare module 'i18next' {
  interface CustomTypeOptions {
    readonly defaultNS: 'translation';
    readonly resources: {
      readonly translation: typeof en;
    };
  }
}

export const words: i18n = createInstance();

void words.use(initReactI18next).init({
  lng: 'en',
  fallbackLng: 'en',
  resources: { en: { translation: common } },
  // React escapes markup by itself; what is left to do is that a name does not turn its sentence.
  interpolation: { escapeValue: true, escape: inOneDirection },
  initAsync: false,
});

/** Adds a section of the catalogue, which comes with the screens that show it. */
export function addWords(section: object): void {
  words.addResourceBundle('en', 'translation', section, true, true);
}

export type Words = TFunction;
/** The texts, for a component. */
export function useWords(): Words {
  return useTranslation(undefined, { i18n: words }).t;
}
