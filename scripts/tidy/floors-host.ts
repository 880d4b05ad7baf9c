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
    what: 'public ports: endpoints, refusals, limits',
  },
  {
    name: 'operate and settings',
    paths: ['operate/', 'settings/'],
    what: 'logger, metrics, health, machine limits; settings of programs',
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
    what:
      'common parts of all ports; durable files; clock; answers of others; grants; opening ' +
      'several resources or none; threads',
  },
];
