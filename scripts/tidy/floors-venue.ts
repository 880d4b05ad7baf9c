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
    what: 'a whole cluster on one machine: its servers, its database and its replicas',
  },
  {
    name: 'start',
    paths: ['start.ts'],
    what: 'runs the program, as it was bundled or from its sources',
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
    what: 'the program, where its bundle is, a local chain alone, and the doors for others',
  },
  {
    name: 'venue',
    paths: [
      'venue.ts',
      'backup/',
      'rebuild-history.ts',
      'rename-venue.ts',
      'replay-folder.ts',
      'cluster-admin/',
    ],
    what: 'joins the parts, starts and stops them; copies a folder, puts it back and replays it; computes the history again; gives a copy another name; what operators do with the log of a cluster',
  },
  {
    name: 'compose',
    paths: ['compose/'],
    what: 'the data with the money behind it, and the doors: what each part is given',
  },
  {
    name: 'joints',
    paths: ['local-actors.ts', 'settlement-chain.ts', 'local-relay/', 'supervise/'],
    what: 'who acts from inside of the process; the settlement chain as configured; the relay beside it; what the operator watches',
  },
  {
    name: 'config',
    paths: ['config.ts'],
    what: 'settings, read, and what follows from them; nobody below reads them',
  },
  { name: 'settings', paths: ['settings/'], what: 'all that a venue can be told' },
  { name: 'edge', paths: ['edge/'], what: 'HTTP, sockets, limits, signatures' },
  {
    name: 'actors',
    paths: ['bots/', 'exhibition/'],
    what: 'simulated traders, events to trade on',
  },
  {
    name: 'oracle and settlement',
    paths: ['oracle/', 'settlement/'],
    what: 'prices, and money of the settlement chain, that the process brings into the log',
  },
  {
    name: 'history',
    paths: ['history/'],
    what: 'the past: a thread that makes rows of blocks, the databases that keep them, receipts',
  },
  {
    name: 'cluster',
    paths: ['cluster/'],
    what: 'the log of many machines: a stream, its copy here, leases, and what replicas tell each other',
  },
  {
    name: 'replica and translate',
    paths: ['replica/', 'translate/'],
    what: 'the log applied to an engine; integers to the wire and back',
  },
  {
    name: 'log, read models and reserves',
    paths: ['log/', 'read-models/', 'reserves/'],
    what: 'blocks on disk; what is computed from events and kept in memory; trees over what is owed',
  },
  {
    name: 'block and codec',
    paths: ['block/', 'codec/'],
    what: 'what a block is, before and after it executed; commands as bytes',
  },
  {
    name: 'ground',
    paths: ['lease/', 'genesis-commands.ts'],
    what: 'who runs singletons; the first block',
  },
];
