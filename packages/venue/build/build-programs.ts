import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { systemTime } from '@oddlot/host/clock';
import { writeWholeFile } from '@oddlot/host/durable';
import { bundledProgram, bundlesIn, type Manifest, stampOf } from '../src/bundled-program.ts';
import { bundlePrograms } from './bundle-programs.ts';

/**
 * Bundles the programs for the next start. With `--if-stale` nothing is done when those that are there are of the same
 * sources. `npm start` runs it so in the background, in a process of its own.
 */

const ROOT = join(import.meta.dirname, '../../..');
const BUNDLES = bundlesIn(ROOT);
/** Sources that change meanwhile are bundled again, and then left to the next start. */
const TRIES = 2;
/** A venue that runs still loads pieces of its own bundle. */
const KEPT = 3;

// A venue keeps its own files to itself, and so would its children; programs are for everybody.
process.umask(0o022);
if (!process.argv.includes('--if-stale') || bundledProgram('venue', ROOT) === undefined) {
  await mkdir(BUNDLES, { recursive: true });
  let isDone = false;
  for (let count = 0; count < TRIES && !isDone; count += 1) isDone = await build();
  await removeOld();
}

/** False when a source may have changed since it was read. */
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
  const old = folders.toSorted((a, b) => b.madeMs - a.madeMs).slice(KEPT);
  for (const { path } of old) await rm(path, { recursive: true });
}
