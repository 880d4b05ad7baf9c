import { assert } from '@oddlot/units';

/** All bounds of the engine (R-limits-of-state, R-nonce, R-storms). */
export const LIMITS = {
  /** For both sub-accounts together. */
  ordersPerAccount: 5_000,
  /** Waiting triggers of one account, and of one account in one instrument. */
  triggersPerAccount: 500,
  triggersPerInstrument: 100,
  /** R-modify: an amended order is queued as if accepted at most this long ago. */
  amendRankMs: 60_000,
  /** A scheduled cancel must be at least this far ahead. */
  scheduleAheadMs: 5_000,
  agentsPerAccount: 100,
  /** In Unicode code points. */
  agentLabelLength: 64,
  buildersPerAccount: 20,
  /** R-builder: maximum fee of a perp and of an outcome order, in tenths of a basis point. */
  builderFeePerpMax: 100,
  builderFeeOutcomeMax: 1_000,
  /** R-builder: maximum rate that can be approved, 10^-8. */
  builderRateMaxE8: 1_000_000,
  multiSigUsers: 10,
  /** R-deficit: withdrawals wait while the fund's deficit exceeds this share of balances, 10^-8. */
  fundDeficitE8: 100_000,
  /** R-deposit: the number of credited deposits known by key; older ones are known by position. */
  depositsKept: 50_000,
  /** Held deposits for bound addresses; further ones are rejected. */
  depositsAsideKept: 10_000,
  /** Relay addresses without an account, and the maximum per command. */
  pegsKept: 100_000,
  pegsPerCommand: 1_000,
  noncesPerSigner: 100,
  /** A nonce is younger than this age … */
  nonceAgeMs: 2 * 24 * 3_600_000,
  /** … and at most this far ahead. */
  nonceAheadMs: 24 * 3_600_000,
  /** Resting orders that one incoming order processes, fills and removals together. */
  matchesPerOrder: 10_000,
  /** R-fillable: orders of one side that are tested at once. */
  fillTests: 10_000,
  /** R-funding: default maximum distance of a sampled price from the oracle, 10^-8. */
  premiumCapE8: 1_000_000,
  /** For all orders of a simulated action together: a simulation blocks all other requests. */
  matchesPerSimulation: 1_000,
  /** For all attempts to find the largest order that the margin covers. */
  matchesPerCapacity: 1_000,
  /** R-storms: triggers fired and scopes liquidated in one block. */
  triggersPerBlock: 1_000,
  liquidationsPerBlock: 200,
  /**
   * R-trigger: the retry interval of a reducing market trigger, and its first distance from the
   * mark and widening after each poor try, 10^-8.
   */
  triggerRetryMs: 1_000,
  triggerSlippageE8: 1_000_000,
  /** Maximum orders per market trigger. */
  triggerParts: 100,
  /** An observation at most this far ahead of consensus time counts as current. */
  observationAheadMs: 5_000,
  /** Minimum lifetime of a Gtd order. */
  expiryAheadMs: 5_000,
  /** R-mark: an older last trade is not used for the mark. */
  lastTradeMs: 60_000,
  /** Maximum interval between mark computations. */
  markEveryMs: 1_000,
  /** R-ema: after this many missed seconds the EMA equals the sample. */
  emaSecondsMax: 1_500,
  /** In price units: the EMA stores 10^-6 of a unit in a safe integer. */
  priceMax: 9_000_000_000,
  /** In lots: up to this size, arithmetic between sizes is exact. */
  sizeMax: 1_000_000_000_000,
  /** The maximum ratio of a resting order's price to the current band after the oracle moved. */
  bandHeadroom: 16,
  /** The interval at which signers without a nonce in the window are forgotten. */
  signerSweepMs: 3_600_000,
  /** UTC days of volume per account: today and the 14 days of a fee tier. */
  volumeDays: 15,
  /** Perps have lower ids; outcome markets start here. */
  perpIdEnd: 100_000,
  /** Orders store the id of their instrument in 31 bits. */
  instrumentIdMax: 2 ** 31 - 1,
  /** Holders of resolved markets that one block pays. */
  settlementsPerBlock: 1_000,
  /** R-reserve: taker and builder fee together stay below the price. */
  outcomeFeeMaxE8: 99_000_000,
  /** R-delay. */
  orderDelayMaxMs: 10_000,
  priceFeeds: 1_000,
  seriesAheadMax: 20,
  /** Markets that one block lists and resolves on its own. */
  listingsPerBlock: 100,
  resolutionsPerBlock: 100,
  /** R-series: a market resolves this long after its end, so that late observations count. */
  resolveAfterMs: 5_000,
  /** R-series: an observation that enters the log later than this after its own time is ignored. */
  observationLateMs: 10_000,
  /** R-series: an observation is used for at most this long. */
  observationAgeMs: 5_000,
  /** R-series: the required share of a window's seconds with a sample, percent. */
  twapCoveragePercent: 90,
  /** Seconds of stored reference prices. */
  priceSecondsKept: 300,
  /** For margin tables and for the fee schedule. */
  tiersMax: 20,
  /** Orders walked in each direction to determine an order's position in its queue. */
  observedQueue: 1_024,
  bookTicksMax: 8,
} as const;

assert(LIMITS.priceMax * 1_000_000 <= Number.MAX_SAFE_INTEGER, 'the EMA scale fits a safe integer');
assert(
  LIMITS.sizeMax * LIMITS.ordersPerAccount <= Number.MAX_SAFE_INTEGER,
  "the sum of an account's orders is a safe integer",
);

/** True for outcome markets. They share one range of ids with perps and use its upper part. */

export function isOutcomeId(id: number): boolean {
  return id >= LIMITS.perpIdEnd;
}

export type MarketKind = 'perp' | 'outcome';

export function marketKind(instrumentId: number): MarketKind {
  return isOutcomeId(instrumentId) ? 'outcome' : 'perp';
}
