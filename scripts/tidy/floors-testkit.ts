/** Of `packages/testkit/src`: what is in hand below the venue that is made of it, and that below who drives it. */
export const TESTKIT_FLOORS: readonly {
  readonly name: string;
  readonly paths: readonly string[];
  readonly what: string;
}[] = [
  { name: 'entry point', paths: ['index.ts'], what: 'entry point' },
  {
    name: 'drivers',
    paths: ['backtest/', 'controls/', 'start-venue.ts'],
    what: 'backtests; controls over HTTP for any language; a venue in one call',
  },
  {
    name: 'venue',
    paths: ['test-venue.ts'],
    what: 'a venue with a controlled clock, prices, money and faults',
  },
  {
    name: 'inside',
    paths: ['faults.ts', 'venue-in-hand.ts'],
    what: 'injected faults; the parts of a venue, without ports',
  },
  {
    name: 'parts',
    paths: ['faulty-door.ts', 'test-chain.ts', 'ladder.ts', 'start-venue-options.ts'],
    what: 'faulty connections; a chain; quotes around a price; options of a venue',
  },
  {
    name: 'ground',
    paths: ['duration.ts', 'outcome-listing.ts', 'seeded-wallet.ts', 'local-line.ts', 'prices.ts'],
    what: 'durations; events; seeded keys; sockets without a port; controlled prices',
  },
];
