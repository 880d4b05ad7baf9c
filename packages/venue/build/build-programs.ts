import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { systemTime } from '@oddlot/host/clock';
import { writeWholeFile } from '@oddlot/host/durable';
import { bundledProgram, bundlesIn, type Manifest, stampOf } from '../src/bundled-program.ts';
import { bundlePrograms } from './bundle-programs.ts';

/**
 * Bundles the programs for the next startup. With `--if-stale`, an existing bundle of the same
 * sources is kept. `npm start` runs this script with that flag in a background process.
 */

const ROOT = join(import.meta.dirname, '../../..');
const BUNDLES = bundlesIn(ROOT);
/**
 * If sources change during a build, the build is repeated once. If they change again, the next
 * startup builds anew.
 */
const TRIES = 2;
/**
 * The number of bundles to keep. Several are kept, because a running venue still loads files from
 * its own bundle.
 */
const BUNDLES_MAX = 3;

// A venue restricts access to its files to its own user, and its child processes inherit that
// umask. Bundled programs, however, must be readable by every user.
process.umask(0o022);
if (!process.argv.includes('--if-stale') || bundledProgram('venue', ROOT) === undefined) {
  await mkdir(BUNDLES, { recursive: true });
  let isDone = false;
  for (let count = 0; count < TRIES && !isDone; count += 1) isDone = await build();
  await removeOld();
}

/**
 * Bundles the sources and returns true, or returns false if a source may have changed since it was
 * read.
 */
async function build(): Promise<boolean> {
  const startSecond = Math.floor(systemTime.wallMs() / 1_000);
  const { files, place } = await bundlePrograms(BUNDLES);
  const sources = files.map((path) => relative(ROOT, path));
  const { newestSecond, stamp } = stampOf(sources, ROOT);
  if (newestSecond >= startSecond) return false;
  const manifest: Manifest = { place: basename(place), sources, stamp };
  writeWholeFile(join(BUNDLES, 'manifest.json'), JSON.stringify(manifest), { mode: 0o644 });
  return true;
}

async function removeOld(): Promise<void> {
  const folders: { readonly path: string; readonly madeMs: number }[] = [];
  for (const name of await readdir(BUNDLES)) {
    const path = join(BUNDLES, name);
    const found = await stat(path);
    if (found.isDirectory()) folders.push({ path, madeMs: found.mtimeMs });
  }
  const old = folders.toSorted((a, b) => b.madeMs - a.madeMs).slice(BUNDLES_MAX);
  for (const { path } of old) await rm(path, { recursive: true });
}
