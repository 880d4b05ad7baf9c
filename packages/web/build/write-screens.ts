import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Of the bundler's manifest what is needed here. */
type Chunk = { readonly file: string; readonly imports?: readonly string[] };
type Manifest = Readonly<Record<string, Chunk>>;

const FEATURES = join(import.meta.dirname, '..', 'src', 'features');
const ENTRY = 'index.html';

/**
 * Writes beside a built page which scripts each screen needs besides those of every screen, so that whoever
 * serves it can name them in the page: a browser then asks for all at once instead of for one after the other.
 */
export async function writeScreens(folder: string): Promise<void> {
  const text = await readFile(join(folder, '.vite', 'manifest.json'), 'utf8');
  const manifest = JSON.parse(text) as Manifest;
  const always = needed(manifest, ENTRY);
  const screens = [];
  for (const list of globSync('*/screens.ts', { cwd: FEATURES }).sort()) {
    const source = await readFile(join(FEATURES, list), 'utf8');
    for (const [, path = '', module = ''] of source.matchAll(
      /path: '([^']*)',\s*load: \(\) => import\('\.\/([^']*)'\)/g,
    )) {
      const key = `src/features/${join(list, '..', module)}`;
      const files = [...needed(manifest, key)].filter((file) => !always.has(file));
      screens.push({ path, scripts: files.map((file) => `/${file}`) });
    }
  }
  await writeFile(join(folder, 'screens.json'), `${JSON.stringify(screens, null, 1)}\n`);
}

/** The file of a chunk and those that it can't start without. */
function needed(manifest: Manifest, key: string, found = new Set<string>()): ReadonlySet<string> {
  const chunk = manifest[key];
  if (chunk === undefined) throw new Error(`The bundle does not contain ${key}`);
  if (found.has(chunk.file)) return found;
  found.add(chunk.file);
  for (const other of chunk.imports ?? []) needed(manifest, other, found);
  return found;
}
