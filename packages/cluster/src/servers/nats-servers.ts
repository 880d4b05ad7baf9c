import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { OWNER_ONLY_MODE } from '@oddlot/host/durable';
import { assert, present } from '@oddlot/units';
import { isBelowNatsMin } from '../nats-version.ts';
import { natsVersionOf, requireNatsServer } from './find-nats-server.ts';

/**
 * NATS servers with JetStream on this machine. Each runs in a process that can be killed, frozen
 * and restarted.
 */
export type NatsServers = {
  readonly url: string;
  readonly urls: readonly string[];
  readonly monitors: readonly string[];
  readonly pids: readonly number[];
  /** Kills the process of a server, as in a crash. */
  kill(index: number): Promise<void>;
  start(index: number): Promise<void>;
  freeze(index: number): void;
  thaw(index: number): void;
  /** Resolves when a stream with a copy on each server can be created. */
  ready(): Promise<void>;
  stop(): Promise<void>;
};

export type NatsServersOptions = {
  readonly count?: number;
  /** The servers' folder; by default, a temporary one, which is removed when they stop. */
  readonly folder?: string;
  /**
   * The first of the consecutive ports: those for clients, then those between servers, and then
   * those for monitoring.
   */
  readonly port: number;
  /**
   * The name of the servers' cluster. Servers join only servers with the same name, even if another
   * server has taken over the port of one that ended.
   */
  readonly name?: string;
  /**
   * The ports at which each server reaches the others, instead of their own ports. The servers then
   * find each other only through these ports, because they announce an address without a listener.
   */
  readonly routesOf?: (index: number, ports: readonly number[]) => readonly number[];
  /** Called if a server exited without a request to stop. */
  readonly onEnd?: (index: number) => void;
};

export const PORTS_PER_SERVER = 3;

const NOWHERE = '127.0.0.1:1';
const READY_TRIES = 300;
const READY_EVERY_MS = 100;
/** A time limit of several times the duration of an election, for busy machines. */
const AGREE_MS = 20_000;
const STARTS_MAX = 3;

export async function runNatsServers({
  count = 1,
  folder,
  onEnd,
  port: firstPort,
  name: clusterName = folder === undefined ? `oddlot-${firstPort}` : 'oddlot',
  routesOf,
}: NatsServersOptions): Promise<NatsServers> {
  const program = await requireNatsServer();
  const canSync = !isBelowNatsMin(await natsVersionOf(program));
  const root = folder ?? (await mkdtemp(join(tmpdir(), 'oddlot-nats-')));
  const [clients, routes, monitors] = rowsOf(firstPort, count);
  const children: (ChildProcess | undefined)[] = [];
  const unwanted = new WeakSet<ChildProcess>();
  const start = async (index: number): Promise<void> => {
    // Two processes using the same folder would damage its content.
    assert(!isRunning(children[index]), `server ${index + 1} is already running`);
    const own = join(root, `n${index + 1}`);
    await mkdir(own, { recursive: true });
    const config = join(own, 'nats.conf');
    const portIn = (row: readonly number[]): number => present(row[index], 'a port');
    const to = routesOf?.(index, routes) ?? routes.filter((_, each) => each !== index);
    const ports = { client: portIn(clients), route: portIn(routes), monitor: portIn(monitors), to };
    const cluster =
      count === 1 ? undefined : { name: clusterName, isHidden: routesOf !== undefined };
    const named = { name: `n${index + 1}`, own, cluster, canSync };
    await writeFile(config, configOf({ ...named, ...ports }), { mode: OWNER_ONLY_MODE });
    const child = spawn(program, ['-c', config], { stdio: 'ignore' });
    children[index] = child;
    child.once('exit', () => {
      if (!unwanted.has(child)) onEnd?.(index);
    });
  };
  const end = (child: ChildProcess | undefined): Promise<void> => {
    if (child !== undefined) unwanted.add(child);
    return ended(child, 'SIGKILL');
  };
  const startAll = async (): Promise<void> => {
    await Promise.all(children.map(end));
    for (let index = 0; index < count; index += 1) await start(index);
  };
  // A process that fails before stopping its servers must not leave any of them running.
  const onExit = (): void => signalAll(children, 'SIGKILL');
  process.once('exit', onExit);
  const stop = async (): Promise<void> => {
    process.removeListener('exit', onExit);
    signalAll(children, 'SIGCONT');
    await Promise.all(children.map(end));
    if (folder === undefined) await rm(root, { recursive: true, force: true });
  };
  try {
    await startAll();
  } catch (error) {
    await stop();
    throw error;
  }
  const urls = clients.map((port) => `nats://127.0.0.1:${port}`);
  return {
    url: urls.join(',').replaceAll(',nats://', ','),
    urls,
    monitors: monitors.map((port) => `http://127.0.0.1:${port}`),
    get pids() {
      return children.map((child) => child?.pid ?? 0);
    },
    kill: (index) => end(children[index]),
    start,
    freeze: (index) => void children[index]?.kill('SIGSTOP'),
    thaw: (index) => void children[index]?.kill('SIGCONT'),
    ready: () => ready(urls, startAll),
    stop,
  };
}

