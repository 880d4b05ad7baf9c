import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { generatedFiles } from './write-shapes.ts';
import { HYPERLIQUID_PAGE, withCalls } from './write-hyperliquid.ts';
import { SETTING_GUIDES, withSettings } from './write-settings.ts';

/**
 * Goal: each generated file is what its definitions give now. Method: the files are generated again and compared with
 * the repository. Outputs of contracts need a compiler, and samples of the reference a running venue: they are compared
 * by packages/contracts/src/outputs.test.ts and tests/docs-samples.test.ts.
 */

const ROOT = join(import.meta.dirname, '..');
const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const FILES = generatedFiles();

describe('npm run write-shapes', () => {
  test.each([...FILES])('%s is up to date', (path, text) => {
    expect(textOf(path)).toBe(text);
  });

  test('it writes all files that name it in their first line', () => {
    const mark = '^// Made by npm run';
    const found = execFileSync('git', ['grep', '-lE', mark, '--', '*.ts'], { cwd: ROOT });
    const marked = found.toString().trim().split('\n');
    expect(marked.filter((path) => textOf(path).startsWith('// Made by'))).toEqual(
      [...FILES.keys()].sort(),
    );
  });
});

describe('npm run write-settings', () => {
  test.each(SETTING_GUIDES)('$guide is up to date', ({ guide, program }) => {
    expect(textOf(guide)).toBe(withSettings(textOf(guide), program));
  });
});

test('npm run write-hyperliquid: the tables of calls are up to date', () => {
  expect(textOf(HYPERLIQUID_PAGE)).toBe(withCalls(textOf(HYPERLIQUID_PAGE)));
});
