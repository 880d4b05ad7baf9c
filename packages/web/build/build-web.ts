import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { alone } from './build-lock.ts';
import { compressAll } from './compress-all.ts';
import { sourceHash } from './source-hash.ts';
import { writeScreens } from './write-screens.ts';

/**
 * Builds the page into `dist/page`, with brotli and gzip ready-made beside every file that gains by it. With
 * `--if-stale` nothing is done when the page there was built of the same sources. A venue runs it so at its
 * start, in a process of its own.
 */

const WEB = join(import.meta.dirname, '..');
const DIST = join(WEB, 'dist');
const PAGE = join(DIST, 'page');
/** Inside of the page's folder, so that the two cannot come apart. */
const STAMP = join(PAGE, 'built-of.txt');

// Whoever starts it, a test for example: what is built is what people get.
process.env['NODE_ENV'] = 'production';
// A venue keeps its own files to itself, and so would its children; a page is for everybody.
process.umask(0o022);
await main(process.argv.includes('--if-stale'));

async function main(onlyIfStale: boolean): Promise<void> {
  const hash = await sourceHash();
  if (onlyIfStale && (await isBuiltOf(hash))) return;
  await mkdir(DIST, { recursive: true });
  await alone(join(DIST, 'page.lock'), async () => {
    // Who waited may find that the other has built the same.
    if (!onlyIfStale || !(await isBuiltOf(hash))) await buildPage(hash);
  });
}

async function isBuiltOf(hash: string): Promise<boolean> {
  return (await readFile(STAMP, 'utf8').catch(() => '')).trim() === hash;
}

/** Built beside and renamed: a venue may be reading what is there. */
async function buildPage(hash: string): Promise<void> {
  // Loaded when it is needed: most starts find the page as it should be.
  const { build } = await import('vite');
  const next = join(DIST, 'page-next');
  await rm(next, { recursive: true, force: true });
  await build({
    configFile: join(WEB, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: next, emptyOutDir: true },
  });
  await writeScreens(next);
  await compressAll(next);
  await writeFile(join(next, 'built-of.txt'), `${hash}\n`);
  await rm(PAGE, { recursive: true, force: true });
  await rename(next, PAGE);
}
