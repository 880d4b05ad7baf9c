import { createInstance, type i18n, type TFunction } from 'i18next';
import { initReactI18next, useTranslation } from 'react-i18next';
import en from '../words/en.json';
import type account from '../words/en/account.json';
import type builder from '../words/en/builder.json';
import type explorer from '../words/en/explorer.json';
import type operate from '../words/en/operate.json';
import type portfolio from '../words/en/portfolio.json';

/**
 * Every text of the page. A language is one file in `words/`; keys are checked by the compiler. Texts are
 * never markup: what people type into titles and names stays text.
 */

declare module 'i18next' {
  interface CustomTypeOptions {
    readonly defaultNS: 'translation';
    readonly resources: {
      readonly translation: typeof en & {
        readonly account: typeof account;
        readonly builder: typeof builder;
        readonly explorer: typeof explorer;
        readonly operate: typeof operate;
        readonly portfolio: typeof portfolio;
      };
    };
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

/** Adds the texts of a feature, which come with its screens: nobody loads those of a screen that is not opened. */
export function addWords(section: string, texts: object): void {
  words.addResourceBundle('en', 'translation', { [section]: texts }, true, true);
}

export type Words = TFunction;
/** The key of a text. */
export type WordKey = Parameters<TFunction>[0];

/** The texts, for a component. */
export function useWords(): Words {
  return useTranslation(undefined, { i18n: words }).t;
}
