/** Of `packages/venue/src`: what a block is below who makes blocks, the doors above what they show. */
export const VENUE_FLOORS: readonly {
  readonly name: string;
  readonly paths: readonly string[];
  readonly what: string;
}[] = [
  { name: 'testing', paths: ['testing/'], what: 'fakes and set-ups of tests' },
  {
    name: 'local cluster',
    paths: ['local-cluster/'],
    what: 'a whole cluster on one machine: NATS servers, database, replicas',
  },
  {
    name: 'start',
    paths: ['start.ts'],
    what: 'starts the program, bundled or from its sources',
  },
  {
    name: 'process',
    paths: [
      'bundled-program.ts',
      'main.ts',
      'run-chain.ts',
      'index.ts',
      'in-hand.ts',
      'inspect.ts',
      'replay.ts',
      'venue-program.ts',
    ],
    what: 'the program, its bundle, the local chain program, entry points',
  },
  {
    name: 'venue',
    paths: [
      'venue.ts',
      'backup/',
      'rebuild-history.ts',
      'create-engine.ts',
      'rename-venue.ts',
      'replay-folder.ts',
      'cluster-admin/',
    ],
    what:
      'composes the parts, starts and stops them; backup, restore, replay; rebuilding the ' +
      'history; renaming; cluster administration',
  },
  {
    name: 'compose',
    paths: ['compose/'],
    what: 'composes data, settlement and ports from their parts',
  },
  {
    name: 'joints',
    paths: ['local-actors.ts', 'settlement-chain.ts', 'local-relay/', 'supervise/'],
    what: 'actors within the process; configured settlement chain; local relay; supervision',
  },
  {
    name: 'config',
    paths: ['config.ts'],
    what: 'reads settings and derives values from them; lower layers do not read settings',
  },
  { name: 'settings', paths: ['settings/'], what: 'all settings of a venue' },
  { name: 'edge', paths: ['edge/'], what: 'HTTP, sockets, limits, signatures' },
  {
    name: 'actors',
    paths: ['bots/', 'exhibition/'],
    what: 'simulated traders, demo markets',
  },
  {
    name: 'oracle and settlement',
    paths: ['oracle/', 'settlement/'],
    what: 'prices and settlement events, brought into the log',
  },
  {
    name: 'history',
    paths: ['history/'],
    what: 'history: the indexer thread, its databases, execution receipts',
  },
  {
    name: 'cluster',
    paths: ['cluster/'],
    what: 'the log of a cluster: stream, local copy, leases, status board',
  },
  {
    name: 'replica and translate',
    paths: ['replica/', 'translate/'],
    what: 'applies the log to an engine; integers to the wire and back',
  },
  {
    name: 'log, read models and reserves',
    paths: ['log/', 'read-models/', 'reserves/'],
    what: 'blocks on disk; in-memory state derived from events; reserves trees',
  },
  {
    name: 'block and codec',
    paths: ['block/', 'codec/'],
    what: 'a block before and after execution; commands as bytes',
  },
  {
    name: 'ground',
    paths: ['lease/', 'genesis-commands.ts'],
    what: 'singleton tasks; the first block',
  },
];
