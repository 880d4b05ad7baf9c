import type { SeededRandom } from '../support/seeded.ts';

/** Replacements for a leaf in a request, by the leaf's type. All strings are raw JSON. */

const HUGE_TEXT = JSON.stringify('x'.repeat(20_000));

/** Invalid numbers, and numbers in a form that the API does not allow. */
const ODD_NUMBERS = [
  '1.0',
  '1e3',
  '1E+3',
  '-0',
  '-0.0',
  '0.1',
  '1e-400',
  '1e400',
  '-1e999999',
  '9007199254740992',
  '-9007199254740993',
  '18446744073709551616',
  `1${'0'.repeat(400)}`,
  '01',
  '+1',
  '.5',
  '5.',
  '0x10',
  '1_000',
  'NaN',
  'Infinity',
  '-Infinity',
  '１',
];

/** Integers that a parser accepts, whether or not the venue does. */
const PLAIN_INTEGERS = [
  '0',
  '1',
  '2',
  '7',
  '27',
  '28',
  '-1',
  '99999',
  '100000',
  '2147483647',
  '-2147483648',
  '4294967295',
  '4294967296',
  '9007199254740991',
  '-9007199254740991',
];

const ODD_DECIMALS = [
  '',
  '.',
  '-',
  '.5',
  '5.',
  '+1',
  '-0',
  '-1',
  '1e3',
  '1E-2',
  '0x1',
  '1,000',
  '1_000',
  ' 1',
  '1 ',
  '1\n',
  '1.2.3',
  'NaN',
  'Infinity',
  '٣',
  '１',
  '1\u0000',
  '9'.repeat(33),
  `0.${'0'.repeat(31)}1`,
  '%',
  '1%%',
];

const PLAIN_DECIMALS = [
  '0',
  '0.0',
  '-0.000',
  '00.5',
  '1',
  '1.0',
  '0.000001',
  '0.0000001',
  '123456789.123456',
  '9007199254740993',
  '9'.repeat(32),
  `0.${'0'.repeat(29)}1`,
  '-5',
  '0.05%',
  '100%',
];

const ODD_TEXTS = [
  '""',
  '" "',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\ud83d\\ude00"',
  '"😀"',
  '"\u202Eabc"',
  '"\uFEFF"',
  '"e\u0301"',
  '"\u00E9"',
  '"ﬃ"',
  '"İ"',
  '"ß"',
  '"\u2028"',
  '"__proto__"',
  '"constructor"',
  '"toString"',
  '"null"',
  '"undefined"',
  '"../../etc/passwd"',
  '"%00"',
  '"\\x41"',
  '"\\u12"',
  '"\t"',
  `"${'😀'.repeat(65)}"`,
  HUGE_TEXT,
];

export const OTHER_TYPES = [
  'null',
  'true',
  'false',
  '0',
  '1',
  '-1',
  '""',
  '"x"',
  '[]',
  '{}',
  '[null]',
  '[[]]',
  '{"":null}',
  '{"type":"order"}',
  'undefined',
];

export const ODD_KEYS = [
  '""',
  '"type"',
  '"user"',
  '"nonce"',
  '"action"',
  '"__proto__"',
  '"constructor"',
  '"hasOwnProperty"',
  '"toJSON"',
  '"then"',
  '"isFrontend"',
  '"\\u0000"',
  '"\\ud800"',
  '"é"',
  '"0"',
  '"-1"',
  HUGE_TEXT,
];

/**
 * Returns a leaf with another spelling or another value. About half of the results still match the
 * schema.
 */
export function oddLeaf(raw: string, random: SeededRandom): string {
  if (random.below(12) === 0) return random.pick(OTHER_TYPES);
  if (/^-?\d/.test(raw)) return oddNumber(raw, random);
  if (/^"0[xX][0-9a-fA-F]*"$/.test(raw)) return oddHex(raw, random);
  if (/^"-?\d+(?:\.\d+)?%?"$/.test(raw)) return oddDecimal(raw, random);
  if (raw.startsWith('"')) return oddText(raw, random);
  return random.pick(['true', 'false', 'null', '0', '1', '"true"', '"false"', 'True', '[]']);
}

/**
 * Returns another value of the same kind. Most results match the schema, and none matches the
 * signature.
 */
