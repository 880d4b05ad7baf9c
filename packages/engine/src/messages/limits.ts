import { assert } from '@oddlot/units';

/** Every bound of the engine, in one place (R-limits-of-state, R-nonce, R-storms). */
export const LIMITS = {
  /** Live orders of one account, both sub-accounts together. */
  ordersPerAccount: 5_000,
  /** Waiting triggers of one account, and of one account in one instrument. */
  triggersPerAccount: 500,
  triggersPerInstrument: 100,
  /** An amended order stands at its new price as if accepted this long ago at most (R-modify). */
  amendRankMs: 60_000,
  /** A scheduled cancel lies at least this far ahead. */
  scheduleAheadMs: 5_000,
  /** Labels of one account. */
  agentsPerAccount: 100,
  /** Unicode code points of a label. */
  agentLabelLength: 64,
  /** Builders that one account may approve. */
  buildersPerAccount: 20,
  /** R-builder: highest fee of a perp and of an outcome order, in tenths of a basis point. */
  builderFeePerpMax: 100,
  builderFeeOutcomeMax: 1_000,
  /** R-builder: highest rate that can be approved, 10^-8. */
  builderRateMaxE8: 1_000_000,
  /** Signers of a multi-sig account. */
  multiSigUsers: 10,
  /** R-deficit: withdrawals wait while the fund lacks more than this share of all balances, 10^-8. */
  fundDeficitE8: 100_000,
  /** R-deposit: credited deposits that are known one by one; what is older is known by its place. */
  depositsKept: 50_000,
  /** Deposits for bound addresses that wait; further ones are refused. */
  depositsAsideKept: 10_000,
  /** Addresses of the relay without an account, and how many one command brings. */
  pegsKept: 100_000,
  pegsPerCommand: 1_000,
  /** Nonces kept for a signer. */
  noncesPerSigner: 100,
  /** A nonce is younger than this … */
  nonceAgeMs: 2 * 24 * 3_600_000,
  /** … and not further ahead than this. */
  nonceAheadMs: 24 * 3_600_000,
  /** Resting orders that one incoming order meets, fills and removals together. */
  matchesPerOrder: 10_000,
  /** R-fillable: orders of one side that are tested at once. */
  fillTests: 10_000,
  /** R-funding: furthest distance of a sampled price from the oracle where an instrument names none, 10^-8. */
  premiumCapE8: 1_000_000,
  /** The same of all orders of a simulated action together: whoever simulates waits for it, and so
   * does everybody else. */
  matchesPerSimulation: 1_000,
  /** The same of all orders that are tried to find the largest one that the margin covers. */
  matchesPerCapacity: 1_000,
  /** Triggers that one block fires, and scopes that it liquidates (R-storms). */
  triggersPerBlock: 1_000,
  liquidationsPerBlock: 200,
  /**
   * R-trigger: a reducing market trigger tries again this often, the first time this far from the mark
   * and further by as much after each poor try, 10^-8.
   */
  triggerRetryMs: 1_000,
  triggerSlippageE8: 1_000_000,
  /** Orders that one market trigger goes out in at most. */
  triggerParts: 100,
  /** How far ahead of consensus time an observation counts as now. */
  observationAheadMs: 5_000,
  /** Least life of a Gtd order. */
  expiryAheadMs: 5_000,
  /** A last trade older than this does not speak for the mark (R-mark). */
  lastTradeMs: 60_000,
  /** The mark is computed at least this often. */
  markEveryMs: 1_000,
  /** From this many missed seconds on the EMA is the sample itself (R-ema). */
  emaSecondsMax: 1_500,
  /** Highest price in units: the EMA holds 10^-6 of a unit in a safe integer. */
  priceMax: 9_000_000_000,
  /** Largest size in lots that arithmetic between sizes keeps exact. */
  sizeMax: 1_000_000_000_000,
  /** How many times above today's band a resting order's price may lie after the oracle moved. */
  bandHeadroom: 16,
  /** Signers whose nonces have all left the window are forgotten this often. */
  signerSweepMs: 3_600_000,
  /** UTC days of volume kept for an account: today and the 14 that a fee tier counts. */
  volumeDays: 15,
  /** Perps have ids below this, outcome markets from there on. */
  perpIdEnd: 100_000,
  /** Orders keep the id of their instrument in 31 bits. */
  instrumentIdMax: 2 ** 31 - 1,
  /** Holders of resolved markets that one block pays. */
  settlementsPerBlock: 1_000,
  /** R-reserve: taker and builder fee together stay below the price. */
  outcomeFeeMaxE8: 99_000_000,
  /** R-delay. */
  orderDelayMaxMs: 10_000,
  /** Reference prices that are kept apart. */
  priceFeeds: 1_000,
  /** Markets that a series lists in advance. */
  seriesAheadMax: 20,
  /** Markets that one block lists by itself, and resolves. */
  listingsPerBlock: 100,
  resolutionsPerBlock: 100,
  /** R-series: a market resolves this long after its end, so that late observations count. */
  resolveAfterMs: 5_000,
  /** R-series: an observation that enters the log later than this after its own time does not count. */
  observationLateMs: 10_000,
  /** R-series: an observation speaks for a second this long at most. */
  observationAgeMs: 5_000,
  /** R-series: the share of a window's seconds that must have a sample, percent. */
  twapCoveragePercent: 90,
  /** Seconds of reference prices that are kept. */
  priceSecondsKept: 300,
  /** Tiers of a margin table, and of the fee ladder. */
  tiersMax: 20,
  /** Orders that are walked past, either way, to find out what is ahead of one in its queue. */
  observedQueue: 1_024,
  /** Steps that a book may be shown in. */
  bookTicksMax: 8,
} as const;

assert(LIMITS.priceMax * 1_000_000 <= Number.MAX_SAFE_INTEGER, 'the EMA scale fits a safe integer');
assert(
  LIMITS.sizeMax * LIMITS.ordersPerAccount <= Number.MAX_SAFE_INTEGER,
  "the sum of an account's orders is a safe integer",
);

/** Perps and outcome markets share one range of instrument ids; outcome markets have its upper part. */

export function isOutcomeId(id: number): boolean {
  return id >= LIMITS.perpIdEnd;
}

export type MarketKind = 'perp' | 'outcome';

export function marketKind(instrumentId: number): MarketKind {
  return isOutcomeId(instrumentId) ? 'outcome' : 'perp';
}
