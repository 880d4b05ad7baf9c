import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { generatedFiles } from './write-shapes.ts';
import { HYPERLIQUID_PAGE, withCalls } from './write-hyperliquid.ts';
import { describedApi } from './write-openapi.ts';
import { SETTING_GUIDES, withSettings } from './write-settings.ts';

/**
 * Each generated file is generated again and compared with the repository. Two kinds of files are
 * compared elsewhere: outputs of contracts need a compiler
 * (packages/contracts/src/outputs.test.ts), and samples of the reference need a running venue
 * (tests/docs-samples.test.ts).
 */

const ROOT = join(import.meta.dirname, '..');
const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const FILES = generatedFiles();

describe('npm run write-shapes', () => {
  test.each([...FILES])('generates %s as it is in the repository', (path, text) => {
    expect(textOf(path)).toBe(text);
  });

  test('generates every file that names this command in its first line', () => {
    const mark = '^// Made by npm run';
    const found = execFileSync('git', ['grep', '-lE', mark, '--', '*.ts'], { cwd: ROOT });
    const marked = found.toString().trim().split('\n');
    expect(marked.filter((path) => textOf(path).startsWith('// Made by'))).toEqual(
      [...FILES.keys()].sort(),
    );
  });
});

describe('npm run write-settings', () => {
  test.each(SETTING_GUIDES)(
    'generates the tables of $guide as they are in the repository',
    ({ guide, program }) => {
      expect(textOf(guide)).toBe(withSettings(textOf(guide), program));
    },
  );
});

test('npm run write-hyperliquid: the tables of calls are up to date', () => {
  expect(textOf(HYPERLIQUID_PAGE)).toBe(withCalls(textOf(HYPERLIQUID_PAGE)));
});

describe('npm run write-openapi', () => {
  test.each([...describedApi()])('%s is up to date', (path, text) => {
    expect(textOf(path)).toBe(text);
  });
});
