import { resolveImport } from './imports.ts';
import { lineAt, type Finding, type Source, type SourceFile } from './source.ts';

/**
 * Requires that each export is imported. If no other file imports a name, its `export` must be
 * removed. The compiler and the linter then show whether the name is needed at all. Imports by
 * tests count.
 */

/** Public entry points. All names in them count as used. */
const PUBLIC_ENTRY_POINTS: ReadonlySet<string> = new Set([
  'packages/ccxt/src/index.ts',
  'packages/sdk/src/actions.ts',
  'packages/sdk/src/index.ts',
  'packages/testkit/src/index.ts',
  'packages/venue/src/index.ts',
]);

/**
 * Names that are used without being imported: through a file pattern, a build setting, or inferred
 * types.
 */
const TAKEN_BY_NAME: readonly RegExp[] = [
  /^packages\/web\/src\/features\/[\w-]+\/screens\.ts screens$/,
  /^packages\/sdk\/no-ws\.js WebSocket$/,
  /^packages\/host\/src\/settings\/index\.ts Setting$/,
];

/** Test support files are not checked, because they may offer more names than the tests use. */
const CHECKED = /^(?:packages|scripts|bench)\/(?!.*\.d\.ts$)/;

type Export = {
  readonly line: number;
  /** The origin of a re-exported name. */
  readonly from?: { readonly path: string; readonly name: string } | undefined;
};

type Module = {
  readonly path: string;
  readonly exports: ReadonlyMap<string, Export>;
  /** Files from which all names are re-exported. */
  readonly stars: readonly string[];
};

/** A name that a file imports from another file. If `name` is undefined, all names are imported. */
type Wish = { readonly path: string; readonly name: string | undefined };

export function checkExports(
  sources: readonly Source[],
  manifests: readonly SourceFile[],
): Finding[] {
  const entryPoints = packageEntryPoints(manifests);
  const targetOf = (path: string, specifier: string): string | undefined =>
    specifier.startsWith('.') ? resolveImport(path, specifier) : entryPoints.get(specifier);
  const modules = new Map(sources.map((source) => [source.path, moduleOf(source, targetOf)]));
  const used = usedIn(
    modules,
    sources.flatMap((source) => wishesOf(source, targetOf)),
  );
  const checked = [...modules.values()].filter(({ path }) => CHECKED.test(path));
  return checked.flatMap(({ path, exports }) =>
    [...exports].flatMap(([name, { line, from }]) => {
      const key = keyOf(path, name);
      if (TAKEN_BY_NAME.some((taken) => taken.test(key))) return [];
      if (used.has(key)) return [];
      const message =
        from === undefined
          ? `"${name}" is not imported by any other file; remove "export"`
          : `"${name}" is passed on, but not imported from here; remove it from the list`;
      return [{ path, line, rule: 'export-unused', message }];
    }),
  );
}

/** Returns all used names, resolved through entry points. */
function usedIn(
  modules: ReadonlyMap<string, Module>,
  wishes: readonly Wish[],
): ReadonlySet<string> {
  const used = new Set<string>();
  const use = (path: string, name: string): void => {
    const key = keyOf(path, name);
    if (used.has(key)) return;
    used.add(key);
    const module = modules.get(path);
    const found = module?.exports.get(name);
    if (found?.from !== undefined) use(found.from.path, found.from.name);
    if (found === undefined) for (const star of module?.stars ?? []) use(star, name);
  };
  const useAll = (path: string): void => {
    const module = modules.get(path);
    for (const name of module?.exports.keys() ?? []) use(path, name);
    for (const star of module?.stars ?? []) useAll(star);
  };
  for (const { path, name } of wishes) {
    if (name === undefined) useAll(path);
    else use(path, name);
  }
  for (const entryPoint of PUBLIC_ENTRY_POINTS) useAll(entryPoint);
  return used;
}

type TargetOf = (path: string, specifier: string) => string | undefined;

