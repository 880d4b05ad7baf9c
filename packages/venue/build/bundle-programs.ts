import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { syncDirectory, writeWholeFile } from '@oddlot/host/durable';

/**
 * Bundles the programs and threads of this tree, each into one JavaScript file plus shared pieces:
 * a process that loads a few files starts several times faster than one that strips the types of a
 * thousand. Assets are still read from the tree, so the bundle works on this machine only.
 */

const ROOT = join(import.meta.dirname, '../../..');
const PACKAGES = join(ROOT, 'packages');

/** Files that run as a process or a thread, by the name of their bundle. */
export const ENTRIES: Readonly<Record<string, string>> = {
  venue: 'venue/src/main.ts',
  relay: 'relay/src/main.ts',
  validator: 'audit/src/validator/main.ts',
  bridge: 'custody/src/bridge/main.ts',
  verify: 'audit/src/verify/main.ts',
  'indexer-thread': 'history/src/indexer/indexer-worker.ts',
  'recover-thread': 'api/src/recover-worker.ts',
  'disk-thread': 'replica/src/log/disk-worker.ts',
  'chain-thread': 'devchain/src/chain-worker.ts',
};

/**
 * A native addon finds its binary relative to itself, and modules loaded by name are resolved where
 * they are installed.
 */
const EXTERNAL = [/^secp256k1/, /^hash-wasm$/, /^pino$/, /^pg-native$/];

const INSTALLED = /[\\/]node_modules[\\/]/;
const isOurs = (path: string): boolean => path.startsWith(PACKAGES) && !INSTALLED.test(path);
const URL_OF_FILE = /new URL\(\s*(['"])(\.[^'"]+)\1,\s*import\.meta\.url,?\s*\)/g;
const PLACE = /import\.meta\.(url|dirname)\b/g;

type Output = {
  readonly fileName: string;
  readonly code?: string;
  readonly source?: string;
};

type Bundled = {
  readonly place: string;
  /** The project files that they were built from. */
  readonly files: readonly string[];
};

/** Writes the programs into a subfolder named after the hash of their content. */
export async function bundlePrograms(folder: string): Promise<Bundled> {
  const files = new Set<string>();
  const outputs = await bundleEntries(ENTRIES, { files, placeOf: placeHere });
  const hash = createHash('sha256');
  for (const { fileName, code } of outputs) hash.update(fileName).update(code ?? '');
  const place = join(folder, hash.digest('hex').slice(0, 16));
  if (!existsSync(place)) await writeWhole(place, outputs);
  return { place, files: [...files, ...new Set(Array.from(files, manifestOf))].toSorted() };
}

/** The manifest contains the entry points of a package. */
function manifestOf(file: string): string {
  const [name = ''] = relative(PACKAGES, file).split(sep);
  return join(PACKAGES, name, 'package.json');
}

/** The code that replaces a file's own location; `what` is `url` or `dirname`. */
type PlaceOf = (id: string, what: string) => string;

const placeHere: PlaceOf = (id, what) =>
  JSON.stringify(what === 'url' ? pathToFileURL(id).href : dirname(id));

/**
 * Bundles each entry separately: with shared chunks, a piece that two programs need could end up in
 * the file that starts one of them.
 */
export async function bundleEntries(
  entries: Readonly<Record<string, string>>,
  { files, placeOf }: { readonly files: Set<string>; readonly placeOf: PlaceOf },
): Promise<readonly Output[]> {
  // The bundler is a dependency of Vite.
  const require = createRequire(join(ROOT, 'node_modules', 'vite', 'package.json'));
  const { rolldown } = await import(pathToFileURL(require.resolve('rolldown')).href);
  const outputs = new Map<string, Output>();
  for (const [name, path] of Object.entries(entries)) {
    const build = await rolldown({
      input: { [name]: join(PACKAGES, path) },
      cwd: ROOT,
      platform: 'node',
      external: EXTERNAL,
      plugins: [
        { name: 'files', transform: (_: string, id: string) => void (isOurs(id) && files.add(id)) },
        {
          name: 'places',
          transform: (code: string, id: string) => keepPlaces(code, id, { entries, placeOf }),
        },
      ],
    });
    // All files are in one folder, because a thread's file is located relative to the file that
    // starts it.
    const names = { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' };
    const { output } = await build.generate({ format: 'esm', ...names });
    for (const each of output as Output[]) outputs.set(each.fileName, each);
    await build.close();
  }
  // Otherwise the runtime parses each file twice to detect the kind of module.
  const kind = { fileName: 'package.json', source: '{ "type": "module" }' };
  return [...outputs.values(), kind];
}

/** The folder is complete once it has its name; another run may have finished earlier. */
async function writeWhole(place: string, outputs: readonly Output[]): Promise<void> {
  const draft = `${place}.${process.pid}`;
  await mkdir(draft, { recursive: true });
  for (const { fileName, code, source } of outputs) {
    writeWholeFile(join(draft, fileName), code ?? source ?? '', { mode: 0o644 });
  }
  try {
    await rename(draft, place);
    await syncDirectory(dirname(place));
  } catch (error) {
    await rm(draft, { recursive: true });
    if (!existsSync(place)) throw error;
  }
}

/**
 * Bundled programs are found next to the bundle; all other files that the code locates relative to
 * itself stay at their original place.
 */
function keepPlaces(
  code: string,
  id: string,
  { entries, placeOf }: { readonly entries: typeof ENTRIES; readonly placeOf: PlaceOf },
): { code: string; map: null } | undefined {
  if (!isOurs(id) || !code.includes('import.meta')) return undefined;
  const withPrograms = replacePrograms(
    code,
    id,
    (name) => `new URL('./${name}.js', import.meta.$place)`,
    entries,
  );
  const placed = withPrograms.replaceAll(PLACE, (_whole, what: string) => placeOf(id, what));
  return { code: placed.replaceAll('import.meta.$place', 'import.meta.url'), map: null };
}

/** Replaces the URLs of programs in the code of a file. */
export function replacePrograms(
  code: string,
  id: string,
  urlOf: (name: string) => string,
  entries = ENTRIES,
): string {
  return code.replaceAll(URL_OF_FILE, (whole, _quote, path: string) => {
    const name = nameOf(entries, join(dirname(id), path));
    return name === undefined ? whole : urlOf(name);
  });
}

function nameOf(entries: typeof ENTRIES, file: string): string | undefined {
  return Object.keys(entries).find((name) => join(PACKAGES, entries[name]!) === file);
}
