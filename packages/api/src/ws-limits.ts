import { LIMITS } from '@oddlot/protocol';

/** Limits of WebSocket connections. All are settings, and `Infinity` disables one. */
export type WsLimits = {
  /** Maximum number of open connections per client address and endpoint. */
  readonly connectionsMax: number;
  /** Control frames per second and connection, not counting pings. */
  readonly framesPerSecond: number;
  /** Control frames that a connection may send in a burst. */
  readonly framesBurst: number;
  /** Time without frames from the client after which its connection is closed. */
  readonly idleMsMax: number;
  /** Interval of protocol pings to a client. */
  readonly pingEveryMs: number;
  /** Maximum number of subscriptions per connection. */
  readonly subscriptionsMax: number;
  /** Maximum number of outcomeBbos subscriptions per connection. */
  readonly bboGroupsMax: number;
  /**
   * Maximum size of one frame from a client in bytes. A longer one closes the connection with 1009.
   */
  readonly frameBytesMax: number;
  /** Maximum bytes that may wait for one client. More close its connection with 1013. */
  readonly bufferedBytesMax: number;
  /**
   * Maximum bytes that may wait for all clients. Beyond it, connections with the most waiting bytes
   * are closed.
   */
  readonly bufferedBytesTotalMax: number;
  /** Number of frames that a stream keeps for clients that resume. */
  readonly retainedFramesMax: number;
  /**
   * Number before a stream's first frame. It leaves numbers for the earlier frames that clients of
   * other replicas get.
   */
  readonly numbersBefore: number;
  /** Time for which a stream keeps frames, and for which it exists without subscribers. */
  readonly retentionMsMax: number;
  /** Kept bytes of all streams above which older frames are compressed. */
  readonly plainBytesMax: number;
  /**
   * Maximum kept bytes of all streams. Beyond it, streams without subscribers are closed, and then
   * old frames are dropped.
   */
  readonly retainedBytesMax: number;
  /** Number of streams above which those without subscribers are closed, the longest idle first. */
  readonly streamsMax: number;
  /** Minimum interval between frames of an l2Book or outcomeBbos stream. */
  readonly bookIntervalMs: number;
  /** Minimum interval between frames of an activeAssetCtx, tickers or candle stream. */
  readonly contextIntervalMs: number;
  /** Minimum interval between prices of one symbol on a topic of /ws-rtds. */
  readonly priceIntervalMs: number;
};

const MIB = 1024 * 1024;

export const WS_LIMITS: WsLimits = {
  connectionsMax: LIMITS.connectionsMax,
  framesPerSecond: LIMITS.framesPerSecond,
  framesBurst: LIMITS.framesBurst,
  idleMsMax: LIMITS.idleMsMax,
  pingEveryMs: LIMITS.pingEveryMs,
  subscriptionsMax: LIMITS.subscriptionsMax,
  bboGroupsMax: LIMITS.bboGroupsMax,
  // A post with the longest body fits.
  frameBytesMax: LIMITS.bodyBytesMax + 1024,
  bufferedBytesMax: 4 * MIB,
  bufferedBytesTotalMax: 96 * MIB,
  retainedFramesMax: 10_000,
  numbersBefore: 10_000,
  retentionMsMax: 5 * 60_000,
  plainBytesMax: 64 * MIB,
  retainedBytesMax: 512 * MIB,
  streamsMax: 100_000,
  bookIntervalMs: 100,
  contextIntervalMs: 250,
  priceIntervalMs: 1000,
};

/** Limits for load tests: those per client are off, and those that protect the process stay. */
export const WS_LIMITS_OFF: WsLimits = {
  ...WS_LIMITS,
  connectionsMax: Infinity,
  framesPerSecond: Infinity,
  framesBurst: Infinity,
  idleMsMax: Infinity,
  subscriptionsMax: Infinity,
  bboGroupsMax: Infinity,
};
