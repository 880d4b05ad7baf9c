import { CLIENT_LIMITS, CLIENT_PAGE_LIMITS } from './client-limits.ts';

/**
 * The bounds of the wire. Those that an operator may change (rates, connection counts) stand here
 * as defaults; the rest are part of the interface.
 */
export const LIMITS = {
  ...CLIENT_LIMITS,
  /** Bytes of a request body. */
  bodyBytesMax: 64 * 1024,
  /** Bytes of the body of a permissioned action whose signer is listed. */
  permissionedBodyBytesMax: 256 * 1024,
  /** Bytes of JSON text under keys that no schema names, and as many in their names. */
  unknownBytesMax: 1024,
  /** Nested arrays and objects in a request body. */
  jsonDepthMax: 32,

  /** Entries of cancel and cancelByCloid. */
  cancelsMax: 200,
  /** Entries of outcomeOperate's split or merge. */
  outcomeOperationsMax: 50,
  /** Instrument ids in one query, subscription or setTrading. */
  instrumentIdsMax: 50,
  /** Addresses that a relay names at once. */
  pegsMax: 100,

  /** Agent labels of one account. */
  agentsMax: 100,
  /** Approved builders of one account. */
  buildersMax: 20,
  /** Builder fee `f` on a perp, in tenths of a basis point. */
  builderFeePerpMax: 100,
  /** Builder fee `f` on an outcome market, in tenths of a basis point. */
  builderFeeOutcomeMax: 1000,

  /** Levels per side of an l2Book answer. */
  bookLevelsMax: 20,
  /** Candles of one candleSnapshot. */
  candlesMax: 5000,
  /** Hours of one fundingHistory. */
  fundingHistoryMax: 500,
  /** Hours of one openInterestHistory. */
  openInterestHistoryMax: 500,
  /** Points of one cryptoPriceHistory. */
  priceHistoryPointsMax: 2000,
  /** Points of one outcomeProbability, all its markets together. */
  probabilityPointsMax: 20_000,
  /** Rows before which a paged query can start. */
  offsetMax: 200_000,
  /** Points of one portfolio. */
  portfolioPointsMax: 500,
  /** Last row that a builder query can reach. */
  resultWindowMax: 10_000,

  /** Subscriptions of one connection. */
  subscriptionsMax: 1000,
  /** outcomeBbos subscriptions of one connection. */
  bboGroupsMax: 20,
  /** Open connections per client address and endpoint. */
  connectionsMax: 10,
  /** Silence after which a connection is closed. */
  idleMsMax: 60_000,
  /** Between two protocol-level pings of the service. */
  pingEveryMs: 20_000,

  /** /info requests per second and client address. */
  infoPerSecond: 50,
  /** /exchange requests per second and client address. */
  exchangePerSecond: 10,
  /** explainSignature queries per second and client address. */
  explainPerSecond: 5,
  /** Vaults that explainSignature tries where an envelope names none. */
  explainVaultsMax: 100,
  /** Bytes of actions that one explainSignature hashes: a huge action gets fewer attempts. */
  explainBytesMax: 4 * 1024 * 1024,
  /** simulate queries per second and client address. */
  simulatePerSecond: 10,

  /** Least withdrawal, in micro-USDC. */
  withdrawMicroMin: 2_000_000,
  /** Least permit deposit, in micro-USDC. */
  depositMicroMin: 5_000_000,
  /** Least seconds between now and a permit's deadline. */
  permitDeadlineSecondsMin: 120,
  /** Most seconds between now and a permit's deadline. */
  permitDeadlineSecondsMax: 7 * 24 * 60 * 60,
} as const;

/** Outcome markets have ids from here on; perps lie below. */
export const OUTCOME_ID_MIN = 100_000;

/** Characters of a text that events are searched for. */
export const SEARCH_CHARS_MAX = 100;

/** Default and greatest `limit` per paged query. */
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
