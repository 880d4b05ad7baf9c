import { compare, divide, isDecimal, magnitude, multiply, roundTo, sign } from './decimal.ts';
import { locale } from './languages.ts';
import { language } from './words.ts';

/**
 * A dash stands for a missing value. Numbers are formatted from decimal text without floats, with a
 * typographic minus sign.
 */

export const NOTHING = '–';
const MINUS = '\u2212';
const THIN = '\u202f';

type NumberFormat = {
  readonly decimals?: number | undefined;
  readonly isSigned?: boolean | undefined;
};

export function number(text: string | null | undefined, format: NumberFormat = {}): string {
  if (!isDecimal(text)) return NOTHING;
  const { decimals, isSigned = false } = format;
  const rounded = decimals === undefined ? text : roundTo(text, decimals);
  const formatter = formatterOf(decimals === undefined ? 'all' : decimals);
  return withSign(formatter.format(rounded as `${number}`), rounded, isSigned);
}

const MONEY_DECIMALS = 2;

/**
 * Formats USDC to the cent. Smaller amounts are shown as `<0.01` or, if they have a sign, with
 * their first non-zero digit.
 */
export function money(text: string | null | undefined, format: NumberFormat = {}): string {
  if (!isDecimal(text)) return NOTHING;
  const { decimals = MONEY_DECIMALS } = format;
  if (format.decimals === undefined && isBelowCent(text)) {
    if (sign(text) > 0 && format.isSigned !== true) return `<${number('0.01')}`;
    return number(text, { ...format, decimals: firstDigitOf(text) });
  }
  return number(text, { ...format, decimals });
}

export function usdc(text: string | null | undefined, format: NumberFormat = {}): string {
  return isDecimal(text) ? `${money(text, format)} USDC` : NOTHING;
}

/** Returns the position of the first non-zero digit after the point, for example 3 for `0.0042`. */
function firstDigitOf(text: string): number {
  return (/\.(0*)/.exec(text)?.[1]?.length ?? 0) + 1;
}

export function isBelowCent(text: string): boolean {
  return sign(roundTo(text, MONEY_DECIMALS)) === 0 && sign(text) !== 0;
}

/**
 * Formats an hourly rate in percent, always with the same number of decimals: `0.0000125` becomes
 * `0.00125%`.
 */
export function hourlyRate(text: string | null | undefined): string {
  return percent(text, { decimals: 5, isSigned: true });
}

/** Formats a fraction in percent: `0.0184` becomes `1.84%`. */
export function percent(text: string | null | undefined, format: NumberFormat = {}): string {
  if (!isDecimal(text)) return NOTHING;
  const shown = number(multiply(text, '100'), { decimals: 2, ...format });
  return `${shown}${percentGap()}%`;
}

/** Formats a probability: `0.463` becomes `46%`. 0% and 100% are shown only for exact values. */
export function probability(text: string | null | undefined): string {
  if (!isDecimal(text)) return NOTHING;
  const value = multiply(text, '100');
  const gap = percentGap();
  if (sign(value) > 0 && sign(roundTo(value, 0)) === 0) return `<${gap}1${gap}%`;
  if (roundTo(value, 0) === '100' && value !== '100') return `>${gap}99${gap}%`;
  return `${number(value, { decimals: 0 })}${gap}%`;
}

/** Formats a share price in cents: `0.463` becomes `46.3¢`. */
export function cents(text: string | null | undefined, tickDecimals = 3): string {
  if (!isDecimal(text)) return NOTHING;
  return `${number(multiply(text, '100'), { decimals: Math.max(0, tickDecimals - 2) })}¢`;
}

/** Formats a number in compact form, such as `184.2 M`. */
export function compact(text: string | null | undefined): string {
  if (!isDecimal(text)) return NOTHING;
  const size = magnitude(roundTo(text, 1));
  const step = STEPS.find(({ from }) => compare(size, from) >= 0);
  if (step === undefined) return withSign(formatterOf('small').format(asNumber(text)), text, false);
  return `${number(divide(text, step.one, 6), { decimals: 1 })}${THIN}${step.letter}`;
}

/** K, M and B are used in all languages, because many locales have no short form for a thousand. */
const STEPS = [
  { letter: 'T', from: '999950000000', one: '1000000000000' },
  { letter: 'B', from: '999950000', one: '1000000000' },
  { letter: 'M', from: '999950', one: '1000000' },
  { letter: 'K', from: '1000', one: '1000' },
] as const;

function asNumber(text: string): `${number}` {
  return roundTo(text, 2) as `${number}`;
}

export function short(hex: string): string {
  return hex.length <= 12 ? hex : `${hex.slice(0, 6)}…${hex.slice(-4)}`;
}

const percentGaps = new Map<string, string>();

/**
 * Returns the space before the percent sign. It depends on the locale: `1.84%` is `1,84 %` in
 * German.
 */
