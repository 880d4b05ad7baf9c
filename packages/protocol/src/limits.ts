import { CLIENT_LIMITS, CLIENT_PAGE_LIMITS } from './client-limits.ts';

/**
 * The limits of the API. Rates and connection counts are defaults, which an operator can change;
 * all others are part of the interface.
 */
export const LIMITS = {
  ...CLIENT_LIMITS,
  /** The maximum body size, in bytes, for a permissioned action whose signer is configured. */
  permissionedBodyBytesMax: 256 * 1024,
  /**
   * The maximum number of bytes of JSON text under keys that the schema does not define. The names
   * of these keys have a separate limit of the same size.
   */
  unknownBytesMax: 1024,
  /** The maximum number of levels of nested arrays and objects in a request body. */
  jsonDepthMax: 32,

  /** The maximum number of entries in cancel and cancelByCloid. */
  cancelsMax: 200,
  /** The maximum number of entries in a split or merge of outcomeOperate. */
  outcomeOperationsMax: 50,
  /** The maximum number of instrument ids in one query, subscription or setTrading. */
  instrumentIdsMax: 50,
  /** The maximum number of addresses that a relay registers in one request. */
  pegsMax: 100,

  /** The maximum number of agent labels per account. */
  agentsMax: 100,
  /** The maximum number of approved builders per account. */
  buildersMax: 20,
  /** The maximum builder fee `f` on a perp, in tenths of a basis point. */
  builderFeePerpMax: 100,
  /** The maximum builder fee `f` on an outcome market, in tenths of a basis point. */
  builderFeeOutcomeMax: 1000,

  /** The maximum number of levels per side in an l2Book response. */
  bookLevelsMax: 20,
  /** The maximum number of candles in a candleSnapshot response. */
  candlesMax: 5000,
  /** The maximum number of hours in a fundingHistory response. */
  fundingHistoryMax: 500,
  /** The maximum number of hours in an openInterestHistory response. */
  openInterestHistoryMax: 500,
  /** The maximum number of points in a cryptoPriceHistory response. */
  priceHistoryPointsMax: 2000,
  /** The maximum number of points in an outcomeProbability response, across all its markets. */
  probabilityPointsMax: 20_000,
  /** The maximum offset of a paged query. */
  offsetMax: 200_000,
  /** The maximum number of points in a portfolio response. */
  portfolioPointsMax: 500,
  /** The highest row that a builder query can reach. */
  resultWindowMax: 10_000,

  /** The maximum number of subscriptions per connection. */
  subscriptionsMax: 1000,
  /** The maximum number of outcomeBbos subscriptions per connection. */
  bboGroupsMax: 20,
  /** The maximum number of open connections per client address and endpoint. */
  connectionsMax: 10,
  /** How long a connection can go without frames before the venue closes it. */
  idleMsMax: 60_000,
  /** The interval between the venue's protocol-level pings. */
  pingEveryMs: 20_000,

  /** The maximum number of /info requests per second per client address. */
  infoPerSecond: 50,
  /** The maximum number of /exchange requests per second per client address. */
  exchangePerSecond: 10,
  /** The maximum number of explainSignature queries per second per client address. */
  explainPerSecond: 5,
  /** The maximum number of vaults that explainSignature tries if an envelope does not name one. */
  explainVaultsMax: 100,
  /**
   * The maximum number of bytes of action data hashed for one explainSignature query. A large
   * action therefore gets fewer attempts.
   */
  explainBytesMax: 4 * 1024 * 1024,
  /** The maximum number of simulate queries per second per client address. */
  simulatePerSecond: 10,

  /** The minimum withdrawal in micro-USDC. */
  withdrawMicroMin: 2_000_000,
  /** The minimum deposit by permit in micro-USDC. */
  depositMicroMin: 5_000_000,
  /** The minimum time until a permit's deadline, in seconds. */
  permitDeadlineSecondsMin: 120,
  /** The maximum time until a permit's deadline, in seconds. */
  permitDeadlineSecondsMax: 7 * 24 * 60 * 60,
} as const;

/** The lowest id of an outcome market; all perps have lower ids. */
export const OUTCOME_ID_MIN = 100_000;

/** The maximum number of characters in a search for events. */
export const SEARCH_CHARS_MAX = 100;

/** The default and maximum `limit` of each paged query. */
export const PAGE_LIMITS = {
  ...CLIENT_PAGE_LIMITS,
  userFills: { default: 200, max: 2000 },
  historicalOrders: { default: 500, max: 2000 },
  userNonFundingLedgerUpdates: { default: 500, max: 2000 },
  userFundings: { default: 300, max: 2000 },
  outcomeMeta: { default: 20, max: 50 },
  outcomeSeriesTimeline: { default: 20, max: 50 },
  txs: { default: 20, max: 100 },
  liquidations: { default: 50, max: 200 },
  largestTrades: { default: 20, max: 20 },
  leaderboard: { default: 50, max: 100 },
  outcomeHolders: { default: 20, max: 100 },
  builderMe: { default: 50, max: 100 },
  relayTransfers: { default: 50, max: 200 },
} as const;
