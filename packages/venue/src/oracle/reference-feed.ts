import type { ReferencePrice } from '@oddlot/engine';

export const REFERENCE_DECIMALS = 8;

/**
 * A source of prices of underlyings. Each underlying has two prices: `spot` is the price on one
 * market, and `oracle` is the feed's best estimate.
 */
export interface ReferenceFeed {
  start(): void;
  stop(): void;
  /** Returns the currently valid prices and omits uncertain ones. */
  read(nowMs: number): readonly ReferencePrice[];
}
