import { LIMITS } from '@oddlot/protocol';

/** The bounds of the socket edge. All are configuration; `Infinity` switches one off. */
export type WsLimits = {
  /** Open connections per client address and endpoint. */
  readonly connectionsMax: number;
  /** Control frames per second of one connection; pings are free. */
  readonly framesPerSecond: number;
  /** Control frames that one connection may send at once. */
  readonly framesBurst: number;
  /** Silence of the client after which a connection is closed. */
  readonly idleMsMax: number;
  /** Time between two protocol-level pings to a client. */
  readonly pingEveryMs: number;
  /** Subscriptions of one connection. */
  readonly subscriptionsMax: number;
  /** Subscriptions to outcomeBbos of one connection. */
  readonly bboGroupsMax: number;
  /** Bytes of one frame from a client; more closes the connection with 1009. */
  readonly frameBytesMax: number;
  /** Bytes that may wait for a client that does not read; more closes it with 1013. */
  readonly bufferedBytesMax: number;
  /** Bytes that may wait for all clients together; more cuts off those for whom most waits. */
  readonly bufferedBytesTotalMax: number;
  /** Frames that a stream keeps for clients that come back. */
  readonly keptFramesMax: number;
  /** Number of the frame before a stream's first: so many earlier ones can be numbered, for who comes from elsewhere. */
  readonly numbersBefore: number;
  /** How long a stream keeps frames, and how long it lives without subscribers. */
  readonly keptMsMax: number;
  /** Bytes of the kept frames of all streams from which on the older ones are packed. */
  readonly plainBytesMax: number;
  /** Bytes of all kept frames, packed or not. Beyond, streams without subscribers go, then old frames. */
  readonly keptBytesMax: number;
  /** Streams; beyond it those without subscribers go, the longest idle first. */
  readonly streamsMax: number;
  /** Least time between two frames of one stream of l2Book or outcomeBbos. */
  readonly bookIntervalMs: number;
  /** Least time between two frames of one stream of activeAssetCtx, tickers or candle. */
  readonly contextIntervalMs: number;
  /** Least time between two prices of one symbol on a topic of /ws-rtds. */
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
  frameBytesMax: 64 * 1024,
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

/** For load tests: what guards against clients is off, what guards this process stays. */
export const WS_LIMITS_OFF: WsLimits = {
  ...WS_LIMITS,
  connectionsMax: Infinity,
  framesPerSecond: Infinity,
  framesBurst: Infinity,
  idleMsMax: Infinity,
  subscriptionsMax: Infinity,
  bboGroupsMax: Infinity,
};
