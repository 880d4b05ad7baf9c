import { type PackageRules, PACKAGES } from './layers.ts';
import { lineAt, type Finding, type Source, type SourceFile } from './source.ts';

/**
 * Checks the direction of imports between packages and layers (`layers.ts`). npm hoists every
 * package to the root, so undeclared imports also resolve, and the compiler allows imports between
 * any folders. These rules enforce the directions shown in ARCHITECTURE.md.
 */

/** Packages that must run without Node. */
const HOSTLESS: readonly string[] = ['units', 'engine', 'protocol', 'web'];

type Import = {
  readonly specifier: string;
  readonly line: number;
};

/** Returns every static import, re-export, and `import()` of a literal. */
export function importsOf(source: Source): Import[] {
  const pattern =
    /(?:^|[;\n}])\s*(import|export)\s+(?:type\s+)?(?:[\w$*\s{},]+?\sfrom\s*)?(['"])([^'"\n]+)\2|\bimport\(\s*(['"])([^'"\n]+)\4\s*\)/g;
  return [...source.uncommented.matchAll(pattern)].flatMap((match) => {
    const specifier = match[3] ?? match[5];
    const keyword = match.index + match[0].search(/\S(?=mport|xport)/);
    // Inside a string, the same words are blanked in `code`.
    if (specifier === undefined || source.code[keyword] === ' ') return [];
    return [{ specifier, line: lineAt(source.text, keyword) }];
  });
}

export function checkImports(
  source: Source,
  manifests: ReadonlyMap<string, ReadonlySet<string>>,
): Finding[] {
  const owner = packageOf(source.path);
  return importsOf(source).flatMap((found) => {
    const problem = found.specifier.startsWith('.')
      ? relativeProblem(source.path, owner, found)
      : bareProblem(source.path, owner, found.specifier, manifests);
    if (problem === undefined) return [];
    return [{ path: source.path, line: found.line, ...problem }];
  });
}

/** The package name of `tests/support/`. */
const TESTING = 'testing';

type Problem = { readonly rule: string; readonly message: string };

function relativeProblem(
  path: string,
  owner: string | undefined,
  { specifier }: Import,
): Problem | undefined {
  if (!/\.(?:ts|tsx|json|css)$/.test(specifier)) {
    return {
      rule: 'import-extension',
      message: `"${specifier}" has no file extension; write "${specifier.replace(/\.js$/, '')}.ts"`,
    };
  }
  const target = resolveImport(path, specifier);
  if (owner !== undefined && !target.startsWith(`packages/${owner}/`)) {
    return {
      rule: 'import-direction',
      message: `"${specifier}" leaves the package; import @oddlot/<package> by its entry point`,
    };
  }
  // Browser benchmarks use the page's test setup.
  if (isTestPath(target) && !isTestPath(path) && !path.startsWith('bench/page/')) {
    return ofTests(specifier);
  }
  return undefined;
}

function ofTests(specifier: string): Problem {
  const message = `"${specifier}" is for tests only; move what both need next to the code`;
  return { rule: 'import-testing', message };
}

function bareProblem(
  path: string,
  owner: string | undefined,
  specifier: string,
  manifests: ReadonlyMap<string, ReadonlySet<string>>,
): Problem | undefined {
  const isTest = isTestPath(path);
  if (specifier.startsWith('node:')) {
    const isBuild = path.startsWith('packages/web/build/');
    if (owner === undefined || isTest || isBuild || !HOSTLESS.includes(owner)) return undefined;
    return {
      rule: 'import-host',
      message: `"${specifier}" needs Node, but ${owner} runs without it; move this to packages/host`,
    };
  }
  // The package's own manifest defines these names (`imports`).
  if (specifier.startsWith('#')) return undefined;
  // The page build creates these modules, which are sections of the page's message catalogue.
  const isOfPage = owner === 'web' || path.startsWith('tests/web/');
  if (isOfPage && specifier.startsWith('words:')) return undefined;
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  const sibling = /^@oddlot\/(.+)$/.exec(name)?.[1];
  if (owner !== undefined && sibling !== undefined && sibling !== owner) {
    const allowed = PACKAGES[owner]?.uses ?? [];
    if (sibling === TESTING && !isTest) return ofTests(specifier);
    if (!isTest && !allowed.includes(sibling)) {
      const list =
        allowed.map((other) => `@oddlot/${other}`).join(', ') || 'no other package of the project';
      return {
        rule: 'import-direction',
        message: `${owner} may not import ${name}; it may import ${list}`,
      };
    }
  }
  // Files outside of packages (tests, benchmarks, scripts) may use the dependencies of any
  // workspace.
  const lists = [...manifests].filter(
    ([manifest]) =>
      owner === undefined ||
      manifest === `packages/${owner}/package.json` ||
      (isTest && manifest === 'package.json'),
  );
  if (lists.some(([, names]) => names.has(name))) return undefined;
  if ((owner === undefined || isTest) && sibling !== undefined) return undefined;
  const manifest = owner === undefined ? 'package.json' : `packages/${owner}/package.json`;
  return {
    rule: 'import-undeclared',
    message: `"${name}" is not declared; add it to ${manifest} with an exact version`,
  };
}

/** Returns the packages that a package.json allows its files to import. */
export function declaredIn(manifestText: string): ReadonlySet<string> {
  const manifest = JSON.parse(manifestText) as Record<string, unknown>;
  // A published package's peer dependency need not be installed in the workspace.
  const { publishConfig } = manifest as { readonly publishConfig?: Record<string, unknown> };
  const peers = Object.keys((publishConfig?.['peerDependencies'] as object | undefined) ?? {});
  const names = [
    'dependencies',
    'devDependencies',
    'optionalDependencies',
    'peerDependencies',
  ].flatMap((field) => Object.keys((manifest[field] as object | undefined) ?? {}));
  const own = typeof manifest.name === 'string' ? [manifest.name] : [];
  return new Set([...names, ...peers, ...own]);
}

/** Returns the files that a package.json of this repository exports to other packages. */
export function entryPointsOf({ path, text }: SourceFile): string[] {
  if (!/^(?:packages\/[^/]+|tests\/support)\/package\.json$/.test(path)) return [];
  const { exports = {} } = JSON.parse(text) as { readonly exports?: Record<string, unknown> };
  return Object.values(exports).flatMap((file) =>
    typeof file === 'string' ? [resolveImport(path, file)] : [],
  );
}

export function packageOf(path: string): string | undefined {
  return /^packages\/([^/]+)\//.exec(path)?.[1];
}

/** Returns true for tests and for files that only tests import. */
export function isTestPath(path: string): boolean {
  return /\.test(?:-d)?\.tsx?$|^tests\//.test(path);
}

/**
 * Reports imports from the same or a higher layer within a package, and files that belong to no
 * layer.
 */
export function checkLayers(
  source: Source,
  packages: Readonly<Record<string, PackageRules>> = PACKAGES,
): Finding[] {
  const { 1: owner = '' } = /^packages\/([^/]+)\/src\//.exec(source.path) ?? [];
  const layers = packages[owner]?.layers;
  if (layers === undefined) return [];
  const root = `packages/${owner}/src/`;
  const here = placeIn(layers, source.path.slice(root.length));
  if (here === undefined) {
    const message = `does not belong to a layer of ${owner}; move it, or add its layer to scripts/tidy/layers.ts`;
    return [{ path: source.path, line: 1, rule: 'layer-missing', message }];
  }
  if (isTestPath(source.path)) return [];
  return importsOf(source).flatMap(({ line, specifier }) => {
    const target = specifier.startsWith('.') ? resolveImport(source.path, specifier) : '';
    const there = target.startsWith(root) ? placeIn(layers, target.slice(root.length)) : undefined;
    if (there === undefined || there.part === here.part || there.layer > here.layer) return [];
    const where = there.layer < here.layer ? 'in a layer above' : 'in the same layer as';
    const message = `"${specifier}" is ${where} ${here.part}; move what both need to a lower layer, or pass it as a parameter`;
    return [{ path: source.path, line, rule: 'layer', message }];
  });
}

type Place = { readonly layer: number; readonly part: string };

/** Returns the layer of a file. A test has the layer of the file that it tests. */
function placeIn(layers: PackageRules['layers'], path: string): Place | undefined {
  const file = path.replace(/(?:\.(?:prop|types))?\.test(?=\.tsx?$)/, '');
  let others: Place | undefined;
  for (const [layer, parts] of layers.entries()) {
    for (const each of parts) {
      if (each === '*') others = { layer, part: 'other files' };
      const part = partOf(each, file);
      if (part !== undefined) return { layer, part };
    }
  }
  return others;
}

function partOf(path: string, file: string): string | undefined {
  if (path.endsWith('/*/')) {
    const folder = path.slice(0, -'*/'.length);
    const end = file.indexOf('/', folder.length);
    return file.startsWith(folder) && end > 0 ? file.slice(0, end + 1) : undefined;
  }
  return (path.endsWith('/') ? file.startsWith(path) : file === path) ? path : undefined;
}

export function resolveImport(fromFile: string, specifier: string): string {
  const parts = fromFile.split('/').slice(0, -1);
  for (const part of specifier.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}
