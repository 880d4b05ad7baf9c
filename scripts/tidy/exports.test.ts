import { expect, test } from 'vitest';
import { checkExports } from './exports.ts';
import { toSource } from './source.ts';

const MANIFEST = {
  path: 'packages/units/package.json',
  text: '{ "name": "@oddlot/units", "exports": { ".": "./src/index.ts", "./sum": "./src/sum.ts" } }',
};

/** Returns the findings for files, in the form `path name`. */
function found(files: Readonly<Record<string, string>>): string[] {
  const sources = Object.entries(files).map(([path, text]) => toSource({ path, text }));
  return checkExports(sources, [MANIFEST])
    .filter(({ rule }) => rule === 'export-unused')
    .map(({ path, line, message }) => `${path}:${line} ${/"(\w+)"/.exec(message)?.[1]}`);
}

test('an export that no other file imports is reported at its line', () => {
  const files = {
    'packages/units/src/a.ts':
      '/** export const no */\nexport const used = 1;\nexport type Unused = typeof used;\n',
    'packages/units/src/b.ts': "import { used as mine } from './a.ts';\nmine;\n",
  };
  expect(found(files)).toEqual(['packages/units/src/a.ts:3 Unused']);
});

test.each([
  ['a test', 'packages/units/src/a.test.ts', "import { one } from './a.ts';"],
  ['a type', 'packages/units/src/b.ts', "import { type one } from './a.ts';"],
  ['a namespace import', 'packages/units/src/b.ts', "import * as all from './a.ts';"],
  ['a dynamic import', 'packages/units/src/b.ts', "await import('./a.ts');"],
])('%s counts as a use of an export', (_, path, text) => {
  expect(found({ 'packages/units/src/a.ts': 'export const one = 1;', [path]: text })).toEqual([]);
});

test('a use through an entry point counts for the re-exported name, and unused names in an entry point are reported', () => {
  const files = {
    'packages/units/src/a.ts': 'export const one = 1;\nexport const two = 2;\n',
    'packages/units/src/sum.ts': 'export function sum() {}\n',
    'packages/units/src/index.ts':
      "export { one, two as zwei } from './a.ts';\nexport * from './sum.ts';\n",
    'packages/web/src/b.ts': "import { one, sum } from '@oddlot/units';\n",
  };
  expect(found(files)).toEqual([
    'packages/units/src/a.ts:2 two',
    'packages/units/src/index.ts:1 zwei',
  ]);
  const all = { ...files, 'packages/web/src/b.ts': "import { one, zwei } from '@oddlot/units';" };
  expect(found(all)).toEqual(['packages/units/src/sum.ts:1 sum']);
  const direct = { ...all, 'packages/web/src/c.ts': "import { sum } from '@oddlot/units/sum';" };
  expect(found(direct)).toEqual([]);
});

test("the SDK's public names do not need to be imported anywhere", () => {
  const files = {
    'packages/sdk/src/index.ts': "export { one } from './a.ts';\n",
    'packages/sdk/src/a.ts': 'export const one = 1;\n',
  };
  expect(found(files)).toEqual([]);
});
