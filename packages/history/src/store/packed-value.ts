import { HistoryDamagedError } from './store-errors.ts';
import { type ByteReader, type ByteWriter, INT_MAX } from '@oddlot/replica/codec/bytes';

/**
 * The kinds of encoded values: a byte for the kind, then the content. All JSON values are
 * supported, and frequent values are short. `absent` stands for a missing field.
 */
const KINDS = {
  absent: 0,
  null: 1,
  false: 2,
  true: 3,
  int: 4,
  decimal: 5,
  hex: 6,
  text: 7,
  json: 8,
  emptyList: 9,
} as const;

/**
 * The first kind of a column. The kinds between this one and those of words are also kinds of
 * columns.
 */
export const FIRST_COLUMN_KIND = 16;

export function isInt(value: unknown): value is number {
  return Number.isInteger(value) && Math.abs(value as number) < INT_MAX && !Object.is(value, -0);
}

export function writeValue(writer: ByteWriter, value: unknown): void {
  if (typeof value === 'string') writeText(writer, value);
  else if (isInt(value)) {
    writer.byte(KINDS.int);
    writer.int(value);
  } else if (value === undefined) writer.byte(KINDS.absent);
  else if (value === null) writer.byte(KINDS.null);
  else if (value === false) writer.byte(KINDS.false);
  else if (value === true) writer.byte(KINDS.true);
  else if (Array.isArray(value) && value.length === 0) writer.byte(KINDS.emptyList);
  else {
    writer.byte(KINDS.json);
    writer.utf8(JSON.stringify(value));
  }
}

function writeText(writer: ByteWriter, text: string): void {
  const word = byteOfWord(text);
  if (word !== undefined) {
    writer.byte(word);
    return;
  }
  const decimal = decimalOf(text);
  if (decimal !== undefined) {
    writer.byte(KINDS.decimal);
    writer.int(decimal);
  } else if (text.startsWith('0x') && HEX.test(text)) {
    writer.byte(KINDS.hex);
    writer.int((text.length - 2) / 2);
    writer.digits(text.slice(2));
  } else {
    writer.byte(KINDS.text);
    writer.utf8(text);
  }
}

const HEX = /^0x(?:[0-9a-f]{2})+$/;

/**
 * The result of decoding: either the value or its JSON. Producing the JSON directly is cheaper than
 * decoding the value and encoding it again.
 */
export type Form<Cell> = {
  readonly ofInt: (value: number) => Cell;
  /** Creates the result for a decimal text. `value` is the text packed as a number. */
  readonly ofDecimal: (value: number) => Cell;
  readonly read: (reader: ByteReader, kind?: number) => Cell | undefined;
};

export const AS_VALUES: Form<unknown> = {
  ofInt: (value) => value,
  ofDecimal: decimalText,
  read: readValue,
};

/** Texts of these kinds do not contain characters that JSON escapes; other texts are escaped. */
export const AS_JSON: Form<string> = {
  ofInt: String,
  ofDecimal: (value) => `"${decimalText(value)}"`,
  read: readJson,
};

function readValue(reader: ByteReader, kind = reader.byte()): unknown {
  switch (kind) {
    case KINDS.absent:
      return undefined;
    case KINDS.null:
      return null;
    case KINDS.false:
      return false;
    case KINDS.true:
      return true;
    case KINDS.int:
      return reader.int();
    case KINDS.decimal:
      return decimalText(reader.int());
    case KINDS.hex:
      return hexText(reader);
    case KINDS.text:
      return reader.utf8();
    case KINDS.json:
      return JSON.parse(reader.utf8());
    case KINDS.emptyList:
      return [];
    default:
      return known(wordOfByte(kind));
  }
}

function readJson(reader: ByteReader, kind = reader.byte()): string | undefined {
  switch (kind) {
    case KINDS.absent:
      return undefined;
    case KINDS.null:
      return 'null';
    case KINDS.false:
      return 'false';
    case KINDS.true:
      return 'true';
    case KINDS.int:
      return String(reader.int());
    case KINDS.decimal:
      return `"${decimalText(reader.int())}"`;
    case KINDS.hex:
      return `"${hexText(reader)}"`;
    case KINDS.text:
      return JSON.stringify(reader.utf8());
    case KINDS.json:
      return reader.utf8();
    case KINDS.emptyList:
      return '[]';
    default:
      return known(textOfByte(kind));
  }
}

