import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { alone } from './build-lock.ts';

/**
 * Builds the page into `dist/page`. With `--if-stale`, the page is built only if its sources have
 * changed.
 */

const WEB = join(import.meta.dirname, '..');
const DIST = join(WEB, 'dist');
const PAGE = join(DIST, 'page');
const STAMP = join(PAGE, 'built-of.txt');

async function main(onlyIfStale: boolean): Promise<void> {
  const hash = await sourceHash();
  if (onlyIfStale && (await isBuiltOf(hash))) return;
  await mkdir(DIST, { recursive: true });
  await alone(join(DIST, 'page.lock'), async () => {
    if (!onlyIfStale || !(await isBuiltOf(hash))) await buildPage(hash);
  });
}

async function isBuiltOf(hash: string): Promise<boolean> {
  return (await readFile(STAMP, 'utf8').catch(() => '')).trim() === hash;
}

/**
 * Builds in another folder and then renames that folder, because a venue may be reading the old
 * page.
 */
async function buildPage(hash: string): Promise<void> {
  // Vite is loaded only here, because most starts find an up-to-date page.
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

const ROOT = join(WEB, '..', '..');

const SOURCES = ['web', 'sdk', 'protocol', 'units'].map((name) => join(ROOT, 'packages', name));
const LEFT_OUT = /(?:^|\/)(?:node_modules|dist|testing)(?:\/|$)|\.test\.tsx?$|\.tsbuildinfo$/;

async function sourceHash(): Promise<string> {
  const paths = (await Promise.all(SOURCES.map(filesOf))).flat().sort();
  const hash = createHash('sha256');
  const texts = await Promise.all(paths.map((path) => readFile(path)));
  for (const [at, path] of paths.entries()) {
    hash.update(`${relative(ROOT, path)}\0${texts[at]?.length ?? 0}\0`).update(texts[at] ?? '');
  }
  return hash.digest('hex');
}

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !LEFT_OUT.test(relative(folder, path)));
}

const COMPRESSIBLE = /\.(?:js|css|html|svg|json|webmanifest)$/;
const BYTES_MIN = 512;
const BROTLI_QUALITY = 11;

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

async function compressAll(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const paths = entries
    .filter((entry) => entry.isFile() && COMPRESSIBLE.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  await Promise.all(paths.map(compress));
}

async function compress(path: string): Promise<void> {
  const bytes = await readFile(path);
  if (bytes.length < BYTES_MIN) return;
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  await writeFile(`${path}.br`, await brotli(bytes, { params }));
  await writeFile(`${path}.gz`, await zip(bytes, { level: 9 }));
}

type Chunk = { readonly file: string; readonly imports?: readonly string[] };
type Manifest = Readonly<Record<string, Chunk>>;

const SCREENS = join(WEB, 'src', 'app', 'screens.ts');
const ENTRY = 'index.html';

/**
 * Writes the list of scripts that only one screen needs. The served page contains it, so that
 * browsers request these scripts early.
 */
async function writeScreens(folder: string): Promise<void> {
  const text = await readFile(join(folder, '.vite', 'manifest.json'), 'utf8');
  const manifest = JSON.parse(text) as Manifest;
  const always = needed(manifest, ENTRY);
  const screens = [];
  const list = await readFile(SCREENS, 'utf8');
  for (const [, path = '', module = ''] of list.matchAll(
    /path: '([^']*)',\s*load: \(\) => import\('\.\.\/([^']*)'\)/g,
  )) {
    const files = [...needed(manifest, `src/${module}`)].filter((file) => !always.has(file));
    screens.push({ path, scripts: files.map((file) => `/${file}`) });
  }
  await writeFile(join(folder, 'screens.json'), `${JSON.stringify(screens, null, 1)}\n`);
}

function needed(manifest: Manifest, key: string, found = new Set<string>()): ReadonlySet<string> {
  const chunk = manifest[key];
  if (chunk === undefined) throw new Error(`The bundler knows nothing of ${key}`);
  if (found.has(chunk.file)) return found;
  found.add(chunk.file);
  for (const other of chunk.imports ?? []) needed(manifest, other, found);
  return found;
}

// The build is the one that users receive, even if a test starts it.
process.env['NODE_ENV'] = 'production';
// The files of a page are public, unlike those of a venue, which may start this program.
process.umask(0o022);
await main(process.argv.includes('--if-stale'));
