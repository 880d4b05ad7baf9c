import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACTIONS, CHANNELS, INFO_QUERIES } from '@oddlot/protocol';

/**
 * Counts the code base (`npm run size`). Source files are the TypeScript files in `packages/`,
 * excluding tests. The second table counts the source files in which the name of an action, a query
 * or a channel occurs as a whole word outside comments. Generated files are counted separately.
 * `npm run size -- <name>` lists these files for one name.
 */

const ROOT = join(import.meta.dirname, '..');
const SMALL_LINES = 30;
const TEST = /\.test\.tsx?$/;
const GENERATED = /^\/\/ (?:Made|Generated) by /;

type Counted = {
  readonly path: string;
  readonly lines: number;
  readonly code: string;
  readonly isGenerated: boolean;
};

const paths = execFileSync('git', ['ls-files', 'packages'], { cwd: ROOT, encoding: 'utf8' });
const sources = paths
  .split('\n')
  .filter((path) => /\.tsx?$/.test(path) && !TEST.test(path))
  .map((path): Counted => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    const isGenerated = GENERATED.test(text);
    return { path, lines: text.split('\n').length - 1, code: withoutComments(text), isGenerated };
  });

const [wanted] = process.argv.slice(2);
if (wanted !== undefined) {
  const { generated, written } = filesNaming(wanted);
  print(
    [`files that name ${wanted}`],
    written.map(({ path }) => [path]),
  );
  print(
    ['generated'],
    generated.map(({ path }) => [path]),
  );
} else {
  printTables();
}

function printTables(): void {
  const byPackage = Map.groupBy(sources, ({ path }) => path.split('/')[1] ?? '');
  const rows = [...byPackage].map(([name, files]) => [name, ...figuresOf(files)]);
  rows.sort((left, right) => Number(right[2]) - Number(left[2]));
  print(
    ['package', 'files', 'lines', 'median', `<= ${SMALL_LINES} lines`, 'longest'],
    [...rows, ['total', ...figuresOf(sources)]],
  );

  print(
    ['files that name one', 'number', 'median', 'most', 'example', 'generated'],
    [
      ['an action', ...namingOf(Object.keys(ACTIONS))],
      ['a query', ...namingOf(Object.keys(INFO_QUERIES))],
      ['a channel', ...namingOf(Object.values(CHANNELS).flatMap((each) => Object.keys(each)))],
    ],
  );
}

function figuresOf(files: readonly Counted[]): readonly (number | string)[] {
  const lines = files.map((file) => file.lines).toSorted((left, right) => left - right);
  const sum = lines.reduce((total, each) => total + each, 0);
  const small = lines.filter((each) => each <= SMALL_LINES).length;
  return [files.length, sum, middleOf(lines), small, lines.at(-1) ?? 0];
}

/**
 * Counts the files by name. Names that are also ordinary words, such as `order`, are omitted,
 * because they would also match variables and texts.
 */
function namingOf(names: readonly string[]): readonly (number | string)[] {
  const own = [...new Set(names)].filter((each) => /[A-Z0-9]/.test(each));
  const counts = own.map((each) => {
    const { generated, written } = filesNaming(each);
    return { each, count: written.length, generated: generated.length };
  });
  counts.sort((left, right) => left.count - right.count);
  const most = counts.at(-1);
  return [
    own.length,
    middleOf(counts.map(({ count }) => count)),
    most?.count ?? 0,
    most?.each ?? '',
    most?.generated ?? 0,
  ];
}

function filesNaming(each: string) {
  const word = new RegExp(`\\b${each}\\b`);
  const naming = sources.filter(({ code }) => word.test(code));
  return {
    written: naming.filter(({ isGenerated }) => !isGenerated),
    generated: naming.filter(({ isGenerated }) => isGenerated),
  };
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*\*?[^]*?\*\/|^\s*\/\/.*$/gm, '');
}

function middleOf(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function print(head: readonly string[], body: readonly (readonly (number | string)[])[]): void {
  const table = [head, ...body].map((row) => row.map(String));
  const widths = head.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  for (const row of table) {
    const cells = row.map((cell, at) =>
      at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
    );
    process.stdout.write(`${cells.join('  ')}\n`);
  }
  process.stdout.write('\n');
}