function percentGap(): string {
  const tag = locale();
  const known = percentGaps.get(tag);
  if (known !== undefined) return known;
  const made = /\s%/.test(new Intl.NumberFormat(tag, { style: 'percent' }).format(1)) ? THIN : '';
  percentGaps.set(tag, made);
  return made;
}

function withSign(shown: string, text: string, isSigned: boolean): string {
  const real = shown.replace('-', MINUS);
  return isSigned && sign(text) > 0 ? `+${real}` : real;
}

type Kind = number | 'all' | 'small';

const formatters = new Map<Kind, Intl.NumberFormat>();
let formattersFor = '';

function formatterOf(kind: Kind): Intl.NumberFormat {
  const tag = locale();
  if (tag !== formattersFor) {
    formatters.clear();
    formattersFor = tag;
  }
  const known = formatters.get(kind);
  if (known !== undefined) return known;
  const made = new Intl.NumberFormat(tag, optionsOf(kind));
  formatters.set(kind, made);
  return made;
}

function optionsOf(kind: Kind): Intl.NumberFormatOptions {
  const useGrouping = 'always';
  if (kind === 'all') return { useGrouping, maximumFractionDigits: 20 };
  if (kind === 'small') return { useGrouping, maximumFractionDigits: 1 };
  return { useGrouping, minimumFractionDigits: kind, maximumFractionDigits: kind };
}

/** All times are in milliseconds on the venue's clock. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Formats a time with seconds, such as `16:36:18`. */
export function clockTime(ms: number): string {
  return dateFormatter({
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hour12: false,
  }).format(ms);
}

/** Formats a time without seconds, such as `16:36`. */
export function hourMinute(ms: number): string {
  return dateFormatter({ hour: '2-digit', minute: '2-digit', hour12: false }).format(ms);
}

/** Formats a day, such as `15 Nov`. */
export function dayMonth(ms: number): string {
  return dateFormatter({ day: 'numeric', month: 'short' }).format(ms);
}

/**
 * Formats a time as `16:36` or, if it is more than one day in the past, as a day such as `15 Nov`.
 */
export function timeOrDay(ms: number, nowMs: number): string {
  return ms > nowMs - DAY_MS ? hourMinute(ms) : dayMonth(ms);
}

const MINUTE_OF_DAY = {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hour12: false,
} as const;
const SECOND_OF_DAY = { ...MINUTE_OF_DAY, second: '2-digit' } as const;

/** Formats a day and a time, such as `15 Nov, 16:36`. */
export function dateTime(ms: number): string {
  return dateFormatter(MINUTE_OF_DAY).format(ms);
}

/** Formats a day and a time with seconds, such as `15 Nov, 16:36:18`. */
export function dateTimeSecond(ms: number): string {
  return dateFormatter(SECOND_OF_DAY).format(ms);
}

/** Formats a day and a time with milliseconds, such as `15 Nov, 16:36:18.250`. */
export function exactTime(ms: number): string {
  return dateFormatter({ ...SECOND_OF_DAY, fractionalSecondDigits: 3 }).format(ms);
}

/** Formats a day such as `15 Nov` in UTC or in local time. */
export function dayOf(ms: number, zone: 'UTC' | 'here' = 'UTC'): string {
  const where = zone === 'UTC' ? { timeZone: 'UTC' } : {};
  return dateFormatter({ day: 'numeric', month: 'short', ...where }).format(ms);
}

/** Formats a complete date, such as `15 November 2026, 16:36:18`. */
export function wholeDate(ms: number): string {
  return dateFormatter({ dateStyle: 'long', timeStyle: 'medium', hourCycle: 'h23' }).format(ms);
}

/** Formats the time remaining, such as `23:41`, `1:02:03` or `3d 04:00`. */
export function countdown(ms: number): string {
  const left = Math.max(0, Math.floor(ms / SECOND_MS));
  const [seconds, minutes] = [left % 60, Math.floor(left / 60) % 60];
  const [hours, days] = [Math.floor(left / 3_600) % 24, Math.floor(left / 86_400)];
  if (days > 0) return `${days}d ${two(hours)}:${two(minutes)}`;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${two(minutes)}:${two(seconds)}`;
}

/**
 * Formats a time relative to the current time in the language of the page, such as `in 41 min` or
 * `2 hr ago`.
 */
export function relative(ms: number): string {
  const format = new Intl.RelativeTimeFormat(language(), { style: 'short', numeric: 'always' });
  const size = Math.abs(ms);
  const [value, unit] =
    size < MINUTE_MS
      ? ([ms / SECOND_MS, 'second'] as const)
      : size < HOUR_MS
        ? ([ms / MINUTE_MS, 'minute'] as const)
        : size < 2 * DAY_MS
          ? ([ms / HOUR_MS, 'hour'] as const)
          : ([ms / DAY_MS, 'day'] as const);
  return format.format(Math.trunc(value), unit);
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

const dateFormatters = new Map<string, Intl.DateTimeFormat>();

export function dateFormatter(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale()} ${JSON.stringify(options)}`;
  const known = dateFormatters.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(locale(), options);
  dateFormatters.set(key, made);
  return made;
}
