import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Sets the version, which is the same for the whole repository. It is stored in every package.json,
 * including references to other packages, in the lockfile, in the SDK, in the Python package and in
 * the API descriptions. The page reads it from the SDK, and the venue reads it from the root
 * package.json.
 *
 * `npm run set-version -- 0.4.0`
 */

export const VERSION_FORM = /^\d+\.\d+\.\d+$/;

/**
 * Files that contain the version as text. The SDK needs a constant, because its users do not have
 * the repository's package.json.
 */
const TEXTS = {
  'packages/sdk/src/version.ts': /^(export const VERSION = ')([^']*)(';)$/m,
  'python/pyproject.toml': /^(version = ")([^"]*)(")$/m,
  'docs/reference/openapi.json': /^( {4}"version": ")([^"]*)(",)$/m,
  'docs/reference/asyncapi.json': /^( {4}"version": ")([^"]*)(",)$/m,
};
const OWN = '@oddlot/';

type Manifest = Record<string, unknown> & { version?: string };
type Lockfile = Manifest & { packages: Record<string, Manifest> };

/** A file that contains the version, with the value found there. */
type VersionEntry = { readonly place: string; readonly version: string };

export function versionsIn(root: string): VersionEntry[] {
  const lockfile = readJson<Lockfile>(root, 'package-lock.json');
  const found = manifestPaths(root).flatMap((path) =>
    versionEntriesOf(path, readJson<Manifest>(root, path)),
  );
  found.push({ place: 'package-lock.json', version: lockfile.version ?? '' });
  for (const [place, manifest] of ownEntries(lockfile)) {
    found.push(...versionEntriesOf(`package-lock.json ${place === '' ? 'root' : place}`, manifest));
  }
  const texts = Object.entries(TEXTS).map(([place, line]) => {
    const version = line.exec(read(root, place))?.[2] ?? '';
    return { place, version };
  });
  return [...found, ...texts];
}

export function setVersion(root: string, version: string): void {
  if (!VERSION_FORM.test(version))
    throw new Error(`Invalid version "${version}". Use a version such as 1.2.3`);
  for (const path of manifestPaths(root)) {
    const manifest = readJson<Manifest>(root, path);
    put(manifest, version);
    writeJson(root, path, manifest);
  }
  const lockfile = readJson<Lockfile>(root, 'package-lock.json');
  lockfile.version = version;
  for (const [, manifest] of ownEntries(lockfile)) put(manifest, version);
  writeJson(root, 'package-lock.json', lockfile);
  for (const [path, line] of Object.entries(TEXTS)) {
    writeFileSync(join(root, path), read(root, path).replace(line, `$1${version}$3`));
  }
}

function manifestPaths(root: string): string[] {
  const packages = readdirSync(join(root, 'packages'), { withFileTypes: true });
  const names = packages.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const inPackages = names.sort().map((name) => `packages/${name}/package.json`);
  return ['package.json', ...inPackages, 'tests/support/package.json'];
}

/** Returns the lockfile entries for the root and the workspace packages. */
function ownEntries({ packages }: Lockfile): [string, Manifest][] {
  return Object.entries(packages).filter(([place]) =>
    /^(?:packages\/[^/]+|tests\/support)?$/.test(place),
  );
}

function versionEntriesOf(place: string, manifest: Manifest): VersionEntry[] {
  const needed = ownNeeds(manifest).flatMap((needs) =>
    Object.entries(needs).filter(([name]) => name.startsWith(OWN)),
  );
  return [
    { place, version: manifest.version ?? '' },
    ...needed.map(([name, version]) => ({ place: `${place}: ${name}`, version })),
  ];
}

function put(manifest: Manifest, version: string): void {
  manifest.version = version;
  for (const needs of ownNeeds(manifest)) {
    for (const name of Object.keys(needs)) if (name.startsWith(OWN)) needs[name] = version;
  }
}

function ownNeeds(manifest: Manifest): Record<string, string>[] {
  const { dependencies, devDependencies } = manifest as Record<string, Record<string, string>>;
  return [dependencies, devDependencies].filter((needs) => needs !== undefined);
}

function read(root: string, path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function readJson<T>(root: string, path: string): T {
  return JSON.parse(read(root, path)) as T;
}

function writeJson(root: string, path: string, value: unknown): void {
  writeFileSync(join(root, path), `${JSON.stringify(value, undefined, 2)}\n`);
}

if (import.meta.main) {
  const [version = ''] = process.argv.slice(2);
  const root = join(import.meta.dirname, '..');
  setVersion(root, version);
  console.log(`version: ${version} in ${versionsIn(root).length} places`);
}
