import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/**
 * Writes the declarations of a published package. Each workspace package that it uses becomes a
 * folder with relative imports, because users cannot install these packages.
 */

const ROOT = join(import.meta.dirname, '..');

/** Module specifiers in `from '…'` and `import('…')`. */
const SPECIFIER = /(\bfrom\s+|\bimport\(\s*)(['"])([^'"\n]+)\2/g;

/**
 * Compiles a project into a folder and moves the declarations of each package into its own folder.
 */
export function writeTypes(
  project: string,
  { out, parts }: { readonly out: string; readonly parts: readonly string[] },
): void {
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  // With several threads, the order in which files are found can change which of them are emitted.
  const flags = ['-p', project, '--singleThreaded'];
  execFileSync(process.execPath, [compiler, ...flags], { stdio: 'inherit' });
  for (const part of parts) {
    const folder = join(out, part);
    const flat = join(out, `${part}.flat`);
    renameSync(join(folder, 'src'), flat);
    rmSync(folder, { recursive: true });
    renameSync(flat, folder);
  }
  for (const path of filesIn(out)) {
    writeFileSync(path, withoutSiblings(readFileSync(path, 'utf8'), { path, out, parts }));
  }
}

/** Deletes the declarations that an entry point does not use. */
export function keepReachable(out: string, entryPoint: string): void {
  const reached = new Set<string>();
  const open = [join(out, entryPoint)];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    const own = specifiersOf(path).filter((specifier) => specifier.startsWith('.'));
    for (const each of own) open.push(resolve(dirname(path), each.replace(/\.js$/, '.d.ts')));
  }
  for (const path of filesIn(out)) if (!reached.has(path)) rmSync(path);
}

/**
 * Returns the names of the packages imported by the files in a folder. Throws if users cannot
 * install one of them.
 */
export function importedNames(folder: string): ReadonlySet<string> {
  const specifiers = filesIn(folder).flatMap(specifiersOf);
  const sibling = specifiers.find((specifier) => specifier.startsWith('@oddlot/'));
  if (sibling !== undefined) throw new Error(`a published file imports ${sibling}`);
  const aliased = specifiers.map((specifier) => specifier.replace(/^#ws$/, 'ws'));
  return new Set(
    aliased
      .filter((specifier) => !specifier.startsWith('.'))
      .map((specifier) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')),
  );
}

function specifiersOf(path: string): string[] {
  return [...readFileSync(path, 'utf8').matchAll(SPECIFIER)].map((match) => match[3]!);
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

type Place = { readonly path: string; readonly out: string; readonly parts: readonly string[] };

/**
 * Replaces imports of sibling packages by relative paths, and renames declarations to match the
 * JavaScript files.
 */
function withoutSiblings(text: string, place: Place): string {
  return text.replace(SPECIFIER, (_, before: string, quote: string, specifier: string) => {
    const sibling = /^@oddlot\/(.+)$/.exec(specifier)?.[1];
    const target =
      sibling === undefined
        ? specifier.replace(/^(\.{1,2}\/.*)\.ts$/, '$1.js')
        : entryPointOf(sibling, place);
    return `${before}${quote}${target}${quote}`;
  });
}

function entryPointOf(sibling: string, { path, out, parts }: Place): string {
  // This file may be unreachable. If it is not, `importedNames` reports the import.
  if (!parts.includes(sibling)) return `@oddlot/${sibling}`;
  const way = relative(dirname(path), join(out, sibling, 'index.js')).replaceAll('\\', '/');
  return way.startsWith('.') ? way : `./${way}`;
}
