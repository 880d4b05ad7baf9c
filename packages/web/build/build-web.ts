import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { compressAll } from './compress-all.ts';
import { sourceHash } from './source-hash.ts';

/**
 * Builds the page into `dist/page`, with brotli and gzip ready-made beside every file that gains by it. With
 * `--if-stale` nothing is done when the page there was built of the same sources. A venue runs it so at its
 * start, in a process of its own.
 */

const WEB = join(import.meta.dirname, '..');
const PAGE = join(WEB, 'dist', 'page');
/** Inside of the page's folder, so that the two cannot come apart. */
const STAMP = join(PAGE, 'built-of.txt');

// Whoever starts it, a test for example: what is built is what people get.
process.env['NODE_ENV'] = 'production';
await main(process.argv.includes('--if-stale'));

async function main(onlyIfStale: boolean): Promise<void> {
  const hash = await sourceHash();
  const known = await readFile(STAMP, 'utf8').catch(() => '');
  if (onlyIfStale && known.trim() === hash) return;
  // Built beside and renamed: several venues of one checkout may start at once, and one may be serving.
  const next = join(WEB, 'dist', `page-${process.pid}`);
  try {
    await mkdir(next, { recursive: true });
    await build({
      configFile: join(WEB, 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: next, emptyOutDir: true },
    });
    await compressAll(next);
    await writeFile(join(next, 'built-of.txt'), `${hash}\n`);
    await rm(PAGE, { recursive: true, force: true });
    await rename(next, PAGE);
  } finally {
    await rm(next, { recursive: true, force: true });
  }
}
