import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { syncDirectory, writeWholeFile } from '@oddlot/host/durable';

/**
 * Bundles the programs and threads of this repository, each into one JavaScript file plus shared
 * chunks. Loading a few files is several times faster than stripping the types from a thousand.
 * Assets are still read from the repository, so a bundle works only on this machine.
 */

const ROOT = join(import.meta.dirname, '../../..');
const PACKAGES = join(ROOT, 'packages');

/** The source files that run as a process or a thread, keyed by the name of their bundle. */
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
 * These modules are not bundled: a native addon finds its binary relative to itself, and modules
 * loaded by name are resolved where they are installed.
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
  /** The project files that the programs were built from. */
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

function manifestOf(file: string): string {
  const [name = ''] = relative(PACKAGES, file).split(sep);
  return join(PACKAGES, name, 'package.json');
}

/** Returns the code that replaces a source file's location; `what` is `url` or `dirname`. */
type PlaceOf = (id: string, what: string) => string;

const placeHere: PlaceOf = (id, what) =>
  JSON.stringify(what === 'url' ? pathToFileURL(id).href : dirname(id));

/**
 * Bundles each entry separately. If the programs shared chunks, code needed by two of them could
 * end up in the file that starts one of them.
 */
export async function bundleEntries(
  entries: Readonly<Record<string, string>>,
  { files, placeOf }: { readonly files: Set<string>; readonly placeOf: PlaceOf },
): Promise<readonly Output[]> {
  // The bundler is resolved from Vite, because the project does not depend on it directly.
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
    // All files are in one folder, because the program locates the file of a thread relative to its
    // own file.
    const names = { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' };
    const { output } = await build.generate({ format: 'esm', ...names });
    for (const each of output as Output[]) outputs.set(each.fileName, each);
    await build.close();
  }
  // Without this file, the runtime parses each bundle twice to detect its module type.
  const kind = { fileName: 'package.json', source: '{ "type": "module" }' };
  return [...outputs.values(), kind];
}

/**
 * Writes the files to a draft folder and renames it at the end, so that a folder with the final
 * name is always complete. Another run may already have created that folder.
 */
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
 * Replaces file locations in the code: bundled programs are found next to the bundle, and all other
 * files in their original location.
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
