import { assert } from '@oddlot/units';

/** All bounds of the engine (R-limits-of-state, R-nonce, R-storms). */
export const LIMITS = {
  /** The maximum number of live orders per account, across both of its sub-accounts. */
  ordersPerAccount: 5_000,
  /** The maximum number of waiting trigger orders per account, in total and per instrument. */
  triggersPerAccount: 500,
  triggersPerInstrument: 100,
  /** The maximum age at which an amended order is queued (R-modify). */
  amendRankMs: 60_000,
  /** The minimum time between a command and the cancel that it schedules. */
  scheduleAheadMs: 5_000,
  agentsPerAccount: 100,
  /** The maximum length of an agent's label in Unicode code points. */
  agentLabelLength: 64,
  buildersPerAccount: 20,
  /**
   * The maximum builder fee on a perp order and on an outcome order, in tenths of a basis point
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
   * The number of credited deposits that are recorded by key; older ones are recorded by their
   * position on the chain (R-deposit).
   */
  depositsKept: 50_000,
  /**
   * The maximum number of deposits held for addresses bound as agents; further ones are rejected.
   */
  depositsAsideKept: 10_000,
  /**
   * The maximum number of relay withdrawal addresses without an account, in total, which is also
   * the maximum per command.
   */
  pegsKept: 100_000,
  pegsPerCommand: 1_000,
  noncesPerSigner: 100,
  /** The maximum age of a nonce, exclusive. */
  nonceAgeMs: 2 * 24 * 3_600_000,
  /** How far a nonce can be in the future, exclusive. */
  nonceAheadMs: 24 * 3_600_000,
  /**
   * The maximum number of resting orders that one incoming order can process, counting fills and
   * removals.
   */
  matchesPerOrder: 10_000,
  /** The maximum number of orders on one side that are tested together (R-fillable). */
  fillTests: 10_000,
  /** The default maximum distance of a sampled price from the oracle, in 10^-8 (R-funding). */
  premiumCapE8: 1_000_000,
  /**
   * The equivalent bound for all orders in a simulated action together. It is lower because a
   * simulation blocks all other requests.
   */
  matchesPerSimulation: 1_000,
  /** The equivalent bound for all attempts to find the largest order that the margin covers. */
  matchesPerCapacity: 1_000,
  /**
   * The maximum number of trigger orders fired and margin accounts liquidated in one block
   * (R-storms).
   */
  triggersPerBlock: 1_000,
  liquidationsPerBlock: 200,
  /**
   * The retry interval of a reducing market trigger. Each attempt can trade up to this distance
   * from the mark in 10^-8, and the distance grows by the same amount after each attempt that
   * filled too little (R-trigger).
   */
  triggerRetryMs: 1_000,
  triggerSlippageE8: 1_000_000,
  /** The maximum number of orders sent per market trigger. */
  triggerParts: 100,
  /** How far an observation can be ahead of consensus time and still count as current. */
  observationAheadMs: 5_000,
  /** The minimum lifetime of a `gtd` order. */
  expiryAheadMs: 5_000,
  /** The maximum age at which the last trade is still used for the mark (R-mark). */
  lastTradeMs: 60_000,
  /** The maximum interval between mark computations. */
  markEveryMs: 1_000,
  /** The number of missed seconds after which the EMA equals the sample (R-ema). */
  emaSecondsMax: 1_500,
  /**
   * The maximum price in price units. It ensures that the EMA, in 10^-6 of a unit, is a safe
   * integer.
   */
  priceMax: 9_000_000_000,
  /** The maximum size in lots, up to which arithmetic on sizes is exact. */
  sizeMax: 1_000_000_000_000,
  /**
   * The maximum ratio between a resting order's price and the current band after the oracle moved.
   */
  bandHeadroom: 16,
  /** The interval at which signers without a nonce in the valid window are removed. */
  signerSweepMs: 3_600_000,
  /**
   * The number of UTC days of volume kept per account: the current day and the 14 days that
   * determine the fee tier.
   */
  volumeDays: 15,
  /** Perp ids are below this bound; outcome market ids start at it. */
  perpIdEnd: 100_000,
  /** The maximum instrument id; orders store the id in 31 bits. */
  instrumentIdMax: 2 ** 31 - 1,
  /** The maximum number of holders of resolved markets paid in one block. */
  settlementsPerBlock: 1_000,
  /**
   * The maximum fee rate of an outcome market. It keeps the sum of the taker and builder fees below
   * the price (R-reserve).
   */
  outcomeFeeMaxE8: 99_000_000,
  /** The maximum order delay of an outcome market (R-delay). */
  orderDelayMaxMs: 10_000,
  priceFeeds: 1_000,
  seriesAheadMax: 20,
  /** The maximum number of series markets listed and resolved in one block. */
  listingsPerBlock: 100,
  resolutionsPerBlock: 100,
  /**
   * The time between the end of a market and its resolution, so that late observations count
   * (R-series).
   */
  resolveAfterMs: 5_000,
  /**
   * The maximum delay with which an observation can enter the log; a later one is ignored
   * (R-series).
   */
  observationLateMs: 10_000,
  /** The maximum time for which an observation remains in use (R-series). */
  observationAgeMs: 5_000,
  /** The percentage of a window's seconds that must have a sample (R-series). */
  twapCoveragePercent: 90,
  /** The number of seconds of reference prices kept per feed. */
  priceSecondsKept: 300,
  /** The maximum number of tiers in a margin table or the fee schedule. */
  tiersMax: 20,
  /**
   * The maximum number of orders walked in each direction to determine an order's queue position.
   */
  observedQueue: 1_024,
  bookTicksMax: 8,
} as const;

assert(LIMITS.priceMax * 1_000_000 <= Number.MAX_SAFE_INTEGER, 'the EMA scale fits a safe integer');
assert(
  LIMITS.sizeMax * LIMITS.ordersPerAccount <= Number.MAX_SAFE_INTEGER,
  "the sum of an account's orders is a safe integer",
);

/**
 * Returns true for the id of an outcome market. Perps and outcome markets share one range of ids,
 * with outcome markets in the upper part.
 */
export function isOutcomeId(id: number): boolean {
  return id >= LIMITS.perpIdEnd;
}

export type MarketKind = 'perp' | 'outcome';

export function marketKind(instrumentId: number): MarketKind {
  return isOutcomeId(instrumentId) ? 'outcome' : 'perp';
}
