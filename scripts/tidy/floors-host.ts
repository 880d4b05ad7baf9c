/** Of `packages/host/src`: what a port is below what is said at one. */
export const HOST_FLOORS: readonly {
  readonly name: string;
  readonly paths: readonly string[];
  readonly what: string;
}[] = [
  { name: 'testing', paths: ['testing/'], what: 'fakes and set-ups of tests' },
  {
    name: 'http',
    paths: ['http/'],
    what: 'a public port that speaks the wire: endpoints, refusals, limits',
  },
  {
    name: 'operate and settings',
    paths: ['operate/', 'settings/'],
    what: 'logger, metrics, health, and what the machine allows; how programs are told what to do',
  },
  {
    name: 'ground',
    paths: [
      'ports/',
      'durable/',
      'clock.ts',
      'bounded-json.ts',
      'grants.ts',
      'open-in-order.ts',
      'thread.ts',
    ],
    what: 'what all ports have in common; files that survive a power loss; the clock; answers of others; who got something lately; several things opened, or none; threads, and what runs as one',
  },
];
