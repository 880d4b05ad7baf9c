/** Those bounds of the wire that a client goes by itself: a page that trades loads these alone. */
export const CLIENT_LIMITS = {
  /** Orders in one order action. */
  ordersMax: 50,
  /** Signers of a multi-sig account, and inner signatures of one action. */
  multiSigSignersMax: 10,
  /** Control frames per second of one connection. */
  framesPerSecond: 20,
  /** Control frames that one connection may send at once. */
  framesBurst: 40,
  /** Rows of a snapshot frame of a history channel. */
  snapshotRowsMax: 200,
} as const;

/** Default and greatest `limit` of the queries that it pages through. */
export const CLIENT_PAGE_LIMITS = {
  blocks: { default: 20, max: 100 },
  withdrawals: { default: 50, max: 200 },
  recentTrades: { default: 50, max: 200 },
} as const;
