import type { ReferencePrice } from '@oddlot/engine';

/** Decimals that reference prices are counted in. */
export const REFERENCE_DECIMALS = 8;

/**
 * Where the prices of underlyings come from. Each has two sources: `spot` is what one market says,
 * `oracle` is what the feed believes the price to be.
 */
export interface ReferenceFeed {
  start(): void;
  stop(): void;
  /** The prices that count now. What is not known for sure is left out. */
  read(nowMs: number): readonly ReferencePrice[];
}
