import { chmod, mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { lockDirectory } from '@oddlot/host/directory-lock';
import { openInOrder } from '@oddlot/host/open-in-order';
import { requireNatsServer } from '@oddlot/cluster/servers/find-nats-server';
import {
  type NatsServers,
  PORTS_PER_SERVER,
  runNatsServers,
} from '@oddlot/cluster/servers/nats-servers';
import { expectPostgresCan, startPostgres } from '@oddlot/cluster/servers/postgres-server';
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { OWNER_ONLY_MODE } from '@oddlot/host/durable';
import { createServer } from 'node:net';
import {
  FOLDER,
  PORT,
  setting,
  SettingError,
  type SettingsProgram,
  whole,
} from '@oddlot/host/settings';

const VENUE = join(import.meta.dirname, '../start.ts');
const CHAIN = join(import.meta.dirname, '../run-chain.ts');
const POSTGRES = 'postgres';

type LocalClusterOptions = {
  readonly port: number;
  readonly data: string;
  readonly replicas: number;
  readonly servers: number;
  /** The delay in milliseconds before a dead process is restarted; 0 disables restarts. */
  readonly againAfterMs: number;
  readonly flags: readonly string[];
  readonly print: (line: string) => void;
};

/** A cluster on this machine whose processes are all children of this one. */
export type LocalCluster = { stop(): Promise<void> };

/**
 * Starts all processes of a cluster, the servers first. A dead process is restarted, as a
 * supervisor on a separate machine would do. Because of the delay before the restart, an operator
 * can observe the cluster without the process.
 */
export async function startLocalCluster(options: LocalClusterOptions): Promise<LocalCluster> {
  const { data } = options;
  const ports = clusterPorts(options);
  await expectPostgresCan(join(data, POSTGRES));
  await requireNatsServer();
  // The folder is created before the lock, which would restrict it to its owner, because PostgreSQL
  // may run in a subfolder as another user.
  await makeOpenFolder(data);
  // The folder is locked, because two clusters whose servers use the same files would damage them.
  const lock = lockDirectory(data);
  return openInOrder(
    async (opened) => {
      opened.defer(() => lock.release());
      await expectPortsFree(ports);
      const again = restarter(options);
      try {
        await startAll(options, ports, { again, opened });
      } catch (error) {
        // Restarts are disabled before any process is stopped.
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

/** Creates a folder. If root creates it, other users can enter it, regardless of the umask. */
async function makeOpenFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined || process.getuid?.() !== 0) return;
  const top = dirname(resolve(first));
  for (let made = resolve(folder); made !== top; made = dirname(made)) await chmod(made, 0o755);
}

type Starting = { readonly again: Restarter; readonly opened: AsyncDisposableStack };

/**
 * Starts the servers first, because processes are stopped in reverse order and a writer must not be
 * left waiting for a stopped server.
 */
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
        printServer(index);
      }),
  });
  opened.defer(() => servers.stop());
  const printServer = (index: number): void =>
    print(`NATS server ${index + 1} (pid ${servers.pids[index]}) is at ${servers.urls[index]}`);
  for (const index of servers.urls.keys()) printServer(index);
  const postgres = await startPostgres({
    data: join(data, POSTGRES),
    onEnd: () =>
      again.after('PostgreSQL', async () => {
        await postgres.start();
        printPostgres();
      }),
  });
  opened.defer(() => postgres.stop());
  const printPostgres = (): void => print(`PostgreSQL (pid ${postgres.pid}) is running`);
  printPostgres();
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
    // Each replica publishes its address, so that a client that loses one replica can find the
    // others.
    const named = ['--replica', name, '--public-url', `http://127.0.0.1:${port}`];
    const replica: ServingProcess = new ServingProcess({
      program: VENUE,
      args: [...place, ...named, ...shared],
      logFile: join(data, `${name}.log`),
      onServing: (pid, url) => print(`replica ${index + 1} (pid ${pid}) is serving at ${url}`),
      onEnd: (how) =>
        again.after(
          `replica ${index + 1}`,
          async () => replica.start(),
          ` (${how}; log: ${data}/${name}.log)`,
        ),
    });
    replica.start();
    replicas.push(replica);
  }
}

/**
 * Starts the chain on which all replicas settle. Replicas can wait until the chain is running, but
 * need its address to start.
 */
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
        new Error(`the settlement chain exited (${how}); see ${join(data, 'chain.log')}`),
      );
      again.after('the settlement chain', async () => chain.start(), ` (${how})`);
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
  after(what: string, start: () => Promise<void>, how?: string): void;
  stop(): void;
};

