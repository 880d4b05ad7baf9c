import { LIMITS } from '@oddlot/protocol';

/**
 * The limits of WebSocket connections. All of them are settings, and `Infinity` disables a limit.
 */
export type WsLimits = {
  /** The maximum number of open connections per client address and endpoint. */
  readonly connectionsMax: number;
  /** The number of control frames per second and connection, not counting pings. */
  readonly framesPerSecond: number;
  /** The number of control frames that a connection may send in a burst. */
  readonly framesBurst: number;
  /** A connection is closed after this time without frames from the client. */
  readonly idleMsMax: number;
  /** The interval at which protocol pings are sent to a client. */
  readonly pingEveryMs: number;
  /** The maximum number of subscriptions per connection. */
  readonly subscriptionsMax: number;
  /** The maximum number of outcomeBbos subscriptions per connection. */
  readonly bboGroupsMax: number;
  /**
   * The maximum size of one frame from a client, in bytes. A longer frame closes the connection
   * with 1009.
   */
  readonly frameBytesMax: number;
  /**
   * The maximum number of bytes that may wait for one client. If more are waiting, its connection
   * is closed with 1013.
   */
  readonly bufferedBytesMax: number;
  /**
   * The maximum number of bytes that may wait for all clients together. Above it, the connections
   * with the most waiting bytes are closed.
   */
  readonly bufferedBytesTotalMax: number;
  /** The number of frames that a stream keeps for clients that resume. */
  readonly retainedFramesMax: number;
  /**
   * The number that precedes a stream's first frame. The numbers below it are used for earlier
   * frames that clients of other replicas get.
   */
  readonly numbersBefore: number;
  /** The time for which a stream keeps frames, and for which it exists without subscribers. */
  readonly retentionMsMax: number;
  /** Above this number of kept bytes of all streams, older frames are compressed. */
  readonly plainBytesMax: number;
  /**
   * The maximum number of kept bytes of all streams. Above it, streams without subscribers are
   * closed, and then old frames are dropped.
   */
  readonly retainedBytesMax: number;
  /** Above this number of streams, those without subscribers are closed, the longest idle first. */
  readonly streamsMax: number;
  /** The minimum interval between frames of an l2Book or outcomeBbos stream. */
  readonly bookIntervalMs: number;
  /** The minimum interval between frames of an activeAssetCtx, tickers or candle stream. */
  readonly contextIntervalMs: number;
  /** The minimum interval between prices of one symbol on a topic of /ws-rtds. */
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
  // A post with the longest allowed body fits into a frame.
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

/**
 * The limits for load tests: the limits per client are disabled, and those that protect the process
 * remain.
 */
export const WS_LIMITS_OFF: WsLimits = {
  ...WS_LIMITS,
  connectionsMax: Infinity,
  framesPerSecond: Infinity,
  framesBurst: Infinity,
  idleMsMax: Infinity,
  subscriptionsMax: Infinity,
  bboGroupsMax: Infinity,
};
