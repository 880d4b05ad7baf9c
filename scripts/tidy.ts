import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkExports } from './tidy/exports.ts';
import {
  checkImports,
  checkLayers,
  declaredIn,
  entryPointsOf,
  isTestPath,
  packageOf,
} from './tidy/imports.ts';
import {
  checkBigintLiteralDivision,
  checkDivision,
  checkPurity,
  checkUnitCasts,
  checkVenueClock,
  checkVenueWrites,
} from './tidy/purity.ts';
import { checkLanguage } from './tidy/language.ts';
import { checkLockfile } from './tidy/lockfile.ts';
import { checkRulebook } from './tidy/rulebook.ts';
import { checkSurface } from './tidy/surface.ts';
import { toSource, type Finding, type Source, type SourceFile } from './tidy/source.ts';
import {
  checkFragment,
  checkLength,
  checkLinks,
  checkName,
  checkText,
  checkWords,
  type LengthException,
} from './tidy/texts.ts';

/**
 * Checks repository rules that neither the compiler nor the linter checks (`npm run tidy`). Each
 * finding gives its position and the correct form. The rules are in `scripts/tidy/`.
 */

/** Files allowed to exceed the limit, with their maximum length and the reason. */
const LENGTH_EXCEPTIONS: Readonly<Record<string, LengthException>> = {};

/** Packages that run as a process. They use one clock and write durable files. */
const PROGRAMS: ReadonlySet<string> = new Set([
  'host',
  'devchain',
  'custody',
  'relay',
  'replica',
  'history',
  'cluster',
  'settlement',
  'api',
  'hyperliquid',
  'venue',
  'audit',
]);

/** The syntax that makes a file a barrel. */
const REEXPORT_ALL = /\bexport\s+(?:type\s+)?\*\s+from\b/;

/**
 * Returns all findings in a set of files, sorted by path and line. Paths are relative to the root.
 */
export function tidy(
  files: readonly SourceFile[],
  exceptions: Readonly<Record<string, LengthException>> = {},
): Finding[] {
  const paths = new Set(files.map(({ path }) => path));
  const manifests = new Map(
    files
      .filter(({ path }) => /(?:^|\/)package\.json$/.test(path))
      .map(({ path, text }) => [path, declaredIn(text)]),
  );
  const entryPoints = new Set(files.flatMap(entryPointsOf));
  const sources = sourcesOf(files);
  const findings = files.flatMap((file) => {
    const source = sources.get(file.path);
    const found = [...checkText(file), ...checkLockfile(file), ...checkLanguage(file, source)];
    if (source !== undefined && /\.tsx?$/.test(file.path)) {
      found.push(
        ...checkLength(file, exceptions[file.path]),
        ...checkCode(source, manifests, entryPoints),
      );
    }
    if (file.path.endsWith('.md')) found.push(...checkLinks(file, paths));
    if (/^changes\/(?!README\.md$)/.test(file.path)) found.push(...checkFragment(file));
    return found;
  });
  findings.push(...checkRulebook(files), ...checkSurface(files));
  findings.push(...checkExports([...sources.values()], files));
  for (const path of Object.keys(exceptions)) {
    if (paths.has(path)) continue;
    const message = 'does not exist; remove its entry from LENGTH_EXCEPTIONS';
    findings.push({ path, line: 1, rule: 'file-length', message });
  }
  return findings.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
}

function sourcesOf(files: readonly SourceFile[]): ReadonlyMap<string, Source> {
  const code = files.filter(({ path }) => /\.(?:tsx?|mjs)$/.test(path));
  return new Map(code.map((file) => [file.path, toSource(file)]));
}

function checkCode(
  source: Source,
  manifests: ReadonlyMap<string, ReadonlySet<string>>,
  entryPoints: ReadonlySet<string>,
): Finding[] {
  const found = [
    ...checkName(source.path, entryPoints),
    ...checkWords(source),
    ...checkImports(source, manifests),
    ...checkLayers(source),
  ];
  const owner = packageOf(source.path);
  if (owner === undefined || isTestPath(source.path)) return found;
  if (owner === 'engine' || owner === 'units') found.push(...checkPurity(source, owner));
  if (owner === 'engine') found.push(...checkDivision(source));
  else if (owner !== 'units') found.push(...checkBigintLiteralDivision(source));
  if (owner !== 'units') found.push(...checkUnitCasts(source));
  if (PROGRAMS.has(owner)) found.push(...checkVenueClock(source), ...checkVenueWrites(source));
  const isEntryPoint = /\/src\/index\.tsx?$/.test(source.path) || entryPoints.has(source.path);
  if (!isEntryPoint && REEXPORT_ALL.test(source.code)) {
    const message =
      're-exports a whole file; only the entry point of a package may do that, import the file';
    found.push({ path: source.path, line: 1, rule: 'name-barrel', message });
  }
  return found;
}

/** Folders that contain built, downloaded or recorded files. */
const SKIPPED =
  /^(?:\.git|data|release|coverage|tests\/vectors|tests\/replay)$|(?:^|\/)(?:node_modules|dist)$/;
const TEXT_FILE =
  /\.(?:ts|tsx|js|mjs|cjs|json|md|toml|ya?ml|html|css|sol|sh|txt)$|(?:^|\/)(?:\.npmrc|run|NOTICE)$/;

function readTree(root: string, folder = ''): SourceFile[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (SKIPPED.test(path)) return [];
    if (entry.isDirectory()) return readTree(root, path);
    if (!entry.isFile() || !TEXT_FILE.test(path)) return [];
    return [{ path, text: readFileSync(join(root, path), 'utf8') }];
  });
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  const files = readTree(root);
  const findings = tidy(files, LENGTH_EXCEPTIONS);
  for (const { path, line, rule, message } of findings) {
    console.error(`${path}:${line} ${rule}: ${message}`);
  }
  console.log(`tidy: ${files.length} files, ${findings.length} findings`);
  if (findings.length > 0) process.exitCode = 1;
}
