import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildIfStale } from './build-if-stale.ts';

/**
 * Builds the page into `dist/page`. With `--if-stale`, the page is built only if its sources have
 * changed.
 */

const WEB = join(import.meta.dirname, '..');
const PACKAGES = join(WEB, '..');

async function buildPage(folder: string): Promise<void> {
  // Vite is loaded only here, because most starts find an up-to-date page.
  const { build } = await import('vite');
  await build({
    configFile: join(WEB, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: folder, emptyOutDir: true },
  });
  await writeScreens(folder);
}

type Chunk = { readonly file: string; readonly imports?: readonly string[] };
type Manifest = Readonly<Record<string, Chunk>>;

const SCREENS = join(WEB, 'src', 'app', 'screens.ts');
const ENTRY = 'index.html';

/**
 * Writes the list of scripts that only one screen needs. The page includes the list, so that
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

await buildIfStale({
  folder: join(WEB, 'dist/page'),
  sources: ['web', 'sdk', 'protocol', 'units'].map((name) => join(PACKAGES, name)),
  encodings: ['br', 'gz'],
  build: buildPage,
});
