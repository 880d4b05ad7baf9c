import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Where the unpacked package is kept: beside what else a run of the tests leaves behind. */
const CACHE = join(import.meta.dirname, '../../../../node_modules/.cache/nats-server');
const UNPACKED = join('usr', 'sbin', 'nats-server');

/** What to do where there is none. */
export const NATS_SERVER_WANTED =
  'a NATS server is needed: install nats-server (Debian: apt-get install nats-server) or put it on the PATH';

let found: Promise<string | undefined> | undefined;

/**
 * The program of a NATS server: that of the PATH, or Debian's package, fetched once and unpacked without
 * root. Undefined where neither can be had.
 */
export function findNatsServer(): Promise<string | undefined> {
  return (found ??= find());
}

async function find(): Promise<string | undefined> {
  const program = kept();
  if (program !== undefined) return program;
  try {
    await unpack();
  } catch {
    // No Debian, or no way to its packages.
  }
  return kept();
}

function kept(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const places = [...folders.map((folder) => join(folder, 'nats-server')), join(CACHE, UNPACKED)];
  return places.find((program) => existsSync(program));
}

/** Several test processes may do so at once: each in a folder of its own, and the first one's stays. */
async function unpack(): Promise<void> {
  await mkdir(join(CACHE, '..'), { recursive: true });
  const folder = await mkdtemp(`${CACHE}-`);
  try {
    await run('apt-get', ['download', 'nats-server'], { cwd: folder });
    const deb = (await readdir(folder)).find((name) => name.endsWith('.deb'));
    if (deb === undefined) return;
    await run('dpkg-deb', ['-x', join(folder, deb), folder]);
    await rename(folder, CACHE);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
