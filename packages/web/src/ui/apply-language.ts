import { chooseLocale } from '../lib/locale.ts';
import { firstKnown, LANGUAGES, type LanguageTag } from '../lib/languages.ts';
import { speak } from '../lib/words.ts';
import { preferences } from './preferences.ts';

/**
 * Speaks the language that its reader chose, or the first of the browser's that the page has, now and whenever another
 * is chosen. Resolves when the first one is there; where its file can't be had the page is English.
 */
export async function applyLanguage(): Promise<void> {
  preferences.subscribe(({ language }, before) => {
    if (language !== before.language) void speakAsChosen();
  });
  await speakAsChosen();
}

/** Goes back to the language that was chosen, from one that is only tried. */
export async function speakAsChosen(): Promise<void> {
  await turnTo(wanted(preferences.getState().language)).catch(() => undefined);
}

function wanted(chosen: LanguageTag | 'browser'): LanguageTag {
  return chosen === 'browser' ? firstKnown(navigator.languages) : firstKnown([chosen]);
}

async function turnTo(tag: LanguageTag): Promise<void> {
  const texts = await LANGUAGES[tag].load?.();
  // The browser's own form of a language has its own form of numbers.
  chooseLocale(navigator.language.toLowerCase().startsWith(tag) ? undefined : localeFor(tag));
  speak(tag, texts?.default);
  Object.assign(document.documentElement, { lang: tag, dir: 'ltr' });
}

/** Where the page has no texts in the browser's language, numbers and dates are the browser's all the same. */
function localeFor(tag: LanguageTag): string | undefined {
  return preferences.getState().language === 'browser' ? undefined : tag;
}
