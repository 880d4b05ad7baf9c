import type { Duration } from './duration.ts';

/** Options of a test venue. All of them are optional. */
export type StartVenueOptions = {
  /** The seed from which keys and cursors are derived. The same seed gives the same venue. */
  readonly seed?: string;
  /**
   * The start time; 2026-01-01T00:00:00Z by default, so that tests do not depend on the time of
   * day. For clients that take nonces from the machine's clock, use `Date.now()`.
   */
  readonly time?: number | string | Date;
  /** The number of funded accounts at the start; 10 by default. */
  readonly accounts?: number;
  /**
   * The balance of each account, both for perps and for outcome markets, as decimal text; `100000`
   * by default.
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
   * Also serves clients of Hyperliquid, at `venue.hyperliquidUrl`, on this port or on a free one;
   * implies `ports`.
   */
  readonly hyperliquid?: boolean | number;
  /** Starts a settlement chain inside the test, for deposits and withdrawals (`venue.chain`). */
  readonly chain?: boolean;
  /** Also serves the trading page, if it is built. */
  readonly page?: boolean;
  /** Applies the request limits of a public venue. */
  readonly limits?: boolean;
  /** Settings of the venue as flags, such as `['--order-delay-ms', '0']`. */
  readonly flags?: readonly string[];
  /**
   * `own` runs log, history and signatures on separate threads, as a real venue does; `here` by
   * default.
   */
  readonly threads?: 'here' | 'own';
};
