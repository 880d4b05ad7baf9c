import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { isBelowNatsMin, NATS_VERSION_MIN } from '../cluster/nats-version.ts';
import { fetchNatsServer, PROGRAM } from './fetch-nats-server.ts';

const run = promisify(execFile);

/** Where the unpacked package is kept, next to the other caches of the project. */
const CACHE = join(
  import.meta.dirname,
  `../../../../node_modules/.cache/nats-server-${NATS_VERSION_MIN}`,
);
/** Names a program to use instead; empty for none at all. */
export const NATS_SERVER_NAMED = 'ODDLOT_NATS_SERVER';

/** What to do where there is none. */
export const NATS_SERVER_WANTED =
  `A NATS server is required. Put nats-server ${NATS_VERSION_MIN} or newer on the ` +
  `PATH, or set ${NATS_SERVER_NAMED} to its path`;

/** A program, or why none was found. */
type Found = { readonly program: string } | { readonly why: string };

let found: Promise<Found> | undefined;

/**
 * The program of a NATS server: the one that the environment names, one on the PATH, or Debian's package, which is fetched
 * once and unpacked without root. A version that loses messages is passed over, unless it is named.
 */
export function findNatsServer(): Promise<Found> {
  return (found ??= find(process.env));
}

/** The same; throws a sentence for the user where there is none. */
export async function wantNatsServer(): Promise<string> {
  const server = await findNatsServer();
  if ('program' in server) return server.program;
  throw new Error(`${NATS_SERVER_WANTED} (${server.why})`);
}

/** Such as `2.10.27`. */
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
  if (tried.length === 0) tried.push('the PATH has none');
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
