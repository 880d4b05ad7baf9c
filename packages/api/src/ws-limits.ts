import { LIMITS } from '@oddlot/protocol';

/** Limits of the WebSocket edge. All are settings; `Infinity` disables one. */
export type WsLimits = {
  /** Open connections per client address and endpoint. */
  readonly connectionsMax: number;
  /** Control frames per second and connection; pings do not count. */
  readonly framesPerSecond: number;
  /** Control frames of a connection in a burst. */
  readonly framesBurst: number;
  /** A connection is closed after this silence of its client. */
  readonly idleMsMax: number;
  /** The interval of protocol pings to a client. */
  readonly pingEveryMs: number;
  /** Subscriptions per connection. */
  readonly subscriptionsMax: number;
  /** Subscriptions to outcomeBbos per connection. */
  readonly bboGroupsMax: number;
  /** Bytes of one frame from a client; a longer one closes the connection with 1009. */
  readonly frameBytesMax: number;
  /** Bytes that may wait for one client; more close its connection with 1013. */
  readonly bufferedBytesMax: number;
  /**
   * Bytes that may wait for all clients; beyond it, clients with the most waiting bytes are closed.
   */
  readonly bufferedBytesTotalMax: number;
  /** Frames that a stream keeps for clients that resume. */
  readonly keptFramesMax: number;
  /**
   * The number before a stream's first frame, so that earlier frames can be numbered for clients of
   * other processes.
   */
  readonly numbersBefore: number;
  /** How long a stream keeps frames, and how long it lives without subscribers. */
  readonly keptMsMax: number;
  /** Kept bytes of all streams above which older frames are compressed. */
  readonly plainBytesMax: number;
  /**
   * Kept bytes of all streams. Beyond it, streams without subscribers are closed, then old frames
   * dropped.
   */
  readonly keptBytesMax: number;
  /** Beyond this number, streams without subscribers are closed, the longest idle first. */
  readonly streamsMax: number;
  /** The minimum interval between frames of a stream of l2Book or outcomeBbos. */
  readonly bookIntervalMs: number;
  /** The minimum interval between frames of a stream of activeAssetCtx, tickers or candle. */
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
  // A post with the longest body fits.
  frameBytesMax: LIMITS.bodyBytesMax + 1024,
  bufferedBytesMax: 4 * MIB,
  bufferedBytesTotalMax: 96 * MIB,
  keptFramesMax: 10_000,
  numbersBefore: 10_000,
  keptMsMax: 5 * 60_000,
  plainBytesMax: 64 * MIB,
  keptBytesMax: 512 * MIB,
  streamsMax: 100_000,
  bookIntervalMs: 100,
  contextIntervalMs: 250,
  priceIntervalMs: 1000,
};

/** For load tests: limits between clients are off, limits that protect the process stay. */
export const WS_LIMITS_OFF: WsLimits = {
  ...WS_LIMITS,
  connectionsMax: Infinity,
  framesPerSecond: Infinity,
  framesBurst: Infinity,
  idleMsMax: Infinity,
  subscriptionsMax: Infinity,
  bboGroupsMax: Infinity,
};
