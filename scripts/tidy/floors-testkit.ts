/** Of `packages/testkit/src`: what is in hand below the venue that is made of it, and that below who drives it. */
export const TESTKIT_FLOORS: readonly {
  readonly name: string;
  readonly paths: readonly string[];
  readonly what: string;
}[] = [
  { name: 'door', paths: ['index.ts'], what: 'what tests import' },
  {
    name: 'drivers',
    paths: ['backtest/', 'controls/', 'start-venue.ts'],
    what: 'a bot against the past; the same by HTTP, for any language; a venue in one call',
  },
  {
    name: 'venue',
    paths: ['test-venue.ts'],
    what: 'a venue with its clock, prices, money and faults',
  },
  {
    name: 'inside',
    paths: ['faults.ts', 'venue-in-hand.ts'],
    what: 'what can go wrong on purpose; the parts of a venue, without ports',
  },
  {
    name: 'parts',
    paths: [
      'faulty-door.ts',
      'test-chain.ts',
      'ladder.ts',
      'seeded-wallet.ts',
      'start-venue-options.ts',
    ],
    what: 'a door that loses answers; a chain; quotes around a price; accounts of a seed; what can be asked for',
  },
  {
    name: 'ground',
    paths: [
      'duration.ts',
      'outcome-listing.ts',
      'seeded-key.ts',
      'test-account.ts',
      'local-line.ts',
      'prices.ts',
      'hand-clock.ts',
      'lease-in-hand.ts',
      'venue-folder.ts',
    ],
    what: 'times in words; events; keys; an account; sockets without a port; prices, time, leases and folders in hand',
  },
];
