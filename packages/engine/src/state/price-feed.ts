import type { PriceSource } from '../messages/command.ts';

/** What is known of one reference price: enough of the past for the TWAPs of R-series. */
export type PriceFeed = {
  readonly symbol: string;
  readonly source: PriceSource;
  /** When the newest was observed, whether or not it counts. */
  lastMs: number;
  /** Of those that entered the log in time: the last observation of each second that had one, oldest first; bounded. */
  readonly seconds: PricePoint[];
};

/** The last observation at or before a whole second, after the second before. */
export type PricePoint = {
  readonly secondMs: number;
  readonly observedMs: number;
  readonly priceE8: number;
};

export function priceFeedKey(symbol: string, source: PriceSource): string {
  return `${symbol}/${source}`;
}
