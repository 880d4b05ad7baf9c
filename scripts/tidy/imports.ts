import { lineAt, type Finding, type Source, type SourceFile } from './source.ts';

/**
 * Who may import whom. npm hoists every package to the root, so an import that its package does not
 * declare resolves all the same; and the compiler lets any folder import any other. These rules keep
 * the direction that ARCHITECTURE.md draws.
 */

/** Packages of this repository that each may import. */
const DIRECTION: Readonly<Record<string, readonly string[]>> = {
  units: [],
  engine: ['units'],
  protocol: ['units'],
  sdk: ['units', 'protocol'],
  contracts: [],
  host: ['units', 'protocol'],
  devchain: ['units', 'host'],
  custody: ['units', 'protocol', 'contracts', 'host'],
  relay: ['units', 'contracts', 'host', 'devchain', 'custody', 'sdk'],
  venue: ['units', 'engine', 'protocol', 'contracts', 'host', 'devchain', 'custody', 'relay'],
  audit: ['units', 'engine', 'protocol', 'host', 'devchain', 'custody', 'venue'],
  testkit: [
    'units',
    'engine',
    'protocol',
    'contracts',
    'host',
    'devchain',
    'custody',
    'sdk',
    'venue',
  ],
  cli: ['units', 'protocol', 'host', 'audit', 'custody', 'relay', 'sdk', 'testkit', 'venue'],
  web: ['units', 'sdk'],
};

/** Packages that its tests alone may import besides. */
const TESTS_BESIDES: Readonly<Record<string, readonly string[]>> = {
  custody: ['devchain'],
  relay: ['protocol'],
};

/** Packages that must run without Node. */
const HOSTLESS: readonly string[] = ['units', 'engine', 'protocol', 'web'];

/**
 * Parts of the process that know the replica but not each other: `venue.ts` joins them. Types may
 * cross, since they leave nothing behind at run time.
 */
const VENUE_PARTS: readonly string[] = ['edge', 'oracle', 'exhibition', 'settlement'];
/** Parts that see the log only as what the replica made of it. */
const WITHOUT_LOG: readonly string[] = [...VENUE_PARTS, 'history', 'bots'];

type Import = {
  readonly specifier: string;
  readonly line: number;
  readonly typeOnly: boolean;
};

/** Every static import, re-export and `import()` of a literal. */
export function importsOf(source: Source): Import[] {
  const pattern =
    /(?:^|[;\n}])\s*(import|export)\s+(type\s+)?(?:[\w$*\s{},]+?\sfrom\s*)?(['"])([^'"\n]+)\3|\bimport\(\s*(['"])([^'"\n]+)\5\s*\)/g;
  return [...source.uncommented.matchAll(pattern)].flatMap((match) => {
    const specifier = match[4] ?? match[6];
    const keyword = match.index + match[0].search(/\S(?=mport|xport)/);
    // Inside a string the same words are blank in `code`.
    if (specifier === undefined || source.code[keyword] === ' ') return [];
    return [{ specifier, line: lineAt(source.text, keyword), typeOnly: match[2] !== undefined }];
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

type Problem = { readonly rule: string; readonly message: string };

function relativeProblem(
  path: string,
  owner: string | undefined,
  { specifier, typeOnly }: Import,
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
  // What is measured in a browser is brought about as in the tests of the page.
  if (isTestPath(target) && !isTestPath(path) && !path.startsWith('bench/page/')) {
    return ofTests(specifier);
  }
  const from = venuePart(path);
  const to = venuePart(target);
  if (from === undefined || to === undefined || from === to || typeOnly) return undefined;
  const isSideways = VENUE_PARTS.includes(from) && VENUE_PARTS.includes(to);
  const isLog = WITHOUT_LOG.includes(from) && to === 'log';
  if (isTestPath(path) || !(isSideways || isLog)) return undefined;
  return {
    rule: 'import-direction',
    message: `${from}/ may not import ${to}/; use replica/, or let venue.ts pass it`,
  };
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
  // Names that the package's own manifest gives to others (`imports`).
  if (specifier.startsWith('#')) return undefined;
  // Sections of the page's catalogue, which its build cuts out.
  const isOfPage = owner === 'web' || path.startsWith('tests/web/');
  if (isOfPage && specifier.startsWith('words:')) return undefined;
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  const sibling = /^@oddlot\/(.+)$/.exec(name)?.[1];
  if (owner !== undefined && sibling !== undefined && sibling !== owner) {
    const besides = isTest ? (TESTS_BESIDES[owner] ?? []) : [];
    const allowed = [...(DIRECTION[owner] ?? []), ...besides];
    if (/\/testing(?:\/|$)/.test(specifier) && !isTest) return ofTests(specifier);
    if (!allowed.includes(sibling)) {
      const list =
        allowed.map((other) => `@oddlot/${other}`).join(', ') || 'no other package of the project';
      return {
        rule: 'import-direction',
        message: `${owner} may not import ${name}; it may import ${list}`,
      };
    }
  }
  // Files outside of packages (tests, benchmarks, scripts) use what any workspace declares.
  const lists = [...manifests].filter(
    ([manifest]) =>
      owner === undefined ||
      manifest === `packages/${owner}/package.json` ||
      (isTest && manifest === 'package.json'),
  );
  if (lists.some(([, names]) => names.has(name))) return undefined;
  if (owner === undefined && sibling !== undefined) return undefined;
  const manifest = owner === undefined ? 'package.json' : `packages/${owner}/package.json`;
  return {
    rule: 'import-undeclared',
    message: `"${name}" is not declared; add it to ${manifest} with an exact version`,
  };
}

/** The names that a package.json lets its files import. */
export function declaredIn(manifestText: string): ReadonlySet<string> {
  const manifest = JSON.parse(manifestText) as Record<string, unknown>;
  const names = [
    'dependencies',
    'devDependencies',
    'optionalDependencies',
    'peerDependencies',
  ].flatMap((field) => Object.keys((manifest[field] as object | undefined) ?? {}));
  return new Set(typeof manifest.name === 'string' ? [...names, manifest.name] : names);
}

/** The files that a package.json of ours opens to other packages. */
export function doorsOf({ path, text }: SourceFile): string[] {
  if (!/^packages\/[^/]+\/package\.json$/.test(path)) return [];
  const { exports = {} } = JSON.parse(text) as { readonly exports?: Record<string, unknown> };
  return Object.values(exports).flatMap((file) =>
    typeof file === 'string' ? [resolveImport(path, file)] : [],
  );
}

export function packageOf(path: string): string | undefined {
  return /^packages\/([^/]+)\//.exec(path)?.[1];
}

/** Tests, and what only tests import. */
export function isTestPath(path: string): boolean {
  return /\.test(?:-d)?\.tsx?$|^tests\/|^packages\/[^/]+\/src\/testing\//.test(path);
}

function venuePart(path: string): string | undefined {
  return /^packages\/venue\/src\/([^/]+)\//.exec(path)?.[1];
}

/** The path that a relative import of a file means. */
export function resolveImport(fromFile: string, specifier: string): string {
  const parts = fromFile.split('/').slice(0, -1);
  for (const part of specifier.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}
