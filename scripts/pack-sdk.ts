import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { build as viteBuild } from 'vite';
import { importedNames, writeTypes } from './public-types.ts';

/**
 * Makes `npm pack -w packages/sdk` produce a self-contained package. In the workspace the SDK runs
 * from TypeScript and imports its sibling packages. The published package contains JavaScript,
 * declarations, and those packages. npm reads one manifest for both, so `prepack` builds and
 * installs the public manifest, and `postpack` restores that of the workspace.
 */

const ROOT = join(import.meta.dirname, '..');
const SDK = join(ROOT, 'packages', 'sdk');
const OUT = join(SDK, 'dist', 'npm');
const MANIFEST = join(SDK, 'package.json');
/** The workspace's manifest while the public one replaces it. */
const SAVED_MANIFEST = join(SDK, 'dist', 'package.workspace.json');
/** Files that are copied next to the manifest while npm packs. */
const NOTICES = ['LICENSE', 'NOTICE'];
/** Packages that are compiled into the SDK, each into a folder with its name. */
const PARTS = ['units', 'protocol', 'sdk'];

const ENTRY_POINTS = ['index', 'actions'];

type Manifest = Readonly<Record<string, unknown>> & {
  readonly dependencies?: Readonly<Record<string, string>>;
};

const [step] = process.argv.slice(2);
if (step === 'prepack') {
  restore();
  await build();
  const manifest = publicManifest();
  mkdirSync(dirname(SAVED_MANIFEST), { recursive: true });
  copyFileSync(MANIFEST, SAVED_MANIFEST);
  for (const name of NOTICES) copyFileSync(join(ROOT, name), join(SDK, name));
  writeFileSync(MANIFEST, `${JSON.stringify(manifest, undefined, 2)}\n`);
} else if (step === 'postpack') {
  restore();
} else {
  throw new Error('usage: node scripts/pack-sdk.ts prepack|postpack');
}

/**
 * Restores the workspace. This also works after an interrupted pack, because the stored manifest
 * still exists.
 */
function restore(): void {
  if (existsSync(SAVED_MANIFEST)) renameSync(SAVED_MANIFEST, MANIFEST);
  for (const name of NOTICES) rmSync(join(SDK, name), { force: true });
}

async function build(): Promise<void> {
  rmSync(OUT, { recursive: true, force: true });
  writeTypes(join(SDK, 'tsconfig.package.json'), { out: OUT, parts: PARTS });
  await bundle();
}

/**
 * Builds the JavaScript with one file per module, so that bundlers can remove unused parts. Code
 * that only the venue needs, such as the schemas, is excluded.
 */
async function bundle(): Promise<void> {
  const packages = join(ROOT, 'packages');
  const entryPoints = ENTRY_POINTS.map((name) => [`sdk/${name}`, join(SDK, 'src', `${name}.ts`)]);
  const siblings = PARTS.map((part) => [`@oddlot/${part}`, join(packages, part, 'src/index.ts')]);
  await viteBuild({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    resolve: { alias: Object.fromEntries(siblings) },
    build: {
      outDir: OUT,
      emptyOutDir: false,
      minify: false,
      target: 'es2022',
      lib: { entry: Object.fromEntries(entryPoints), formats: ['es'] },
      rollupOptions: {
        external: (id) => !/^[./]|^@oddlot\//.test(id) && !isAbsolute(id),
        treeshake: { moduleSideEffects: false },
        output: {
          preserveModules: true,
          preserveModulesRoot: packages,
          entryFileNames: ({ name }) => `${name.replace('/src/', '/')}.js`,
        },
      },
    },
  });
}

/**
 * Returns the workspace's manifest with the replacements of `publishConfig` and only the imported
 * dependencies.
 */
function publicManifest(): Manifest {
  const { private: _, scripts: __, publishConfig, ...rest } = readManifest('sdk');
  const declared = Object.assign({}, ...PARTS.map((part) => readManifest(part).dependencies));
  const names = [...importedNames(OUT)].sort();
  const dependencies = Object.fromEntries(
    names.map((name) => {
      if (declared[name] === undefined) throw new Error(`${name} is imported but not declared`);
      return [name, declared[name] as string];
    }),
  );
  const { repository } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
  const source = repository === undefined ? {} : { repository };
  return { ...rest, ...(publishConfig as object), ...source, dependencies };
}

function readManifest(part: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, 'packages', part, 'package.json'), 'utf8')) as Manifest;
}
