import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Finds programs that were bundled for this start (`build/build-programs.ts`). With a few
 * JavaScript files instead of a thousand modules a start takes a third of the time and two thirds
 * of the memory. A bundle is used only if it was built from the current sources.
 */

const ROOT = join(import.meta.dirname, '../../..');
/** npm rewrites this file whenever the installed packages change. */
const INSTALLED = 'node_modules/.package-lock.json';

export type Manifest = {
  /** The folder next to the manifest. */
  readonly place: string;
  /** The project files in the programs, as paths from the root. */
  readonly sources: readonly string[];
  readonly stamp: string;
};

/** The file of a program, if it was bundled from the current sources. */
export function bundledProgram(name: string, root = ROOT): string | undefined {
  const folder = bundlesIn(root);
  try {
    const text = readFileSync(join(folder, 'manifest.json'), 'utf8');
    const { place, sources, stamp } = JSON.parse(text) as Manifest;
    return stampOf(sources, root).stamp === stamp ? join(folder, place, `${name}.js`) : undefined;
  } catch {
    // Without a complete bundle the sources run.
    return undefined;
  }
}

/**
 * In `node_modules`, so that `npm ci` removes the bundles together with the packages that they
 * contain.
 */
export function bundlesIn(root = ROOT): string {
  return join(root, 'node_modules/.cache/start');
}

/**
 * Identifies a state of files by their paths, lengths and modification seconds, because reading a
 * thousand files would take a tenth of the start. A stored stamp is valid only if the files are
 * older than the second in which they were read; every later change then has another stamp.
 */
export function stampOf(
  sources: readonly string[],
  root = ROOT,
): { readonly stamp: string; readonly newestSecond: number } {
  const hash = createHash('sha256').update(root);
  let newestSecond = 0;
  for (const path of [INSTALLED, ...sources]) {
    const { mtimeMs, size } = statSync(join(root, path));
    // Whole seconds, because container images store no finer times.
    const second = Math.floor(mtimeMs / 1_000);
    newestSecond = Math.max(newestSecond, second);
    hash.update(`\0${path}\0${size}\0${second}`);
  }
  return { stamp: hash.digest('hex'), newestSecond };
}