function hexText(reader: ByteReader): string {
  return `0x${reader.raw(reader.int()).toString('hex')}`;
}

function known(word: string | undefined): string {
  if (word === undefined) throw new HistoryDamagedError('packed rows contain an unknown value');
  return word;
}

/** A decimal text is packed as its digits times this number, plus the number of decimals. */
const SCALES = 16;
const ZERO = 0x30;
const POINT = 0x2e;
const MINUS = 0x2d;

/**
 * Packs a decimal text into a number: its digits without the point, then its scale. Returns
 * undefined if the text is not a decimal or could not be restored exactly.
 */
export function decimalOf(text: string): number | undefined {
  const { length } = text;
  const isNegative = text.charCodeAt(0) === MINUS;
  const first = isNegative ? 1 : 0;
  // With more digits, the packed number would not be exact.
  if (length === first || length - first > 15) return undefined;
  let digits = 0;
  let point = -1;
  for (let at = first; at < length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === POINT) {
      if (point !== -1 || at === first) return undefined;
      point = at;
      continue;
    }
    const digit = code - ZERO;
    if (digit < 0 || digit > 9) return undefined;
    digits = digits * 10 + digit;
  }
  if (point === length - 1 || (isNegative && digits === 0)) return undefined;
  // Only one zero may precede the point, because more could not be restored.
  const whole = (point === -1 ? length : point) - first;
  if (whole > 1 && text.charCodeAt(first) === ZERO) return undefined;
  const scale = point === -1 ? 0 : length - 1 - point;
  const value = digits * SCALES + scale;
  if (value >= INT_MAX) return undefined;
  return isNegative ? -value : value;
}

export function decimalText(value: number): string {
  const size = Math.abs(value);
  const scale = size % SCALES;
  const digits = String((size - scale) / SCALES).padStart(scale + 1, '0');
  const sign = value < 0 ? '-' : '';
  if (scale === 0) return sign + digits;
  const point = digits.length - scale;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/**
 * Frequent words, each of which is stored as one byte. New words are appended, and none is ever
 * removed or moved, because stored rows contain their numbers.
 */
const KNOWN_WORDS: readonly string[] = [
  '0',
  'A',
  'B',
  'Buy',
  'Sell',
  'USDC',
  'Taker',
  'Maker',
  'Cross',
  'Isolated',
  'OneWay',
  'Hedge',
  'perps',
  'outcome',
  'N/A',
  'Limit',
  'Market',
  'GTC',
  'GTD',
  'IOC',
  'FOK',
  'ALO',
  'open',
  'triggered',
  'filled',
  'cancelled',
  'rejected',
  'expired',
  'Yes',
  'No',
  'Buy Yes',
  'Buy No',
  'Sell Yes',
  'Sell No',
  'Split',
  'Merge',
  'Settlement',
  'UserCanceled',
  'Canceled by user',
  'Expired',
  'IocRemainder',
  'Immediate or cancel remainder',
  'SelfTrade',
  'Self trade',
  'ReduceOnly',
  'Reduce only order has no position left',
  'MarginCanceled',
  'Insufficient margin at match',
  'MatchLimit',
  'Too many resting orders met',
  'Liquidation',
  'Canceled by liquidation',
  'SiblingFilled',
  'Sibling order filled',
  'ParentCanceled',
  'Parent order canceled',
  'AmendedBelowFilled',
  'Amended below filled size',
  'OutcomeResolved',
  'Outcome market closed',
  'Delisted',
  'Instrument delisted',
  'ScheduledCancel',
  'Scheduled cancel',
];

/** The kinds for words follow all other kinds. */
const FIRST_WORD = 32;

/** The words as JSON. They contain no characters that must be escaped. */
const TEXTS = KNOWN_WORDS.map((word) => `"${word}"`);
const BYTES = new Map(KNOWN_WORDS.map((word, at) => [word, FIRST_WORD + at]));

function byteOfWord(word: string): number | undefined {
  return BYTES.get(word);
}

function wordOfByte(byte: number): string | undefined {
  return KNOWN_WORDS[byte - FIRST_WORD];
}

function textOfByte(byte: number): string | undefined {
  return TEXTS[byte - FIRST_WORD];
}
