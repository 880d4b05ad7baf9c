import type { Duration } from './duration.ts';

/** How a venue of a test begins. Nothing is required. */
export type StartVenueOptions = {
  /** Keys and cursors follow from it: the same seed, the same venue. */
  readonly seed?: string;
  /**
   * The time at the start: 2026-01-01T00:00:00Z by default, so that no test depends on the hour in which it
   * runs. Clients that take nonces from the clock of the machine want `Date.now()` here.
   */
  readonly time?: number | string | Date;
  /** How many accounts are there from the start, each with test money; 10 by default. */
  readonly accounts?: number;
  /** What each of them has in perps and again in outcome markets, as decimal text; `100000` by default. */
  readonly usdc?: string;
  /**
   * How far time goes with a block while it is advanced. By default 5 s, as premiums are sampled, and a minute where
   * prices stand, no premium is left to sample and no series is listed.
   */
  readonly step?: Duration;
  /** Opens HTTP and WebSocket on a loopback port that the system picks. */
  readonly ports?: boolean;
  /** A settlement chain inside of the test, for deposits and withdrawals: `venue.chain`. */
  readonly chain?: boolean;
  /** Serves the trading page as well, where it is built. */
  readonly page?: boolean;
  /** Whether the limits of requests hold that a public venue has. */
  readonly limits?: boolean;
  /** Settings of the venue as flags, such as `['--order-delay-ms', '0']`. */
  readonly flags?: readonly string[];
  /** `own` runs log, history and signatures on threads of their own, as a real venue does; `here` by default. */
  readonly threads?: 'here' | 'own';
};
