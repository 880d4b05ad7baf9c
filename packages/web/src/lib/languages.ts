/** A language of the page: its own name for itself, and its file where it is not the one that comes along. */
type Language = {
  readonly name: string;
  readonly load?: () => Promise<{ readonly default: object }>;
};

export type LanguageTag = 'en' | 'de';
export const LANGUAGES: Readonly<Record<LanguageTag, Language>> = {
  en: { name: 'English' },
  de: { name: 'Deutsch', load: () => import('../words/de.json') },
};
export const LANGUAGE_TAGS = Object.keys(LANGUAGES) as readonly LanguageTag[];

/** The first of somebody's languages that the page has; else the one that comes along. */
export function firstKnown(wanted: readonly string[]): LanguageTag {
  for (const tag of wanted) {
    const [base] = tag.toLowerCase().split('-');
    const known = LANGUAGE_TAGS.find((each) => each === base);
    if (known !== undefined) return known;
  }
  return 'en';
}

/** The locale of numbers and dates: the browser's, as long as nobody chooses another. */
let chosen: string | undefined;
let found: string | undefined;

const FALLBACK = 'en-US';

export function locale(): string {
  found ??= usable(globalThis.navigator?.language);
  return chosen ?? found;
}

/** Undefined goes back to the browser's own locale. */
export function chooseLocale(tag: string | undefined): void {
  chosen = tag === undefined ? undefined : usable(tag);
}

/**
 * Programs of others format with the browser's language as soon as they are loaded, and fail where no formatter
 * takes it. Called before such a one is.
 */
export function mendLanguage(): void {
  const language = usable(navigator.language);
  if (language === navigator.language) return;
  Object.defineProperty(navigator, 'language', { configurable: true, get: () => language });
}

/**
 * Some systems name a locale that no formatter takes, such as `en-US@posix`. Digits are Latin in all of them as
 * long as the texts beside them are: a screen with two kinds of digits is read wrong.
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
