import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { REPOSITORY } from '../support/venue-process.ts';
import { buildPageOnce } from './support/build-once.ts';

/** What a browser must load before a screen stands: the charts' code comes after it. */
const KILOBYTES_MAX = 220;
const PAGE = join(REPOSITORY, 'packages', 'web', 'dist', 'page');

type Chunk = {
  readonly file: string;
  readonly isEntry?: true;
  readonly imports?: readonly string[];
  readonly isDynamicEntry?: true;
};

let manifest: Readonly<Record<string, Chunk>>;

beforeAll(async () => {
  await buildPageOnce();
  manifest = JSON.parse(readFileSync(join(PAGE, '.vite', 'manifest.json'), 'utf8'));
});

/** A chunk and all that it cannot start without. */
function needed(key: string, found = new Set<string>()): ReadonlySet<string> {
  const chunk = manifest[key];
  if (chunk === undefined || found.has(key)) return found;
  found.add(key);
  for (const other of chunk.imports ?? []) needed(other, found);
  return found;
}

function kilobytes(keys: Iterable<string>): number {
  const files = new Set(
    [...keys].map((key) => manifest[key]!.file).filter((file) => file.endsWith('.js')),
  );
  const bytes = [...files].map((file) => sizeOf(file)).reduce((sum, size) => sum + size, 0);
  return bytes / 1024;
}

/** As it is sent, by gzip; what is too small to gain by that is sent as it is. */
function sizeOf(file: string): number {
  try {
    return readFileSync(join(PAGE, `${file}.gz`)).length;
  } catch {
    return readFileSync(join(PAGE, file)).length;
  }
}

test(`JavaScript before the chart is at most ${KILOBYTES_MAX} KB on every screen`, () => {
  const entry = Object.keys(manifest).find((key) => manifest[key]?.isEntry === true)!;
  const screens = Object.keys(manifest).filter((key) => key.endsWith('-screen.tsx'));
  expect(screens).toContain('src/features/markets/markets-screen.tsx');
  const sizes = screens.map((key) => [
    key,
    Math.round(kilobytes([...needed(entry), ...needed(key)])),
  ]);
  const heavy = sizes.filter(([, size]) => Number(size) > KILOBYTES_MAX);
  expect(heavy).toEqual([]);
  // Keys are signed with when there are some; nobody loads that to look at a price.
  const first = [...needed(entry)].map((key) => manifest[key]!.file).join(' ');
  expect(first).not.toMatch(/\/signing|lightweight|uplot/i);
});

test('what a first screen runs is compiled while it arrives', () => {
  const keys = [...needed('index.html'), ...needed('src/features/markets/markets-screen.tsx')];
  for (const key of keys) {
    const { file } = manifest[key]!;
    const code = readFileSync(join(PAGE, file), 'utf8');
    expect([file, code.split('\n', 1)[0]]).toEqual([file, '//# allFunctionsCalledOnLoad']);
  }
});
