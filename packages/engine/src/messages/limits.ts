import { assert } from '@oddlot/units';

/** All bounds of the engine (R-limits-of-state, R-nonce, R-storms). */
export const LIMITS = {
  /** Live orders of both sub-accounts together. */
  ordersPerAccount: 5_000,
  /** Waiting trigger orders of one account, in total and per instrument. */
  triggersPerAccount: 500,
  triggersPerInstrument: 100,
  /** An amended order is queued as if it had been accepted at most this long ago (R-modify). */
  amendRankMs: 60_000,
  /** A scheduled cancel must be at least this far in the future. */
  scheduleAheadMs: 5_000,
  agentsPerAccount: 100,
  /** The length in Unicode code points. */
  agentLabelLength: 64,
  buildersPerAccount: 20,
  /**
   * The maximum builder fee of a perp order and of an outcome order, in tenths of a basis point
   * (R-builder).
   */
  builderFeePerpMax: 100,
  builderFeeOutcomeMax: 1_000,
  /** The maximum rate that an account can approve, in 10^-8 (R-builder). */
  builderRateMaxE8: 1_000_000,
  multiSigUsers: 10,
  /**
   * Withdrawals wait while the fund's deficit exceeds this share of all balances, in 10^-8
   * (R-deficit).
   */
  fundDeficitE8: 100_000,
  /**
   * The number of credited deposits known by their key; older ones are known by their position on
   * the chain (R-deposit).
   */
  depositsKept: 50_000,
  /** Deposits held for addresses bound as agents; the engine rejects any more. */
  depositsAsideKept: 10_000,
  /** Relay withdrawal addresses without an account, in total and per command. */
  pegsKept: 100_000,
  pegsPerCommand: 1_000,
  noncesPerSigner: 100,
  /** The maximum age of a nonce, exclusive. */
  nonceAgeMs: 2 * 24 * 3_600_000,
  /** The maximum distance of a nonce into the future, exclusive. */
  nonceAheadMs: 24 * 3_600_000,
  /** Resting orders that one incoming order can process, counting fills and removals. */
  matchesPerOrder: 10_000,
  /** Orders of one side that are tested together (R-fillable). */
  fillTests: 10_000,
  /** The default maximum distance of a sampled price from the oracle, in 10^-8 (R-funding). */
  premiumCapE8: 1_000_000,
  /**
   * The bound for all orders of a simulated action together, because a simulation blocks all other
   * requests.
   */
  matchesPerSimulation: 1_000,
  /** The bound for all attempts to find the largest order that the margin covers. */
  matchesPerCapacity: 1_000,
  /** Trigger orders fired and margin accounts liquidated in one block (R-storms). */
  triggersPerBlock: 1_000,
  liquidationsPerBlock: 200,
  /**
   * Retry interval of a reducing market trigger. Each try can trade up to this distance from the
   * mark in 10^-8, and the distance grows by the same amount after each try that filled too little
   * (R-trigger).
   */
  triggerRetryMs: 1_000,
  triggerSlippageE8: 1_000_000,
  /** The maximum number of orders per market trigger. */
  triggerParts: 100,
  /** An observation at most this far ahead of consensus time counts as current. */
  observationAheadMs: 5_000,
  /** The minimum lifetime of a `gtd` order. */
  expiryAheadMs: 5_000,
  /** A last trade older than this is not used for the mark (R-mark). */
  lastTradeMs: 60_000,
  /** The maximum interval between mark computations. */
  markEveryMs: 1_000,
  /** The number of missed seconds after which the EMA equals the sample (R-ema). */
  emaSecondsMax: 1_500,
  /** In price units. The bound exists because the EMA stores 10^-6 of a unit in a safe integer. */
  priceMax: 9_000_000_000,
  /** The maximum size in lots, up to which arithmetic between sizes is exact. */
  sizeMax: 1_000_000_000_000,
  /**
   * The maximum ratio between a resting order's price and the current band after the oracle moved.
   */
  bandHeadroom: 16,
  /** The interval at which signers without a nonce in the valid window are removed. */
  signerSweepMs: 3_600_000,
  /** UTC days of volume kept per account: today and the 14 days that determine the fee tier. */
  volumeDays: 15,
  /** Perps have ids below this bound, outcome markets have this id or a higher one. */
  perpIdEnd: 100_000,
  /** The maximum instrument id; orders store the id in 31 bits. */
  instrumentIdMax: 2 ** 31 - 1,
  /** Holders of resolved markets that one block pays. */
  settlementsPerBlock: 1_000,
  /** Keeps the sum of taker and builder fee below the price (R-reserve). */
  outcomeFeeMaxE8: 99_000_000,
  /** The maximum order delay of an outcome market (R-delay). */
  orderDelayMaxMs: 10_000,
  priceFeeds: 1_000,
  seriesAheadMax: 20,
  /** Series markets that one block lists and resolves. */
  listingsPerBlock: 100,
  resolutionsPerBlock: 100,
  /** A market resolves this long after its end, so that late observations count (R-series). */
  resolveAfterMs: 5_000,
  /**
   * An observation that enters the log later than this after its own time is ignored (R-series).
   */
  observationLateMs: 10_000,
  /** The maximum time for which an observation is used (R-series). */
  observationAgeMs: 5_000,
  /** The share of a window's seconds that must have a sample, in percent (R-series). */
  twapCoveragePercent: 90,
  /** Seconds of reference prices kept per feed. */
  priceSecondsKept: 300,
  /** The maximum number of tiers in a margin table and in the fee schedule. */
  tiersMax: 20,
  /** Orders that are walked in each direction to determine an order's queue position. */
  observedQueue: 1_024,
  bookTicksMax: 8,
} as const;

assert(LIMITS.priceMax * 1_000_000 <= Number.MAX_SAFE_INTEGER, 'the EMA scale fits a safe integer');
assert(
  LIMITS.sizeMax * LIMITS.ordersPerAccount <= Number.MAX_SAFE_INTEGER,
  "the sum of an account's orders is a safe integer",
);

/**
 * Returns true for ids of outcome markets, which use the upper part of the id range shared with
 * perps.
 */

export function isOutcomeId(id: number): boolean {
  return id >= LIMITS.perpIdEnd;
}

export type MarketKind = 'perp' | 'outcome';

export function marketKind(instrumentId: number): MarketKind {
  return isOutcomeId(instrumentId) ? 'outcome' : 'perp';
}
