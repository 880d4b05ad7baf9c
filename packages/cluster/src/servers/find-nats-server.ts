import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { isBelowNatsMin, NATS_VERSION_MIN } from '../nats-version.ts';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';

const run = promisify(execFile);

/** The folder for the unpacked package, next to the project's other caches. */
const CACHE = join(
  import.meta.dirname,
  `../../../../node_modules/.cache/nats-server-${NATS_VERSION_MIN}`,
);
/**
 * The environment variable with the path of the program to use. If it is empty, no program is used.
 */
export const NATS_SERVER_NAMED = 'ODDLOT_NATS_SERVER';

export const NATS_SERVER_REQUIRED =
  `A NATS server is required. Put nats-server ${NATS_VERSION_MIN} or newer on the ` +
  `PATH, or set ${NATS_SERVER_NAMED} to its path`;

type Found = { readonly program: string } | { readonly why: string };

let found: Promise<Found> | undefined;

/**
 * Finds a NATS server program: the one specified in the environment, one on the PATH, or Debian's
 * package, which is fetched once and unpacked without root privileges. A version that loses
 * messages is ignored unless it is specified explicitly.
 */
export function findNatsServer(): Promise<Found> {
  return (found ??= find(process.env));
}

/** Returns the path of the program. Throws an error for the user if there is none. */
export async function requireNatsServer(): Promise<string> {
  const server = await findNatsServer();
  if ('program' in server) return server.program;
  throw new Error(`${NATS_SERVER_REQUIRED} (${server.why})`);
}

export async function natsVersionOf(program: string): Promise<string> {
  const { stdout } = await run(program, ['--version']);
  return /v(\d\S*)/.exec(stdout)?.[1] ?? '';
}

export async function find(
  env: NodeJS.ProcessEnv,
  { cache = CACHE, fetch = fetchNatsServer } = {},
): Promise<Found> {
  const named = env[NATS_SERVER_NAMED];
  if (named !== undefined) return findNamed(named);
  const tried: string[] = [];
  const take = async (program: string): Promise<boolean> => {
    if (!existsSync(program)) return false;
    const version = await natsVersionOf(program).catch(() => '');
    if (!isBelowNatsMin(version)) return true;
    tried.push(`${program} is ${version === '' ? 'not usable' : version}`);
    return false;
  };
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const fetched = join(cache, PROGRAM);
  for (const program of [...folders.map((folder) => join(folder, 'nats-server')), fetched]) {
    if (await take(program)) return { program };
  }
  if (tried.length === 0) tried.push('none on the PATH');
  try {
    await fetch(cache);
    if (await take(fetched)) return { program: fetched };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    tried.push(`fetching the Debian package failed: ${why}`);
  }
  return { why: tried.join('; ') };
}