const LIST_FROM = /\bexport\s+(?:type\s+)?\{([^}]*)\}(?:\s*from\s*'([^'\n]+)')?/g;
const STAR_FROM = /\bexport\s+(?:type\s+)?\*\s+from\s*'([^'\n]+)'/g;
const DECLARED =
  /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|class|const|let|type|interface)\s+(?:(\w+)|\{([^}]*)\})/gm;

function moduleOf(source: Source, targetOf: TargetOf): Module {
  const exports = new Map<string, Export>();
  const text = source.uncommented;
  const isCode = (at: number): boolean => source.code[at] === 'e';
  for (const match of text.matchAll(DECLARED)) {
    if (!isCode(match.index)) continue;
    const line = lineAt(source.text, match.index);
    for (const { outer } of namesIn(match[1] ?? match[2] ?? '')) exports.set(outer, { line });
  }
  for (const match of text.matchAll(LIST_FROM)) {
    if (!isCode(match.index)) continue;
    const line = lineAt(source.text, match.index);
    const path = match[2] === undefined ? undefined : targetOf(source.path, match[2]);
    for (const { inner, outer } of namesIn(match[1] ?? '')) {
      const from = path === undefined ? undefined : { path, name: inner };
      if (match[2] === undefined || from !== undefined) exports.set(outer, { line, from });
    }
  }
  const stars = [...text.matchAll(STAR_FROM)].flatMap(
    ([, specifier]) => targetOf(source.path, specifier ?? '') ?? [],
  );
  return { path: source.path, exports, stars };
}

const IMPORT_LIST = /\bimport\s+(?:type\s+)?\{([^}]*)\}\s*from\s*'([^'\n]+)'/g;
/** Matches namespace imports and dynamic imports, which use all names. */
const IMPORT_WHOLE =
  /\bimport\s+(?:type\s+)?\*\s+as\s+\w+\s+from\s*'([^'\n]+)'|\bimport\(\s*'([^'\n]+)'\s*\)/g;

function wishesOf({ path: by, uncommented }: Source, targetOf: TargetOf): Wish[] {
  const lists = [...uncommented.matchAll(IMPORT_LIST)].flatMap(([, names = '', specifier = '']) => {
    const path = targetOf(by, specifier);
    return path === undefined ? [] : namesIn(names).map(({ inner }) => ({ path, name: inner }));
  });
  const wholes = [...uncommented.matchAll(IMPORT_WHOLE)].flatMap(([, star, dynamic]) => {
    const path = targetOf(by, star ?? dynamic ?? '');
    return path === undefined ? [] : [{ path, name: undefined }];
  });
  return [...lists, ...wholes];
}

/** Returns the inner and outer name of each entry in a list such as `a, type b as c`. */
function namesIn(list: string): { readonly inner: string; readonly outer: string }[] {
  return list.split(',').flatMap((part) => {
    const words = part.trim().replace(/^type\s+/, '');
    if (words === '') return [];
    const [inner = '', outer = inner] = words.split(/\s+as\s+|\s*:\s*/);
    return [{ inner, outer }];
  });
}

/** Returns the file that each module specifier of a package resolves to. */
function packageEntryPoints(manifests: readonly SourceFile[]): ReadonlyMap<string, string> {
  return new Map(
    manifests.flatMap(({ path, text }) => {
      if (!/^packages\/[^/]+\/package\.json$/.test(path)) return [];
      const { name, exports = {} } = JSON.parse(text) as {
        readonly name: string;
        readonly exports?: Readonly<Record<string, unknown>>;
      };
      return Object.entries(exports).flatMap(([entryPoint, file]) =>
        typeof file === 'string'
          ? [[name + entryPoint.slice(1), resolveImport(path, file)] as const]
          : [],
      );
    }),
  );
}

function keyOf(path: string, name: string): string {
  return `${path} ${name}`;
}
