import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { build as viteBuild } from 'vite';
import { importedNames, keepReachable, writeTypes } from './public-types.ts';

/**
 * Makes `npm pack -w packages/sdk` and `npm pack -w packages/ccxt` produce self-contained packages.
 * In the workspace, the packages run from TypeScript and import their sibling packages. A published
 * package contains JavaScript, declarations and the code of its siblings. npm reads the same
 * manifest in both cases, so `prepack` builds the package and installs the public manifest, and
 * `postpack` restores the workspace's manifest.
 */

type Client = {
  /** Packages that are compiled into the client, each into a folder named after the package. */
  readonly parts: readonly string[];
  readonly entryPoints: readonly string[];
  /**
   * The only declaration file to publish. It must not import declarations from the other packages.
   */
  readonly types?: string;
};

const CLIENTS: Readonly<Record<string, Client>> = {
  sdk: { parts: ['units', 'protocol', 'sdk'], entryPoints: ['index', 'actions'] },
  ccxt: {
    parts: ['units', 'protocol', 'sdk', 'ccxt'],
    entryPoints: ['index'],
    types: 'ccxt/index.d.ts',
  },
};

const ROOT = join(import.meta.dirname, '..');
/** npm runs a package's scripts in the package's folder. */
const NAME = basename(process.cwd());
const CLIENT = CLIENTS[NAME] ?? fail(`There is no client in ${process.cwd()}`);
const FOLDER = join(ROOT, 'packages', NAME);
const OUT = join(FOLDER, 'dist', 'npm');
const MANIFEST = join(FOLDER, 'package.json');
/** The workspace's manifest is saved here while the public one replaces it. */
const SAVED_MANIFEST = join(FOLDER, 'dist', 'package.workspace.json');
/** Files that are copied next to the manifest while npm packs. */
const NOTICES = ['LICENSE', 'NOTICE'];

type Manifest = Readonly<Record<string, unknown>> & {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly publishConfig?: { readonly peerDependencies?: Readonly<Record<string, string>> };
};

const [step] = process.argv.slice(2);
if (step === 'prepack') {
  restore();
  await build();
  const manifest = publicManifest();
  mkdirSync(dirname(SAVED_MANIFEST), { recursive: true });
  copyFileSync(MANIFEST, SAVED_MANIFEST);
  for (const name of NOTICES) copyFileSync(join(ROOT, name), join(FOLDER, name));
  writeFileSync(MANIFEST, `${JSON.stringify(manifest, undefined, 2)}\n`);
} else if (step === 'postpack') {
  restore();
} else {
  fail('usage: node scripts/pack-client.ts prepack|postpack');
}

/**
 * Restores the workspace. This also works after packing was interrupted, because the saved manifest
 * still exists.
 */
function restore(): void {
  if (existsSync(SAVED_MANIFEST)) renameSync(SAVED_MANIFEST, MANIFEST);
  for (const name of NOTICES) rmSync(join(FOLDER, name), { force: true });
}

async function build(): Promise<void> {
  rmSync(OUT, { recursive: true, force: true });
  const { parts, types } = CLIENT;
  writeTypes(join(FOLDER, 'tsconfig.package.json'), { out: OUT, parts });
  if (types !== undefined) keepReachable(OUT, types);
  await bundle();
}

/**
 * Builds the JavaScript with one file per module, so that bundlers can remove unused code. Code
 * that only the venue needs, such as the schemas, is excluded.
 */
async function bundle(): Promise<void> {
  const packages = join(ROOT, 'packages');
  const entryPoints = CLIENT.entryPoints.map((name) => [
    `${NAME}/${name}`,
    join(FOLDER, 'src', `${name}.ts`),
  ]);
  // The longer name comes first, because an alias also matches names that start with it.
  const actions = ['@oddlot/sdk/actions', join(packages, 'sdk/src/actions.ts')];
  const siblings = CLIENT.parts.map((part) => [
    `@oddlot/${part}`,
    join(packages, part, 'src/index.ts'),
  ]);
  await viteBuild({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    resolve: { alias: Object.fromEntries([actions, ...siblings]) },
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
  const { private: _, scripts: __, publishConfig, ...rest } = readManifest(NAME);
  const declared = Object.assign(
    {},
    ...CLIENT.parts.map((part) => readManifest(part).dependencies),
  );
  const peers = publishConfig?.peerDependencies ?? {};
  const names = [...importedNames(OUT)].filter((name) => !Object.hasOwn(peers, name)).sort();
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

function fail(message: string): never {
  throw new Error(message);
}