async function findNamed(program: string): Promise<Found> {
  if (program === '') return { why: `${NATS_SERVER_NAMED} is empty` };
  try {
    await natsVersionOf(program);
    return { program };
  } catch (error) {
    return {
      why: `${NATS_SERVER_NAMED}: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

/**
 * Debian 12 contains release 2.9.10. Debian 13's package needs the C library of Debian 12 or newer.
 */
const SUITE = 'trixie';
const KEYRINGS = ['pgp', 'gpg'].map((kind) => `/usr/share/keyrings/debian-archive-keyring.${kind}`);
const PROGRAM = join('usr', 'sbin', 'nats-server');
const TIMEOUT_S = 10;
/** The time limit for apt, which downloads an index of about 10 MB. */
const APT_MS_MAX = 120_000;

/**
 * Fetches Debian's package of a NATS server from the mirrors configured on this machine, and
 * unpacks it into a folder. apt works in a temporary folder with its own list of sources, so it
 * does not need root privileges and does not change the machine's configuration. If fetching fails,
 * the error includes the reason. Several processes can do this at the same time; the first one's
 * folder is kept.
 */
export async function fetchNatsServer(folder: string): Promise<void> {
  await mkdir(join(folder, '..'), { recursive: true });
  const work = await mkdtemp(`${folder}-`);
  try {
    await download(work);
    const deb = (await readdir(work)).find((name) => name.endsWith('.deb'));
    if (deb === undefined) throw new Error('apt-get did not download a package');
    const unpacked = join(work, 'unpacked');
    await mkdir(unpacked);
    await run('dpkg-deb', ['-x', join(work, deb), unpacked]);
    await rename(unpacked, folder).catch((error: unknown) => {
      if (!existsSync(join(folder, PROGRAM))) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function download(work: string): Promise<void> {
  const mirrors = await mirrorsOfThisMachine();
  if (mirrors.length === 0) throw new Error('apt has no sources on this machine');
  const failures: string[] = [];
  for (const [at, mirror] of mirrors.entries()) {
    const own = join(work, String(at));
    try {
      const config = await aptConfig(own, mirror);
      const options = { cwd: work, timeout: APT_MS_MAX };
      await run('apt-get', ['-c', config, 'update', '--error-on=any'], options);
      await run('apt-get', ['-c', config, 'download', 'nats-server'], options);
      return;
    } catch (error) {
      failures.push(`${mirror}: ${reasonOf(error)}`);
    }
  }
  throw new Error(failures.join('; '));
}

/** Returns the mirrors' addresses without the suites. apt lists them without network access. */
async function mirrorsOfThisMachine(): Promise<readonly string[]> {
  const { stdout } = await run('apt-get', ['update', '--print-uris']);
  const named = stdout.matchAll(/^'(\S+?)\/dists\/\S+\/InRelease'/gm);
  return [...new Set([...named].flatMap(([, mirror]) => mirror ?? []))];
}

/**
 * Writes a configuration for apt. Proxies and credentials from the machine's configuration remain
 * in effect.
 */
async function aptConfig(folder: string, mirror: string): Promise<string> {
  const lists = join(folder, 'lists');
  await mkdir(join(lists, 'partial'), { recursive: true });
  const sources = join(folder, 'debian.sources');
  const keyring = KEYRINGS.find((each) => existsSync(each));
  await writeFile(
    sources,
    [
      'Types: deb',
      `URIs: ${mirror}`,
      `Suites: ${SUITE}`,
      'Components: main',
      'Targets: Packages',
      ...(keyring === undefined ? [] : [`Signed-By: ${keyring}`]),
      '',
    ].join('\n'),
  );
  const config = join(folder, 'apt.conf');
  const settings = {
    'Dir::Etc::sourcelist': sources,
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::Etc::preferences': '/dev/null',
    'Dir::Etc::preferencesparts': '/dev/null',
    'Dir::State::lists': lists,
    'Dir::Cache': join(folder, 'cache'),
    'Acquire::Languages': 'none',
    'Acquire::Retries': '1',
    'Acquire::http::Timeout': String(TIMEOUT_S),
    'Acquire::https::Timeout': String(TIMEOUT_S),
    // As a sandbox user, apt could not read the temporary folder.
    'APT::Sandbox::User': '',
  };
  await writeFile(
    config,
    [
      ...Object.entries(settings).map(([name, value]) => `${name} "${value}";`),
      // These options disable hooks of the machine that clean or read its own package cache.
      '#clear APT::Update::Pre-Invoke;',
      '#clear APT::Update::Post-Invoke;',
      '#clear APT::Update::Post-Invoke-Success;',
      '',
    ].join('\n'),
  );
  return config;
}

/** Returns the first line of apt's error output that states a reason. */
function reasonOf(error: unknown): string {
  const { message, stderr = '' } = error as Error & { readonly stderr?: string };
  const lines = stderr.split('\n').filter((line) => /^(E|Err):/.test(line));
  return (lines.at(0) ?? message.split('\n')[0] ?? '').replace(/^E: /, '');
}
