import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { generatedFiles } from './write-shapes.ts';
import { HYPERLIQUID_PAGE, withCalls } from './write-hyperliquid.ts';
import { describedApi } from './write-openapi.ts';
import { SETTING_GUIDES, withSettings } from './write-settings.ts';

/**
 * Generates each file again and compares it with the one in the repository. Two kinds of files have
 * their own tests: contract outputs, which require a compiler
 * (packages/contracts/src/outputs.test.ts), and samples in the reference, which require a running
 * venue (tests/docs-samples.test.ts).
 */

const ROOT = join(import.meta.dirname, '..');
const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const FILES = generatedFiles();

describe('the files of npm run write-shapes are up to date', () => {
  test.each([...FILES])('the generated file %s is up to date', (path, text) => {
    expect(textOf(path)).toBe(text);
  });

  test('the command generates every file that names it in its first line', () => {
    const mark = '^// Made by npm run';
    const found = execFileSync('git', ['grep', '-lE', mark, '--', '*.ts'], { cwd: ROOT });
    const marked = found.toString().trim().split('\n');
    expect(marked.filter((path) => textOf(path).startsWith('// Made by'))).toEqual(
      [...FILES.keys()].sort(),
    );
  });
});

describe('the tables of npm run write-settings are up to date', () => {
  test.each(SETTING_GUIDES)(
    'the settings tables of $guide are up to date',
    ({ guide, program }) => {
      expect(textOf(guide)).toBe(withSettings(textOf(guide), program));
    },
  );
});

test('the tables of npm run write-hyperliquid are up to date', () => {
  expect(textOf(HYPERLIQUID_PAGE)).toBe(withCalls(textOf(HYPERLIQUID_PAGE)));
});

describe('the files of npm run write-openapi are up to date', () => {
  test.each([...describedApi()])('%s is up to date', (path, text) => {
    expect(textOf(path)).toBe(text);
  });
});
