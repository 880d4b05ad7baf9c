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
