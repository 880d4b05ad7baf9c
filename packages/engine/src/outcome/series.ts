import type { SeriesListing, TwapInputs } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import type { PriceFeed, PricePoint } from '../state/outcomes.ts';

type SeriesTexts = {
  readonly title: string;
  readonly question: string;
  readonly description: string;
};

/**
 * Returns the texts of a series market (R-series). Markets that start at different times have
 * different texts, and the texts never change. The strike is unknown before the start, so the texts
 * refer to it by its time.
 */
export function seriesTexts(listing: SeriesListing, startMs: number, endMs: number): SeriesTexts {
  const { note, source, symbol, title, windowSeconds } = listing;
  const day = utcDay(startMs);
  const [start, end] = [utcMinute(startMs), utcMinute(endMs, startMs)];
  const rules = [
    `Up if the price of ${symbol} at ${end} UTC is at or above its price at ${start} UTC (${day}), else Down.`,
    `Each of the two is the average of the ${windowSeconds} seconds before that time: one ${source} price a second, none older than 5 s.`,
    `With less than 90% of them the market stays closed until the deployer resolves it.`,
  ];
  return {
    title: `${title}: ${utcSpan(startMs, endMs)}`,
    question: `${title}: is the price at ${end} UTC at or above that at ${start} UTC (${day})?`,
    description: [...rules, ...(note === undefined ? [] : [note])].join(' '),
  };
}

/**
 * The functions below format times using only calendar arithmetic, so the results do not depend on
 * a clock, a time zone or a locale.
 */

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;
const DAY_MS = DAY_MINUTES * MINUTE_MS;
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** The number of days in four centuries, one century, four years and one year. */
const [ERA_DAYS, CENTURY_DAYS, LEAP_DAYS, YEAR_DAYS] = [146_097, 36_524, 1_461, 365];
/** The number of days from 1 March of year 0 to 1 January 1970. */
const EPOCH_DAYS = 719_468;

/** Formats a time span of one day, for example `15 Nov 2026, 12:15–12:30 UTC`. */
function utcSpan(startMs: number, endMs: number): string {
  return `${utcDay(startMs)}, ${utcMinute(startMs)}–${utcMinute(endMs, startMs)} UTC`;
}

/** Formats a day, for example `15 Nov 2026`. */
export function utcDay(timeMs: number): string {
  const days = Math.floor(timeMs / DAY_MS) + EPOCH_DAYS;
  const era = Math.floor(days / ERA_DAYS);
  const ofEra = days - era * ERA_DAYS;
  // Years are counted from March, so that the leap day is the last day of its year.
  const leapDays =
    Math.floor(ofEra / (LEAP_DAYS - 1)) -
    Math.floor(ofEra / CENTURY_DAYS) +
    Math.floor(ofEra / (ERA_DAYS - 1));
  const years = Math.floor((ofEra - leapDays) / YEAR_DAYS);
  const ofYear = ofEra - (YEAR_DAYS * years + Math.floor(years / 4) - Math.floor(years / 100));
  // The five months from March have 153 days in total, and so do the next five.
  const month = Math.floor((5 * ofYear + 2) / 153);
  const day = ofYear - Math.floor((153 * month + 2) / 5) + 1;
  const year = era * 400 + years + (month >= 10 ? 1 : 0);
  return `${day} ${MONTHS[(month + 2) % 12]} ${year}`;
}

/**
 * Formats a minute, for example `12:15`. If `dayOfMs` is a time on the previous day, midnight is
 * `24:00`.
 */
export function utcMinute(timeMs: number, dayOfMs = timeMs): string {
  const minutes = Math.floor(timeMs / MINUTE_MS) - Math.floor(dayOfMs / DAY_MS) * DAY_MINUTES;
  const [hour, minute] = [Math.floor(minutes / 60), minutes % 60];
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}

const SECOND_MS = 1_000;

/** Records an observation that is not older than the previous one. */
export function observe(feed: PriceFeed, observedMs: number, priceE8: number): void {
  const secondMs = Math.ceil(observedMs / SECOND_MS) * SECOND_MS;
  const { seconds } = feed;
  if (seconds.at(-1)?.secondMs === secondMs) seconds.pop();
  seconds.push({ secondMs, observedMs, priceE8 });
  if (seconds.length > LIMITS.priceSecondsKept) seconds.shift();
}

/**
 * Returns the samples of the window before a time, one for each whole second: the last observation
 * at or before that second, unless it is more than 5 s old (R-series). Returns undefined if too
 * many seconds have no sample.
 */
export function twapBefore(
  feed: PriceFeed,
  atMs: number,
  windowSeconds: number,
): TwapInputs | undefined {
  const samples: { atMs: number; priceE8: number }[] = [];
  let sum = 0n;
  let next = 0;
  let last: PricePoint | undefined;
  for (let second = windowSeconds; second >= 1; second--) {
    const secondMs = atMs - second * SECOND_MS;
    for (; next < feed.seconds.length; next++) {
      const point = feed.seconds[next];
      if (point === undefined || point.secondMs > secondMs) break;
      last = point;
    }
    if (last === undefined || secondMs - last.observedMs > LIMITS.observationAgeMs) continue;
    samples.push({ atMs: secondMs, priceE8: last.priceE8 });
    sum += BigInt(last.priceE8);
  }
  const isCovered = samples.length * 100 >= windowSeconds * LIMITS.twapCoveragePercent;
  return isCovered ? { sumE8: String(sum), samples } : undefined;
}
