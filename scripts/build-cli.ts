import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { bundleEntries, ENTRIES } from '../packages/venue/build/bundle-programs.ts';

/**
 * Builds the package `oddlot` for external users with `npm run build:cli`, which `npm pack
 * packages/cli/dist/oddlot` then packs. Programs and threads are a few JavaScript files. The files
 * that they read (the page, the reference, engines of earlier rules versions) have the same
 * relative paths as in the repository. The package needs neither a workspace nor a TypeScript
 * compiler.
 */

const ROOT = join(import.meta.dirname, '..');
const OUT = join(ROOT, 'packages/cli/dist/oddlot');
/** Files read at run time, by their path in the repository. */
const READ = [
  'package.json',
  'docs/reference',
  'packages/replica/eras',
  'packages/web/dist/page',
] as const;
/** Packages that are resolved by name after installation. */
const DEPENDENCIES = ['hash-wasm', 'pino'] as const;
const NOTICES = ['LICENSE', 'NOTICE', 'packages/cli/README.md'] as const;
const TREE = 'tree';

/**
 * Returns code for the location that a file reports for itself, which is the same path below the
 * package.
 */
function placeOf(id: string, what: string): string {
  const path = relative(ROOT, what === 'url' ? id : dirname(id));
  const url = `new URL(${JSON.stringify(`./${TREE}/${path}`)}, import.meta.$place)`;
  return what === 'url' ? `${url}.href` : `decodeURIComponent(${url}.pathname)`;
}

function versionOf(name: string): string {
  const manifests = ['replica', 'host'].map((owner) => readJson(`packages/${owner}/package.json`));
  const found = manifests.map(({ dependencies = {} }) => dependencies[name]).find(Boolean);
  if (found === undefined) throw new Error(`no package specifies a version of ${name}`);
  return found;
}

function readJson(path: string): {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
} {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
}

rmSync(OUT, { recursive: true, force: true });
mkdirSync(join(OUT, 'dist'), { recursive: true });
const entries = {
  ...ENTRIES,
  cli: 'cli/src/main.ts',
  'market-maker': '../examples/market-maker.ts',
  'outcome-maker': '../examples/outcome-maker.ts',
};
for (const output of await bundleEntries(entries, { files: new Set(), placeOf })) {
  writeFileSync(join(OUT, 'dist', output.fileName), output.code ?? output.source ?? '');
}
for (const path of READ)
  cpSync(join(ROOT, path), join(OUT, 'dist', TREE, path), { recursive: true });
for (const path of NOTICES) cpSync(join(ROOT, path), join(OUT, path.split('/').at(-1) ?? path));
cpSync(join(ROOT, 'packages/cli/bin/oddlot.mjs'), join(OUT, 'bin/oddlot.mjs'));
const manifest = {
  name: 'oddlot',
  version: readJson('package.json').version,
  description: 'A self-hosted trading venue and its tools',
  license: 'Apache-2.0',
  type: 'module',
  bin: { oddlot: 'bin/oddlot.mjs' },
  engines: { node: '>=24' },
  files: ['bin', 'dist', 'LICENSE', 'NOTICE', 'README.md'],
  dependencies: Object.fromEntries(DEPENDENCIES.map((name) => [name, versionOf(name)])),
};
writeFileSync(join(OUT, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
process.stdout.write(
  `${relative(process.cwd(), OUT)}: npm pack ./${relative(process.cwd(), OUT)}\n`,
);
