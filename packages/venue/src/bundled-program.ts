import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Programs that were bundled for the next start (`build/build-programs.ts`): a few files of JavaScript instead of a thousand
 * modules, so that a start takes a third of the time and two thirds of the memory. They count only while they are of the
 * sources that are there.
 */

const ROOT = join(import.meta.dirname, '../../..');
/** What is installed: npm writes it anew whenever that changes. */
const INSTALLED = 'node_modules/.package-lock.json';

export type Manifest = {
  /** The folder beside the manifest. */
  readonly place: string;
  /** Our own files that are in the programs, by their paths from the root. */
  readonly sources: readonly string[];
  readonly stamp: string;
};

/** The file of a program, where one was bundled of these sources. */
export function bundledProgram(name: string, root = ROOT): string | undefined {
  const folder = bundlesIn(root);
  try {
    const text = readFileSync(join(folder, 'manifest.json'), 'utf8');
    const { place, sources, stamp } = JSON.parse(text) as Manifest;
    return stampOf(sources, root).stamp === stamp ? join(folder, place, `${name}.js`) : undefined;
  } catch {
    // There is none, or a file of it is gone: the sources do.
    return undefined;
  }
}

/** Where they are kept: `npm ci` removes them together with the packages that they were made of. */
export function bundlesIn(root = ROOT): string {
  return join(root, 'node_modules/.cache/start');
}

/**
 * Names a state of files by the place of all and the length and second of each: to read a thousand files at every start
 * would cost a tenth of it. Whoever keeps a stamp sees to it that what it stands for is older than the second in which it
 * was read; every later change then has another one.
 */
export function stampOf(
  sources: readonly string[],
  root = ROOT,
): { readonly stamp: string; readonly newestSecond: number } {
  const hash = createHash('sha256').update(root);
  let newestSecond = 0;
  for (const path of [INSTALLED, ...sources]) {
    const { mtimeMs, size } = statSync(join(root, path));
    // No finer: images of containers keep whole seconds.
    const second = Math.floor(mtimeMs / 1_000);
    newestSecond = Math.max(newestSecond, second);
    hash.update(`\0${path}\0${size}\0${second}`);
  }
  return { stamp: hash.digest('hex'), newestSecond };
}
