import type { SeriesListing } from '../messages/command.ts';
import { utcDay, utcMinute, utcSpan } from './utc-text.ts';

type SeriesTexts = {
  readonly title: string;
  readonly question: string;
  readonly description: string;
};

/**
 * R-series: what a market of a series is called. Markets that start at different times read differently,
 * and a text that is given once stays: the strike is not known before the start, so it is named by its
 * time.
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
