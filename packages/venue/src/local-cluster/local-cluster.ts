import { chmod, mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { lockDirectory } from '@oddlot/host/directory-lock';
import { openInOrder } from '@oddlot/host/open-in-order';
import { type ClusterPorts, clusterPorts, expectPortsFree } from './cluster-ports.ts';
import { wantNatsServer } from './find-nats-server.ts';
import { type NatsServers, runNatsServers } from './nats-servers.ts';
import { expectPostgresCan, startPostgres } from './postgres-server.ts';
import { ServingProcess } from './serving-process.ts';

const VENUE = join(import.meta.dirname, '../start.ts');
const CHAIN = join(import.meta.dirname, '../run-chain.ts');
/** The folder of the database, below that of everything. */
const POSTGRES = 'postgres';

type LocalClusterOptions = {
  readonly port: number;
  readonly data: string;
  readonly replicas: number;
  readonly servers: number;
  /** After which what has died is started again; 0 leaves it dead. */
  readonly againAfterMs: number;
  /** What every replica is told besides. */
  readonly flags: readonly string[];
  readonly print: (line: string) => void;
};

/** A cluster on this machine, all its processes children of this one. */
export type LocalCluster = { stop(): Promise<void> };

/**
 * Starts everything that a cluster has, the servers first. What dies is started again as a supervisor on its own machine
 * would, after a moment in which the others can be seen to do without.
 */
export async function startLocalCluster(options: LocalClusterOptions): Promise<LocalCluster> {
  const { data } = options;
  const ports = clusterPorts(options);
  await expectPostgresCan(join(data, POSTGRES));
  await wantNatsServer();
  // Not for its owner alone, as the lock would make it: PostgreSQL may run as somebody else, in a folder below.
  await makeOpenFolder(data);
  // Servers of two clusters on the same files would damage them.
  const lock = lockDirectory(data);
  return openInOrder(
    async (opened) => {
      opened.defer(() => lock.release());
      await expectPortsFree(ports);
      const again = restarter(options);
      try {
        await startAll(options, ports, { again, opened });
      } catch (error) {
        // Before anything is ended: what has died meanwhile stays so.
        again.stop();
        throw error;
      }
      return {
        stop() {
          again.stop();
          return opened.disposeAsync();
        },
      };
    },
    (error) => options.print(`shutdown incomplete: ${String(error)}`),
  );
}

/** Makes a folder that other users can enter where root makes it, even if the umask would close it to them. */
async function makeOpenFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined || process.getuid?.() !== 0) return;
  const top = dirname(resolve(first));
  for (let made = resolve(folder); made !== top; made = dirname(made)) await chmod(made, 0o755);
}

type Starting = { readonly again: Restarter; readonly opened: AsyncDisposableStack };

/** Those that write are ended first, so that nobody waits for what is gone. */
async function startAll(
  options: LocalClusterOptions,
  ports: ClusterPorts,
  { again, opened }: Starting,
): Promise<void> {
  const { data, print } = options;
  const servers = await runNatsServers({
    count: options.servers,
    folder: join(data, 'nats'),
    port: ports.servers,
    onEnd: (index) =>
      again.after(`NATS server ${index + 1}`, async () => {
        await servers.start(index);
        tellServer(index);
      }),
  });
  opened.defer(() => servers.stop());
  const tellServer = (index: number): void =>
    print(`NATS server ${index + 1} (pid ${servers.pids[index]}) is at ${servers.urls[index]}`);
  for (const index of servers.urls.keys()) tellServer(index);
  const postgres = await startPostgres({
    data: join(data, POSTGRES),
    onEnd: () =>
      again.after('PostgreSQL', async () => {
        await postgres.start();
        tellPostgres();
      }),
  });
  opened.defer(() => postgres.stop());
  const tellPostgres = (): void => print(`PostgreSQL (pid ${postgres.pid}) is running`);
  tellPostgres();
  const database = await postgres.databaseOf('oddlot');
  const chain = await startChain(options, ports, { again, opened });
  await servers.ready();
  const shared = [...sharedArgs(options, { servers, database }), ...chain.args, ...options.flags];
  const replicas: ServingProcess[] = [];
  opened.defer(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()));
  });
  for (const [index, port] of ports.replicas.entries()) {
    const name = `replica-${index + 1}`;
    const place = ['--port', String(port), '--data', join(data, name)];
    // Who loses one of them is to find the others.
    const named = ['--replica', name, '--public-url', `http://127.0.0.1:${port}`];
    const replica: ServingProcess = new ServingProcess({
      program: VENUE,
      args: [...place, ...named, ...shared],
      logFile: join(data, `${name}.log`),
      onServing: (pid, url) => print(`replica ${index + 1} (pid ${pid}) is serving at ${url}`),
      onEnd: (how) =>
        again.after(`replica ${index + 1} (${how}; log: ${data}/${name}.log)`, async () =>
          replica.start(),
        ),
    });
    replica.start();
    replicas.push(replica);
  }
}

/** The chain that all replicas settle on. They can wait for it, but not begin without its address. */
async function startChain(
  { data, print }: LocalClusterOptions,
  { owner, replicas: pages, wallets }: ClusterPorts,
  { again, opened }: Starting,
): Promise<{ readonly args: readonly string[] }> {
  const folder = join(data, 'chain');
  const serving = Promise.withResolvers<void>();
  const chain: ServingProcess = new ServingProcess({
    program: CHAIN,
    args: [
      ['--data', folder, '--port', String(wallets), '--owner-port', String(owner)],
      ['--page-ports', pages.join(',')],
    ].flat(),
    logFile: join(data, 'chain.log'),
    onServing: (pid, url) => {
      print(`the settlement chain (pid ${pid}) is serving at ${url}`);
      serving.resolve();
    },
    onEnd: (how) => {
      serving.reject(
        new Error(`the settlement chain ended with ${how}; see ${join(data, 'chain.log')}`),
      );
      again.after('the settlement chain', async () => chain.start());
    },
  });
  chain.start();
  opened.defer(() => chain.stop());
  await serving.promise;
  const place = `http://127.0.0.1:${owner}`;
  return {
    args: [
      ['--chain', place, '--chain-keys', join(folder, 'keys')],
      ['--settlement-rpc-url', `http://127.0.0.1:${wallets}`],
    ].flat(),
  };
}

function sharedArgs(
  { servers: count }: LocalClusterOptions,
  { database, servers }: { readonly servers: NatsServers; readonly database: string },
): string[] {
  const shared = {
    '--log': servers.url,
    '--cluster': 'local',
    '--stream-replicas': String(count),
    '--nats-monitors': servers.monitors.join(','),
    '--database': database,
  };
  return [...Object.entries(shared).flat(), ...(count < 3 ? ['--accept-weak-stream'] : [])];
}

type Restarter = {
  after(what: string, start: () => Promise<void>): void;
  stop(): void;
};

function restarter({ againAfterMs, print }: LocalClusterOptions): Restarter {
  let isStopping = false;
  return {
    after(what, start) {
      if (isStopping) return;
      print(`${what} ended${againAfterMs === 0 ? '' : '; restarting'}`);
      if (againAfterMs === 0) return;
      setTimeout(() => {
        if (!isStopping) start().catch((error: unknown) => print(`${what}: ${String(error)}`));
      }, againAfterMs).unref();
    },
    stop() {
      isStopping = true;
    },
  };
}
