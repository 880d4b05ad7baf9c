import type { ReferencePrice } from '@oddlot/engine';

export const REFERENCE_DECIMALS = 8;

/**
 * A source of prices for underlyings. Each underlying has two prices: `spot`, the price on one
 * market, and `oracle`, the feed's best estimate.
 */
export interface ReferenceFeed {
  start(): void;
  stop(): void;
  /** Returns the currently valid prices, omitting uncertain ones. */
  read(nowMs: number): readonly ReferencePrice[];
}
