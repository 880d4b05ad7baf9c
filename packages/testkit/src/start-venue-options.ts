import type { Duration } from './duration.ts';

/** Options for a test venue. All of them are optional. */
export type StartVenueOptions = {
  /** The seed from which keys and cursors are derived. The same seed produces the same venue. */
  readonly seed?: string;
  /**
   * The start time. The default is 2026-01-01T00:00:00Z, so that tests do not depend on the time of
   * day. For clients that derive nonces from the machine's clock, use `Date.now()`.
   */
  readonly time?: number | string | Date;
  /** The number of accounts funded at the start. The default is 10. */
  readonly accounts?: number;
  /**
   * The balance of each account, both for perps and for outcome markets, as decimal text. The
   * default is `100000`.
   */
  readonly usdc?: string;
  /**
   * The time per block while time is advanced. The default is 5 s, the interval of premium samples.
   * It is one minute if prices are constant, no premium has to be sampled and no series is listed.
   */
  readonly step?: Duration;
  /** Opens HTTP and WebSocket on a loopback port chosen by the system. */
  readonly ports?: boolean;
  /**
   * Also serves Hyperliquid clients at `venue.hyperliquidUrl`, on this port or on a free one. This
   * implies `ports`.
   */
  readonly hyperliquid?: boolean | number;
  /** Starts a settlement chain inside the test, for deposits and withdrawals (`venue.chain`). */
  readonly chain?: boolean;
  /** Also serves the trading page if it is built. */
  readonly page?: boolean;
  /** Applies the request limits of a public venue. */
  readonly limits?: boolean;
  /** Venue settings as flags, such as `['--order-delay-ms', '0']`. */
  readonly flags?: readonly string[];
  /**
   * With `own`, log, history and signatures run on separate threads, as in a real venue. The
   * default is `here`.
   */
  readonly threads?: 'here' | 'own';
};
