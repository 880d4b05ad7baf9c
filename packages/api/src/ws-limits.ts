import { LIMITS } from '@oddlot/protocol';

/** Limits for WebSocket connections. All of them are settings, and `Infinity` disables a limit. */
export type WsLimits = {
  /** The maximum number of open connections per client address and endpoint. */
  readonly connectionsMax: number;
  /** The number of control frames per second per connection, not counting pings. */
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
   * The maximum size of one frame from a client, in bytes. A longer frame causes the connection to
   * be closed with code 1009.
   */
  readonly frameBytesMax: number;
  /**
   * The maximum number of bytes waiting to be sent to one client. If there are more, its connection
   * is closed with code 1013.
   */
  readonly bufferedBytesMax: number;
  /**
   * The maximum number of bytes waiting to be sent to all clients together. Above it, the
   * connections with the most waiting bytes are closed.
   */
  readonly bufferedBytesTotalMax: number;
  /** The number of frames that a stream keeps for clients that resume. */
  readonly retainedFramesMax: number;
  /**
   * The number before that of a stream's first frame. It and the numbers below it are left for
   * earlier frames, which are sent to clients coming from other replicas.
   */
  readonly numbersBefore: number;
  /** How long a stream keeps frames, and how long it exists without subscribers. */
  readonly retentionMsMax: number;
  /** When all streams together keep more bytes than this, older frames are compressed. */
  readonly plainBytesMax: number;
  /**
   * The maximum number of bytes kept by all streams together. Above it, streams without subscribers
   * are closed, and then old frames are dropped.
   */
  readonly retainedBytesMax: number;
  /**
   * Above this number of streams, those without subscribers are closed, starting with the one idle
   * the longest.
   */
  readonly streamsMax: number;
  /** The minimum interval between frames of an l2Book or outcomeBbos stream. */
  readonly bookIntervalMs: number;
  /** The minimum interval between frames of an activeAssetCtx, tickers or candle stream. */
  readonly contextIntervalMs: number;
  /** The minimum interval between prices of the same symbol on a /ws-rtds topic. */
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
  // A frame is large enough for a post with the longest allowed body.
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
 * Limits for load tests: per-client limits are disabled, and those that protect the process remain.
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