export function otherLeaf(raw: string, random: SeededRandom): string {
  const digit = String(random.below(10));
  if (/^-?\d+$/.test(raw)) return String(Number(raw) + random.pick([1, -1, 2, 1000, -86_400_000]));
  if (/^"0x[0-9a-fA-F]+"$/.test(raw)) {
    if (random.below(4) === 0) return `"0x${raw.slice(3, -1).toUpperCase()}"`;
    return withDigit(raw, 3 + random.below(raw.length - 4), random.below(16).toString(16));
  }
  if (/^"-?\d+(?:\.\d+)?%?"$/.test(raw)) {
    return random.below(3) === 0 ? `${raw.slice(0, -1)}0"` : withDigit(raw, raw.length - 2, digit);
  }
  if (raw === 'true' || raw === 'false') return raw === 'true' ? 'false' : 'true';
  if (raw.startsWith('"')) return random.pick([raw.toLowerCase(), raw.toUpperCase(), '"x"', raw]);
  return raw;
}

function withDigit(raw: string, at: number, digit: string): string {
  return raw.slice(0, at) + digit + raw.slice(at + 1);
}

function oddNumber(raw: string, random: SeededRandom): string {
  const value = Number(raw);
  switch (random.below(6)) {
    case 0:
      return random.pick(ODD_NUMBERS);
    case 1:
      return random.pick(PLAIN_INTEGERS);
    case 2:
      return `"${raw}"`;
    case 3:
      return random.pick([`${raw}.0`, `${raw}e0`, `${raw}0`, `-${raw}`, `${raw}.5`]);
    case 4:
      return String(Math.floor(value / 1000));
    default:
      return String(value + random.pick([1, -1, 1000, -1000, 86_400_000, -172_800_001]));
  }
}

function oddDecimal(raw: string, random: SeededRandom): string {
  const digits = raw.slice(1, -1);
  switch (random.below(6)) {
    case 0:
      return JSON.stringify(random.pick(ODD_DECIMALS));
    case 1:
      return JSON.stringify(random.pick(PLAIN_DECIMALS));
    case 2:
      return digits;
    case 3:
      return `"${digits}0"`;
    case 4:
      return `"${random.pick(['-', '0', '1', '9'])}${digits}"`;
    default:
      return `"${digits.slice(0, -1)}${random.below(10)}"`;
  }
}

function oddHex(raw: string, random: SeededRandom): string {
  const digits = raw.slice(3, -1);
  const at = random.below(Math.max(1, digits.length));
  switch (random.below(10)) {
    case 0:
      return `"0x${digits.slice(1)}"`;
    case 1:
      return `"0x${digits}${random.below(10)}"`;
    case 2:
      return `"0x${digits.toUpperCase()}"`;
    case 3:
      return random.pick([
        `"0X${digits}"`,
        `"${digits}"`,
        '"0x"',
        `"0x${digits} "`,
        `"x${digits}"`,
      ]);
    case 4:
      return `"0x${digits.slice(0, at)}g${digits.slice(at + 1)}"`;
    case 5:
      return `"0x${random.pick(['0', 'f', '7']).repeat(random.pick([1, 32, 40, 64, 65, 130]))}"`;
    default:
      return `"0x${digits.slice(0, at)}${random.below(16).toString(16)}${digits.slice(at + 1)}"`;
  }
}

function oddText(raw: string, random: SeededRandom): string {
  const text = raw.slice(1, -1);
  const at = random.below(Math.max(1, text.length));
  switch (random.below(6)) {
    case 0:
    case 1:
      return random.pick(ODD_TEXTS);
    case 2:
      return `"${text.toUpperCase()}"`;
    case 3:
      return `"${text}${random.pick([' ', '\\u0000', '\\n', 'x', '\u0301'])}"`;
    case 4:
      return `"${text.slice(0, at)}${escaped(text.charAt(at))}${text.slice(at + 1)}"`;
    default:
      return `"${text.slice(0, at)}${text.slice(at + 1)}"`;
  }
}

/** Returns the character as a six-character escape, which a parser must treat as equal. */
export function escaped(character: string): string {
  if (!/^[0-9A-Za-z]$/.test(character)) return character;
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