function rowsOf(first: number, count: number): [number[], number[], number[]] {
  const row = (at: number): number[] =>
    Array.from({ length: count }, (_, index) => first + at * count + index);
  return [row(0), row(1), row(2)];
}

type ServerConfig = {
  readonly name: string;
  readonly own: string;
  readonly client: number;
  readonly route: number;
  readonly monitor: number;
  readonly to: readonly number[];
  readonly cluster: { readonly name: string; readonly isHidden: boolean } | undefined;
  readonly canSync: boolean;
};

function configOf({
  canSync,
  client,
  cluster,
  monitor,
  name,
  own,
  route,
  to,
}: ServerConfig): string {
  const routes = to.map((port) => `"nats://127.0.0.1:${port}"`).join(', ');
  const advertised = cluster?.isHidden === true ? `advertise: "${NOWHERE}", ` : '';
  const joined =
    cluster === undefined
      ? ''
      : `cluster { name: ${cluster.name}, no_advertise: true, ${advertised}` +
        `listen: "127.0.0.1:${route}", routes: [${routes}] }\n`;
  return [
    `server_name: ${name}`,
    `listen: "127.0.0.1:${client}"`,
    `http: "127.0.0.1:${monitor}"`,
    'max_payload: 8388608',
    'write_deadline: "10s"',
    `jetstream { store_dir: "${join(own, 'jetstream')}", max_memory_store: 67108864${canSync ? ', sync_interval: always' : ''} }`,
    joined,
  ].join('\n');
}

/**
 * Waits until a stream with a copy on each server can be created. About one time in twenty, NATS
 * 2.10 servers start by forming a group without one of them and never admit it; after a restart on
 * the same data, it is admitted.
 */
async function ready(urls: readonly string[], restartAll: () => Promise<void>): Promise<void> {
  for (let starts = 1; ; starts += 1) {
    try {
      return await agreed(urls);
    } catch (error) {
      if (starts === STARTS_MAX) throw error;
      await restartAll();
    }
  }
}

async function agreed(urls: readonly string[]): Promise<void> {
  const untilMs = performance.now() + AGREE_MS;
  const connection = await connectPatiently(urls);
  try {
    for (;;) {
      try {
        const manager = await jetstreamManager(connection, { timeout: 2_000 });
        const name = 'ready';
        await manager.streams.add({ name, subjects: [name], num_replicas: urls.length });
        await manager.streams.delete(name);
        return;
      } catch (error) {
        if (performance.now() > untilMs)
          throw new Error('the NATS servers did not form a cluster in time', { cause: error });
        await later(READY_EVERY_MS);
      }
    }
  } finally {
    await connection.close();
  }
}

async function connectPatiently(urls: readonly string[]) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await connect({ servers: [...urls], reconnect: false, timeout: 1_000 });
    } catch (error) {
      if (tries === READY_TRIES)
        throw new Error('no NATS server could be started', { cause: error });
      await later(READY_EVERY_MS);
    }
  }
}

function signalAll(children: readonly (ChildProcess | undefined)[], signal: NodeJS.Signals): void {
  for (const child of children) child?.kill(signal);
}

function isRunning(child: ChildProcess | undefined): child is ChildProcess {
  return child !== undefined && child.exitCode === null && child.signalCode === null;
}

async function ended(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (!isRunning(child)) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await exit;
}
