import type { MicroUsdc } from '@oddlot/units';
import type { BuilderTerms } from '../messages/command.ts';

/**
 * What a builder earned and took; the difference can be claimed. Kept for whoever is approved or
 * has ever earned.
 */
export type BuilderRewards = {
  earned: MicroUsdc;
  claimed: MicroUsdc;
  /** How many accounts approve it now. Derived from them, never dumped. */
  approvals: number;
};

/**
 * Who charges for a live order. The fee rounds down once per order and role (R-rounding), so each
 * role keeps the part of a micro-USDC that it has not charged yet, in 10^-8.
 */
export type OrderBuilder = BuilderTerms & { takerOwed: number; makerOwed: number };
