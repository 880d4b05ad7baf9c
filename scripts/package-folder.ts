import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { bundleEntries } from '../packages/venue/build/bundle-programs.ts';

/**
 * Writes a package that contains a venue into a folder, which `npm pack` then packs. Programs and
 * threads become a few JavaScript files. The files that they read (the page, the documentation,
 * engines of earlier rules versions) have the same relative paths as in the repository. The package
 * requires neither a workspace nor a TypeScript compiler.
 */

const ROOT = join(import.meta.dirname, '..');
/** Files read at run time, given by their path in the repository. */
const READ = [
  'package.json',
  'docs/reference/openapi.json',
  'docs/reference/asyncapi.json',
  'packages/replica/eras',
  'packages/site/dist/site',
  'packages/web/dist/page',
] as const;
/**
 * Packages that are resolved by name after installation, each with the package that specifies its
 * version.
 */
const DEPENDENCIES = { 'hash-wasm': 'replica', pino: 'host' } as const;
const NOTICES = ['LICENSE', 'NOTICE'] as const;
const TREE = 'tree';

type Manifest = {
  readonly version: string;
  readonly repository?: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
};

type PackageFolder = {
  readonly out: string;
  /** Source files of programs, threads and modules, keyed by the name of their bundle. */
  readonly entries: Readonly<Record<string, string>>;
  readonly readme: string;
  /** The manifest fields specific to this package. */
  readonly manifest: Readonly<Record<string, unknown>> & { readonly files: readonly string[] };
  /**
   * Dependencies, by name, in addition to those of the bundles, each with the package that
   * specifies its version.
   */
  readonly dependencies?: Readonly<Record<string, string>>;
};

export async function writePackageFolder({
  dependencies = {},
  entries,
  manifest,
  out,
  readme,
}: PackageFolder): Promise<void> {
  mkdirSync(join(out, 'dist'), { recursive: true });
  for (const output of await bundleEntries(entries, { files: new Set(), placeOf })) {
    writeFileSync(join(out, 'dist', output.fileName), output.code ?? output.source ?? '');
  }
  for (const path of READ) {
    cpSync(join(ROOT, path), join(out, 'dist', TREE, path), { recursive: true });
  }
  for (const name of NOTICES) cpSync(join(ROOT, name), join(out, name));
  cpSync(join(ROOT, readme), join(out, 'README.md'));
  const { repository, version } = readManifest('package.json');
  const { files, ...fields } = manifest;
  const whole = {
    ...fields,
    version,
    license: 'Apache-2.0',
    ...(repository === undefined ? {} : { repository }),
    type: 'module',
    engines: { node: '>=24' },
    files: [...files, 'dist', ...NOTICES, 'README.md'],
    dependencies: versionsOf({ ...DEPENDENCIES, ...dependencies }),
  };
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(whole, undefined, 2)}\n`);
  const place = relative(process.cwd(), out);
  process.stdout.write(`${place}: npm pack ./${place}\n`);
}

/** Deletes the folder of an earlier build. */
export function emptyFolder(out: string): void {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
}

/**
 * Returns code for the location that a file reports as its own: the same path, below the package's
 * folder.
 */
function placeOf(id: string, what: string): string {
  const path = relative(ROOT, what === 'url' ? id : dirname(id));
  const url = `new URL(${JSON.stringify(`./${TREE}/${path}`)}, import.meta.$place)`;
  return what === 'url' ? `${url}.href` : `decodeURIComponent(${url}.pathname)`;
}

function versionsOf(owners: Readonly<Record<string, string>>): Record<string, string> {
  const versions = Object.entries(owners).map(([name, owner]) => {
    const version = readManifest(`packages/${owner}/package.json`).dependencies?.[name];
    if (version === undefined) throw new Error(`packages/${owner} specifies no version of ${name}`);
    return [name, version] as const;
  });
  return Object.fromEntries(versions);
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Manifest;
}
