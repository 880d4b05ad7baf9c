import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkLayers } from './tidy/imports.ts';
import { type PackageRules, PACKAGES } from './tidy/layers.ts';
import { toSource } from './tidy/source.ts';

const ROOT = join(import.meta.dirname, '..');

const HOUSE_AND_BARN: Readonly<Record<string, PackageRules>> = {
  house: {
    uses: [],
    layers: [
      ['index.ts', 'main.ts'],
      ['kitchen/', 'study/'],
      ['wings/*/'],
      ['cellar/', 'meter.ts'],
    ],
  },
  barn: { uses: [], layers: [['top/'], ['*']] },
};

/** Returns the findings for one file in a package, in the form `line rule`. */
function found(file: string, text: string, owner = 'house'): string[] {
  const source = toSource({ path: `packages/${owner}/src/${file}`, text });
  return checkLayers(source, HOUSE_AND_BARN).map(({ line, rule }) => `${line} ${rule}`);
}

describe('an import must point to a lower layer', () => {
  test.each([
    ['kitchen/cook.ts', "import { jam } from '../cellar/jam.ts';", []],
    ['kitchen/cook.ts', "import { knead } from './bread/knead.ts';", []],
    ['kitchen/bread/knead.ts', "import { cook } from '../cook.ts';", []],
    ['kitchen/cook.ts', "import { open } from '../index.ts';", ['1 layer']],
    ['cellar/jam.ts', "\nimport type { Cook } from '../kitchen/cook.ts';", ['2 layer']],
    ['cellar/jam.ts', "export { cook } from '../kitchen/cook.ts';", ['1 layer']],
    ['cellar/jam.ts', "const late = import('../kitchen/cook.ts');", ['1 layer']],
    ['kitchen/cook.ts', "import { read } from '../study/read.ts';", ['1 layer']],
    ['meter.ts', "import { jam } from './cellar/jam.ts';", ['1 layer']],
    ['main.ts', "import { open } from './index.ts';", ['1 layer']],
    ['kitchen/cook.ts', "import { divFloor } from '@oddlot/units';", []],
    ['wings/east/bed.ts', "import { jam } from '../../cellar/jam.ts';", []],
    ['wings/east/bed.ts', "import { sheet } from './sheet.ts';", []],
    ['wings/east/bed.ts', "import { bed } from '../west/bed.ts';", ['1 layer']],
    ['kitchen/cook.test.ts', "import { read } from '../study/read.ts';", []],
  ])('the layer rule checks the file %s with the text %s', (file, text, rules) => {
    expect(found(file, text)).toEqual(rules);
  });

  test('a finding about layers names both parts involved', () => {
    const source = toSource({
      path: 'packages/house/src/cellar/jam.ts',
      text: "import { cook } from '../kitchen/cook.ts';",
    });
    expect(checkLayers(source, HOUSE_AND_BARN)[0]?.message).toBe(
      '"../kitchen/cook.ts" is in a layer above cellar/; move what both need to a lower layer, or pass it as a parameter',
    );
  });
});

describe('every file must belong to a layer', () => {
  test.each([
    ['attic/dust.ts', ['1 layer-missing']],
    ['kitchen.ts', ['1 layer-missing']],
    ['wings/bed.ts', ['1 layer-missing']],
    ['attic/dust.test.ts', ['1 layer-missing']],
    ['meter.ts', []],
    ['meter.prop.test.ts', []],
    ['kitchen/bread/knead.test.ts', []],
  ])('the layer rule checks the place of the file %s', (file, rules) => {
    expect(found(file, 'export const a = 1;')).toEqual(rules);
  });

  test('all files outside the listed parts form one part', () => {
    expect(found('a.ts', "import './b/c.ts';", 'barn')).toEqual([]);
    expect(found('a.ts', "import './top/c.ts';", 'barn')).toEqual(['1 layer']);
    expect(found('top/c.ts', "import '../a.ts';", 'barn')).toEqual([]);
  });

  test('a file in a package without layers can be anywhere', () => {
    expect(found('a.ts', "import '../../b.ts';", 'hut')).toEqual([]);
  });
});

test('every path in the table of layers exists, and every package has a row', () => {
  const paths = Object.entries(PACKAGES).flatMap(([name, { layers }]) =>
    layers
      .flat()
      .filter((path) => path !== '*')
      .map((path) => `packages/${name}/src/${path.replace('*/', '')}`),
  );
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  expect(new Set(paths).size).toBe(paths.length);
  expect(Object.keys(PACKAGES).toSorted()).toEqual(readdirSync(join(ROOT, 'packages')).toSorted());
});

test('a package imports only packages before it in the table, so there is no cycle', () => {
  const names = Object.keys(PACKAGES);
  const later = Object.entries(PACKAGES).flatMap(([name, { uses }], at) =>
    uses.filter((used) => names.indexOf(used) >= at).map((used) => `${name} uses ${used}`),
  );
  expect(later).toEqual([]);
});
