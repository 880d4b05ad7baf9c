import { createServer } from 'node:net';
import { SettingError } from '@oddlot/host/settings';
import { PORTS_A_SERVER } from './nats-servers.ts';

/** Ports that a replica may take: its own, the relay's, that of operations, and those of chains. */
const PORTS_A_REPLICA = 10;
/** Of these a replica takes its own and, so far behind it, that of operations in any case. */
const OPERATIONS_DISTANCE = 2;
const PORT_MAX = 65_535;

type Sizes = { readonly port: number; readonly replicas: number; readonly servers: number };

/** Who of a cluster on one machine listens where: the replicas first, then the NATS servers, then the chain. */
export type ClusterPorts = {
  readonly replicas: readonly number[];
  /** The first of those of the servers. */
  readonly servers: number;
  readonly wallets: number;
  /** Of the chain, for the replicas. */
  readonly owner: number;
};

export function clusterPorts({ port, replicas, servers }: Sizes): ClusterPorts {
  const behind = PORTS_A_REPLICA * replicas;
  const wallets = port + behind + PORTS_A_SERVER * servers;
  const owner = wallets + 1;
  if (port === 0 || owner > PORT_MAX) {
    const max = PORT_MAX - (owner - port);
    throw new SettingError(
      max < 1
        ? `replicas: ${replicas} replicas and ${servers} servers need more ports than exist`
        : `port: must be from 1 to ${max}, because ${replicas} replicas and ${servers} servers ` +
            `use ports up to ${owner - port} above it`,
    );
  }
  return {
    replicas: Array.from({ length: replicas }, (_, index) => port + PORTS_A_REPLICA * index),
    servers: port + behind,
    wallets,
    owner,
  };
}

/** Throws where somebody else has one of them: who is started without it fails later, and says less. */
export async function expectPortsFree({
  owner,
  replicas,
  servers: first,
  wallets,
}: ClusterPorts): Promise<void> {
  const servers = Array.from({ length: wallets - first }, (_, at) => first + at);
  const wanted = [
    ...replicas.flatMap((port, index) => [
      { port, whose: `replica ${index + 1}` },
      { port: port + OPERATIONS_DISTANCE, whose: `the operations port of replica ${index + 1}` },
    ]),
    ...servers.map((port) => ({ port, whose: 'the NATS servers' })),
    ...[wallets, owner].map((port) => ({ port, whose: 'the settlement chain' })),
  ];
  for (const { port, whose } of wanted) {
    const why = await whyNot(port);
    if (why !== undefined) {
      throw new Error(
        `Port ${port}, for ${whose}, is not available (${why}). Choose another --port`,
      );
    }
  }
}

function whyNot(port: number): Promise<string | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', ({ code, message }: NodeJS.ErrnoException) =>
      resolve(code === 'EADDRINUSE' ? 'it is in use' : message),
    );
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(undefined)));
  });
}
