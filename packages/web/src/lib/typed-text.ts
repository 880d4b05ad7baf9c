import { locale } from './languages.ts';

/**
 * The separators and digits of a locale. Input is parsed according to the user's locale, so that a
 * price copied from the screen keeps its value.
 */

type Signs = Readonly<{ group: string; middle: number; decimal: string; zero: number }>;

const SPACES = /[\s’'_]/g;
const PLAIN = /^-?\d*\.?\d*$/;
const LATIN_ZERO = 48;

let known: { readonly tag: string; readonly signs: Signs } | undefined;

/**
 * Parses a number as it is typed, which may be incomplete (`-`). The locale resolves ambiguous
 * separators.
 */
export function typedNumber(text: string, tag: string = locale()): string | undefined {
  const signs = signsOf(tag);
  const typed = latin(text, signs.zero).replace(SPACES, '').replace(/^−/, '-');
  const { decimal, group } = signs;
  const [whole = '', ...fractions] = typed.split(decimal);
  if (fractions.length <= 1 && isGrouped(whole, signs)) {
    return plain([whole.replaceAll(group, ''), ...fractions].join('.'));
  }
  // In a locale with a decimal comma, the user typed `97.5`; in one with a decimal point, `97,5`.
  const other = decimal === ',' ? '.' : ',';
  const [before = '', ...after] = typed.split(other);
  if (after.length === 1 && !typed.includes(decimal)) return plain(`${before}.${after[0]}`);
  return undefined;
}

export function fieldText(value: string, tag: string = locale()): string {
  return value.replace('.', signsOf(tag).decimal);
}

function isGrouped(whole: string, { group, middle }: Signs): boolean {
  if (!whole.includes(group)) return true;
  const [first = '', ...rest] = whole.replace(/^-/, '').split(group);
  if (!/^\d{1,3}$/.test(first) || first === '0' || first.length > middle) return false;
  return rest.every(
    (part, at) => /^\d+$/.test(part) && part.length === (at === rest.length - 1 ? 3 : middle),
  );
}

/** Returns decimal text. `.5` and `5.` are accepted. */
function plain(text: string): string | undefined {
  if (!PLAIN.test(text)) return undefined;
  return text.replace(/^(-?)\.(?=\d)/, '$10.').replace(/(?<=\d)\.$/, '');
}

function latin(text: string, zero: number): string {
  if (zero === LATIN_ZERO) return text;
  return Array.from(text, (sign) => {
    const digit = (sign.codePointAt(0) ?? 0) - zero;
    return digit >= 0 && digit <= 9 ? String(digit) : sign;
  }).join('');
}

function signsOf(tag: string): Signs {
  if (known?.tag === tag) return known.signs;
  const formatter = new Intl.NumberFormat(tag, { useGrouping: 'always' });
  const parts = formatter.formatToParts(-123_456_789.8);
  const sign = (type: string): string | undefined =>
    parts.find((part) => part.type === type)?.value;
  const signs = {
    group: (sign('group') ?? ',').replace(SPACES, '') || ' ',
    middle: parts.filter(({ type }) => type === 'integer').at(-2)?.value.length ?? 3,
    decimal: sign('decimal') ?? '.',
    zero: formatter.format(0).codePointAt(0) ?? LATIN_ZERO,
  };
  known = { tag, signs };
  return signs;
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

export function isAddress(text: string): boolean {
  return ADDRESS.test(text);
}

export function isLike(name: string, wanted: string): boolean {
  return name.toLowerCase().includes(wanted.trim().toLowerCase());
}