function restarter({ againAfterMs, print }: LocalClusterOptions): Restarter {
  let isStopping = false;
  return {
    after(what, start, how = '') {
      if (isStopping) return;
      print(`${what} exited${how}${againAfterMs === 0 ? '' : '; restarting'}`);
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

const SERVING = /is serving at (\S+)/;
/**
 * A process that is asked to stop hands over its tasks. If it has not exited after this many
 * milliseconds, it is killed.
 */
const STOP_MS_MAX = 15_000;
const LINE_CHARACTERS_MAX = 10_000;

type ServingOptions = {
  readonly program: string;
  readonly args: readonly string[];
  /** Contains the output of all runs of the process. */
  readonly logFile: string;
  readonly onServing: (pid: number, url: string) => void;
  /** Called when the process ended without a request to stop. */
  readonly onEnd: (how: string) => void;
};

/**
 * Runs a program of a local cluster, detects when it is serving, and can restart it after it has
 * exited.
 */
class ServingProcess {
  readonly #options: ServingOptions;
  readonly #log: WriteStream;
  #child: ChildProcess | undefined;
  #isWanted = false;

  constructor(options: ServingOptions) {
    this.#options = options;
    this.#log = createWriteStream(options.logFile, { flags: 'a', mode: OWNER_ONLY_MODE });
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  start(): void {
    const { args, onEnd, onServing, program } = this.#options;
    // The npm variable is removed, so that the replicas do not watch their parent process and the
    // program is not bundled three times.
    const env = { ...process.env, npm_lifecycle_event: undefined };
    const child = spawn(process.execPath, [program, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env,
    });
    this.#child = child;
    this.#isWanted = true;
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#log.write(text);
      const before = SERVING.exec(output);
      output = (output + text).slice(0, LINE_CHARACTERS_MAX);
      const url = SERVING.exec(output)?.[1];
      if (before === null && url !== undefined && output.includes('\n')) onServing(this.pid, url);
    });
    child.stderr.on('data', (chunk: Buffer) => this.#log.write(chunk));
    child.once('exit', (code, signal) => {
      if (this.#isWanted && this.#child === child) onEnd(signal ?? `code ${code}`);
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  async stop(): Promise<void> {
    this.#isWanted = false;
    const child = this.#child;
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      const exit = new Promise((ended) => child.once('exit', ended));
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      const killTimer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
      await exit;
      clearTimeout(killTimer);
    }
    await new Promise((written) => this.#log.end(written));
  }
}

/**
 * The number of ports reserved per replica: its main port, the relay's, the operations port, and
 * the ports of chains.
 */
const PORTS_A_REPLICA = 10;
/** The distance of a replica's operations port from its main port. */
const OPERATIONS_DISTANCE = 2;
const PORT_MAX = 65_535;

type Sizes = { readonly port: number; readonly replicas: number; readonly servers: number };

/**
 * The ports of a cluster on one machine: first the replicas, then the NATS servers, then the chain.
 */
type ClusterPorts = {
  readonly replicas: readonly number[];
  readonly servers: number;
  readonly wallets: number;
  /** The port through which the replicas use the chain. */
  readonly owner: number;
};

export function clusterPorts({ port, replicas, servers }: Sizes): ClusterPorts {
  const behind = PORTS_A_REPLICA * replicas;
  const wallets = port + behind + PORTS_PER_SERVER * servers;
  const owner = wallets + 1;
  if (port === 0 || owner > PORT_MAX) {
    const max = PORT_MAX - (owner - port);
    throw new SettingError(
      max < 1
        ? `replicas: ${replicas} replicas and ${servers} servers need more ports than are available`
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

/**
 * Throws if another process uses one of these ports. Without this check, startup would fail later
 * with a less specific error.
 */
export async function expectPortsFree({
  owner,
  replicas,
  servers: first,
  wallets,
}: ClusterPorts): Promise<void> {
  const servers = Array.from({ length: wallets - first }, (_, at) => first + at);
  const required = [
    ...replicas.flatMap((port, index) => [
      { port, usedBy: `replica ${index + 1}` },
      { port: port + OPERATIONS_DISTANCE, usedBy: `the operations port of replica ${index + 1}` },
    ]),
    ...servers.map((port) => ({ port, usedBy: 'the NATS servers' })),
    ...[wallets, owner].map((port) => ({ port, usedBy: 'the settlement chain' })),
  ];
  for (const { port, usedBy } of required) {
    const why = await whyNot(port);
    if (why !== undefined) {
      throw new Error(`Port ${port} for ${usedBy} is not available: ${why}. Choose another --port`);
    }
  }
}

function whyNot(port: number): Promise<string | undefined> {
  const server = createServer();
  return new Promise((answer) => {
    server.once('error', ({ code, message }: NodeJS.ErrnoException) =>
      answer(code === 'EADDRINUSE' ? 'already in use' : message),
    );
    server.listen(port, '127.0.0.1', () => server.close(() => answer(undefined)));
  });
}

export const LOCAL_CLUSTER_SETTINGS = {
  title: 'Oddlot cluster on one machine: NATS servers, PostgreSQL and replicas',
  command: 'npm run cluster',
  groups: {
    Cluster: {
      port: setting(PORT, {
        default: 8690,
        help: 'Port of the first replica. Each replica uses ten ports; the servers use those above',
      }),
      data: setting(FOLDER, {
        default: './data-cluster',
        help: 'Folder for all data',
      }),
      replicas: setting(whole(), { default: 3, help: 'Number of replicas' }),
      servers: setting(whole(), {
        default: 3,
        help: 'Number of NATS servers; if there are fewer than 3, the failure of one stops the venue',
      }),
      againAfterMs: setting(whole('ms', { min: 0 }), {
        default: 3_000,
        help: 'Milliseconds to wait before restarting a process that has exited; 0 disables restarts',
      }),
    },
  },
  closing:
    'Arguments after a second -- are passed to every replica: npm run cluster -- --port 8700 -- --no-bots\n',
} satisfies SettingsProgram;
