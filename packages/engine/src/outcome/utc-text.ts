/** Times as people read them, of the calendar alone: no clock, no zone and no locale has a say. */

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;
const DAY_MS = DAY_MINUTES * MINUTE_MS;
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** Days of four centuries, of one, of four years and of one. */
const [ERA_DAYS, CENTURY_DAYS, LEAP_DAYS, YEAR_DAYS] = [146_097, 36_524, 1_461, 365];
/** From 1 March of the year 0 to 1 January 1970. */
const EPOCH_DAYS = 719_468;

/** A time of one day: `15 Nov 2026, 12:15–12:30 UTC`. */
export function utcSpan(startMs: number, endMs: number): string {
  return `${utcDay(startMs)}, ${utcMinute(startMs)}–${utcMinute(endMs, startMs)} UTC`;
}

/** `15 Nov 2026`. */
export function utcDay(timeMs: number): string {
  const days = Math.floor(timeMs / DAY_MS) + EPOCH_DAYS;
  const era = Math.floor(days / ERA_DAYS);
  const ofEra = days - era * ERA_DAYS;
  // Years are counted from March on, so that the leap day is the last of its year.
  const leaps =
    Math.floor(ofEra / (LEAP_DAYS - 1)) -
    Math.floor(ofEra / CENTURY_DAYS) +
    Math.floor(ofEra / (ERA_DAYS - 1));
  const years = Math.floor((ofEra - leaps) / YEAR_DAYS);
  const ofYear = ofEra - (YEAR_DAYS * years + Math.floor(years / 4) - Math.floor(years / 100));
  // Five months from March on have 153 days, and so have the five after them.
  const month = Math.floor((5 * ofYear + 2) / 153);
  const day = ofYear - Math.floor((153 * month + 2) / 5) + 1;
  const year = era * 400 + years + (month >= 10 ? 1 : 0);
  return `${day} ${MONTHS[(month + 2) % 12]} ${year}`;
}

/** `12:15`. With the day that it is counted from, the end of that day is `24:00`. */
export function utcMinute(timeMs: number, dayOfMs = timeMs): string {
  const minutes = Math.floor(timeMs / MINUTE_MS) - Math.floor(dayOfMs / DAY_MS) * DAY_MINUTES;
  const [hour, minute] = [Math.floor(minutes / 60), minutes % 60];
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}
