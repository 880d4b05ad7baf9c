import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { promisify } from 'node:util';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { OWN_FILE } from '@oddlot/host/durable';
import { assert, present } from '@oddlot/units';
import { findNatsServer, NATS_SERVER_WANTED } from './find-nats-server.ts';

/** NATS servers on this machine, with JetStream, each a process that can be killed, frozen and started again. */
export type NatsServers = {
  /** What a client is given, of all of them. */
  readonly url: string;
  /** Of each, in their order. */
  readonly urls: readonly string[];
  readonly pids: readonly number[];
  /** As a crash ends it. */
  kill(index: number): Promise<void>;
  /** On the data that it had. */
  start(index: number): Promise<void>;
  freeze(index: number): void;
  thaw(index: number): void;
  /** Resolves when a stream of as many copies as there are servers can be made. */
  ready(): Promise<void>;
  stop(): Promise<void>;
};

export type NatsServersOptions = {
  readonly count?: number;
  /** Their folder; a temporary one by default, which goes with them. */
  readonly folder?: string;
  /** The first of twice as many in a row: those for clients, then those for each other. */
  readonly port: number;
  /** Of the line between servers; by default that of the server itself. */
  readonly routesOf?: (index: number, ports: readonly number[]) => readonly number[];
  /** One has ended, and nobody here has asked for that. */
  readonly onEnd?: (index: number) => void;
};

const READY_TRIES = 300;
const READY_EVERY_MS = 100;

export async function runNatsServers({
  count = 1,
  folder,
  onEnd,
  port: firstPort,
  routesOf,
}: NatsServersOptions): Promise<NatsServers> {
  const program = await findNatsServer();
  if (program === undefined) throw new Error(NATS_SERVER_WANTED);
  const canSync = await syncsAlways(program);
  const root = folder ?? (await mkdtemp(join(tmpdir(), 'oddlot-nats-')));
  const ports = Array.from({ length: 2 * count }, (_, at) => firstPort + at);
  const clients = ports.slice(0, count);
  const routes = ports.slice(count);
  const children: (ChildProcess | undefined)[] = [];
  const unwanted = new WeakSet<ChildProcess>();
  const start = async (index: number): Promise<void> => {
    // Two processes on one folder damage what is in it.
    assert(!isRunning(children[index]), `server ${index + 1} runs already`);
    const own = join(root, `n${index + 1}`);
    await mkdir(own, { recursive: true });
    const to = routesOf?.(index, routes) ?? routes.filter((_, each) => each !== index);
    const config = join(own, 'nats.conf');
    const client = present(clients[index], 'a port');
    const route = present(routes[index], 'a port');
    const isAlone = count === 1;
    const text = configOf({ name: `n${index + 1}`, own, client, route, to, isAlone, canSync });
    await writeFile(config, text, { mode: OWN_FILE });
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
  // Who fails before it stops its servers leaves none behind.
  const onExit = (): void => {
    for (const child of children) child?.kill('SIGKILL');
  };
  process.once('exit', onExit);
  const stop = async (): Promise<void> => {
    process.removeListener('exit', onExit);
    for (const child of children) child?.kill('SIGCONT');
    await Promise.all(children.map(end));
    if (folder === undefined) await rm(root, { recursive: true, force: true });
  };
  try {
    for (let index = 0; index < count; index += 1) await start(index);
  } catch (error) {
    await stop();
    throw error;
  }
  const urls = clients.map((port) => `nats://127.0.0.1:${port}`);
  const url = `nats://${clients.map((port) => `127.0.0.1:${port}`).join(',')}`;
  return {
    url,
    urls,
    get pids() {
      return children.map((child) => child?.pid ?? 0);
    },
    kill: (index) => end(children[index]),
    start,
    freeze: (index) => void children[index]?.kill('SIGSTOP'),
    thaw: (index) => void children[index]?.kill('SIGCONT'),
    ready: () => ready(urls, count),
    stop,
  };
}

type ServerConfig = {
  readonly name: string;
  readonly own: string;
  readonly client: number;
  readonly route: number;
  readonly to: readonly number[];
  readonly isAlone: boolean;
  readonly canSync: boolean;
};

/** Servers before 2.10 can't be told to: what all of them held in memory alone is lost when all are killed at once. */
async function syncsAlways(program: string): Promise<boolean> {
  const { stdout } = await promisify(execFile)(program, ['--version']);
  const [, major = '0', minor = '0'] = /v(\d+)\.(\d+)/.exec(stdout) ?? [];
  return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 10);
}

function configOf({ canSync, client, isAlone, name, own, route, to }: ServerConfig): string {
  const cluster = isAlone
    ? ''
    : `cluster { name: oddlot, no_advertise: true, listen: "127.0.0.1:${route}", routes: [${to
        .map((port) => `"nats://127.0.0.1:${port}"`)
        .join(', ')}] }\n`;
  return [
    `server_name: ${name}`,
    `listen: "127.0.0.1:${client}"`,
    'max_payload: 8388608',
    'write_deadline: "10s"',
    `jetstream { store_dir: "${join(own, 'jetstream')}", max_memory_store: 67108864${canSync ? ', sync_interval: always' : ''} }`,
    cluster,
  ].join('\n');
}

async function ready(urls: readonly string[], count: number): Promise<void> {
  const connection = await connectPatiently(urls);
  try {
    for (let tries = 0; ; tries += 1) {
      try {
        const manager = await jetstreamManager(connection, { timeout: 2_000 });
        const name = 'ready';
        await manager.streams.add({ name, subjects: [name], num_replicas: count });
        await manager.streams.delete(name);
        return;
      } catch (error) {
        if (tries === READY_TRIES)
          throw new Error('the NATS servers do not agree', { cause: error });
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
      if (tries === READY_TRIES) throw new Error('no NATS server starts', { cause: error });
      await later(READY_EVERY_MS);
    }
  }
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
