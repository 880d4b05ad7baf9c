type Language = Readonly<{ name: string; load?: () => Promise<{ readonly default: object }> }>;

export type LanguageTag = 'en' | 'de';
export const LANGUAGES: Readonly<Record<LanguageTag, Language>> = {
  en: { name: 'English' },
  de: { name: 'Deutsch', load: () => import('../words/de.json') },
};
export const LANGUAGE_TAGS = Object.keys(LANGUAGES) as readonly LanguageTag[];

export function firstKnown(wanted: readonly string[]): LanguageTag {
  for (const tag of wanted) {
    const [base] = tag.toLowerCase().split('-');
    const known = LANGUAGE_TAGS.find((each) => each === base);
    if (known !== undefined) return known;
  }
  return 'en';
}

let chosen: string | undefined;
let found: string | undefined;

const FALLBACK = 'en-US';

export function locale(): string {
  found ??= usable(globalThis.navigator?.language);
  return chosen ?? found;
}

export function chooseLocale(tag: string | undefined): void {
  chosen = tag === undefined ? undefined : usable(tag);
}

/**
 * Replaces the browser's language if it is invalid. This must be called first, because libraries
 * read the language when they load and fail if it is invalid.
 */
export function mendLanguage(): void {
  const language = usable(navigator.language);
  if (language === navigator.language) return;
  Object.defineProperty(navigator, 'language', { configurable: true, get: () => language });
}

/**
 * Returns a locale that the page can use. Some systems report invalid locales such as
 * `en-US@posix`. Locales with non-Latin digits are avoided, because mixed digits are easily
 * misread.
 */
function usable(tag: string | undefined): string {
  try {
    const known = Intl.NumberFormat.supportedLocalesOf(tag ?? FALLBACK)[0] ?? FALLBACK;
    const { numberingSystem } = new Intl.NumberFormat(known).resolvedOptions();
    return numberingSystem === 'latn'
      ? known
      : new Intl.Locale(known, { numberingSystem: 'latn' }).toString();
  } catch {
    return FALLBACK;
  }
}
