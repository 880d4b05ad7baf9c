import { locale } from './languages.ts';
import { language } from './words.ts';

/** Times as people read them. All take milliseconds of the venue's clock. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `16:36:18`. */
export function clockTime(ms: number): string {
  return formatter({ hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false }).format(
    ms,
  );
}

/** `16:36`. */
export function hourMinute(ms: number): string {
  return formatter({ hour: '2-digit', minute: '2-digit', hour12: false }).format(ms);
}

/** `15 Nov`. */
export function dayMonth(ms: number): string {
  return formatter({ day: 'numeric', month: 'short' }).format(ms);
}

/** `16:36`, or `15 Nov` of what is older than a day: for columns with little room. */
export function timeOrDay(ms: number, nowMs: number): string {
  return ms > nowMs - DAY_MS ? hourMinute(ms) : dayMonth(ms);
}

/** `15 Nov, 16:36`. */
export function dateTime(ms: number): string {
  return formatter({
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hour12: false,
  }).format(ms);
}

/** `15 Nov, 16:36:18`. */
export function dateTimeSecond(ms: number): string {
  return formatter({
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hour12: false,
  }).format(ms);
}

/** `15 Nov, 16:36:18.250`, where blocks of one second are told apart. */
export function exactTime(ms: number): string {
  return formatter({
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    hour12: false,
  }).format(ms);
}

/** `15 Nov`, of a day in UTC or where the reader is. */
export function dayOf(ms: number, zone: 'UTC' | 'here' = 'UTC'): string {
  const where = zone === 'UTC' ? { timeZone: 'UTC' } : {};
  return formatter({ day: 'numeric', month: 'short', ...where }).format(ms);
}

/** `15 November 2026, 16:36:18`, for tooltips. */
export function wholeDate(ms: number): string {
  return formatter({ dateStyle: 'long', timeStyle: 'medium', hourCycle: 'h23' }).format(ms);
}

/** What is left in figures that keep their width: `23:41`, `1:02:03`, `3d 04:00`. */
export function countdown(ms: number): string {
  const left = Math.max(0, Math.floor(ms / SECOND_MS));
  const [seconds, minutes] = [left % 60, Math.floor(left / 60) % 60];
  const [hours, days] = [Math.floor(left / 3_600) % 24, Math.floor(left / 86_400)];
  if (days > 0) return `${days}d ${two(hours)}:${two(minutes)}`;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${two(minutes)}:${two(seconds)}`;
}

/** What is left in words, in the language of the texts around them: `in 41 min`, `2 hr ago`. */
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

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale()} ${JSON.stringify(options)}`;
  const known = formatters.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(locale(), options);
  formatters.set(key, made);
  return made;
}
