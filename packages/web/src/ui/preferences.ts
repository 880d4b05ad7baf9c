import { createStore } from 'zustand/vanilla';
import { keepText, readText } from '../lib/browser.ts';
import { chooseLocale, firstKnown, LANGUAGES, type LanguageTag } from '../lib/languages.ts';
import { speak } from '../lib/words.ts';

type Preferences = {
  readonly language: LanguageTag | 'browser';
  readonly theme: 'dark' | 'light' | 'system';
  readonly sides: 'green-red' | 'blue-orange';
  readonly hasSound: boolean;
  /** Thresholds, as a percentage of the margin usage at which liquidation starts. */
  readonly marginShownFrom: number;
  readonly marginNoticeFrom: number;
  readonly confirmOrders: 'never' | 'above' | 'always';
  readonly confirmAbove: string;
  readonly hasOneClick: boolean;
  readonly sizePresets: readonly string[];
};

const KEY = 'oddlot.preferences';
const DEFAULTS: Preferences = {
  language: 'browser',
  theme: 'dark',
  sides: 'green-red',
  hasSound: false,
  marginShownFrom: 50,
  marginNoticeFrom: 80,
  confirmOrders: 'never',
  confirmAbove: '10000',
  hasOneClick: false,
  sizePresets: [],
};

export const preferences = createStore<Preferences>(() => ({
  ...DEFAULTS,
  ...storedPreferences(),
}));

export function prefer(change: Partial<Preferences>): void {
  preferences.setState(change);
  keepText(KEY, JSON.stringify(preferences.getState()));
}

export function applyPreferences(): void {
  const light = globalThis.matchMedia('(prefers-color-scheme: light)');
  const apply = (): void => {
    const { sides, theme } = preferences.getState();
    const isLight = theme === 'light' || (theme === 'system' && light.matches);
    document.documentElement.dataset['theme'] = isLight ? 'light' : 'dark';
    document.documentElement.dataset['sides'] = sides;
    const panel = getComputedStyle(document.documentElement).getPropertyValue('--panel').trim();
    document.querySelector('meta[name="theme-color"]')?.setAttribute('content', panel);
  };
  apply();
  preferences.subscribe(apply);
  light.addEventListener('change', apply);
}

function storedPreferences(): Partial<Preferences> {
  try {
    return JSON.parse(readText(KEY) ?? '{}') as Partial<Preferences>;
  } catch {
    return {};
  }
}

/**
 * Loads the selected language. The page remains in English if the language's file cannot be loaded.
 */
export async function applyLanguage(): Promise<void> {
  preferences.subscribe(({ language }, before) => {
    if (language !== before.language) void speakAsChosen();
  });
  await speakAsChosen();
}

async function speakAsChosen(): Promise<void> {
  await turnTo(wanted(preferences.getState().language)).catch(() => undefined);
}

function wanted(chosen: LanguageTag | 'browser'): LanguageTag {
  return chosen === 'browser' ? firstKnown(navigator.languages) : firstKnown([chosen]);
}

async function turnTo(tag: LanguageTag): Promise<void> {
  const texts = await LANGUAGES[tag].load?.();
  // Regional variants have their own number formats.
  chooseLocale(
    navigator.language.toLowerCase().startsWith(tag)
      ? undefined
      : preferences.getState().language === 'browser'
        ? undefined
        : tag,
  );
  speak(tag, texts?.default);
  Object.assign(document.documentElement, { lang: tag, dir: 'ltr' });
}
