import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkFloors, FLOOR_TABLES, type FloorTable } from './tidy/floors.ts';
import { toSource } from './tidy/source.ts';

const ROOT = join(import.meta.dirname, '..');

/** A house of three floors, the middle one with two rooms and the ground with a file. */
const HOUSE: FloorTable = {
  root: 'packages/house/src/',
  floors: [
    { name: 'top', paths: ['index.ts', 'main.ts'], what: 'the door' },
    { name: 'rooms', paths: ['kitchen/', 'study/'], what: 'where work is done' },
    { name: 'wings', paths: ['wings/*/'], what: 'a room each' },
    { name: 'ground', paths: ['cellar/', 'meter.ts'], what: 'stores; what is counted' },
  ],
};

/** The findings for one file of the house, as `line rule`. */
function found(file: string, text: string): string[] {
  const source = toSource({ path: HOUSE.root + file, text });
  return checkFloors(source, [HOUSE]).map(({ line, rule }) => `${line} ${rule}`);
}

describe('an import', () => {
  test.each([
    ['kitchen/cook.ts', "import { jam } from '../cellar/jam.ts';", []],
    ['kitchen/cook.ts', "import { knead } from './bread/knead.ts';", []],
    ['kitchen/bread/knead.ts', "import { cook } from '../cook.ts';", []],
    ['kitchen/cook.ts', "import { open } from '../index.ts';", ['1 floor-up']],
    ['cellar/jam.ts', "\nimport type { Cook } from '../kitchen/cook.ts';", ['2 floor-up']],
    ['cellar/jam.ts', "export { cook } from '../kitchen/cook.ts';", ['1 floor-up']],
    ['cellar/jam.ts', "const late = import('../kitchen/cook.ts');", ['1 floor-up']],
    ['kitchen/cook.ts', "import { read } from '../study/read.ts';", ['1 floor-across']],
    ['meter.ts', "import { jam } from './cellar/jam.ts';", ['1 floor-across']],
    ['main.ts', "import { open } from './index.ts';", ['1 floor-across']],
    ['kitchen/cook.ts', "import { divFloor } from '@oddlot/units';", []],
    ['wings/east/bed.ts', "import { jam } from '../../cellar/jam.ts';", []],
    ['wings/east/bed.ts', "import { sheet } from './sheet.ts';", []],
    ['wings/east/bed.ts', "import { bed } from '../west/bed.ts';", ['1 floor-across']],
    ['kitchen/cook.test.ts', "import { read } from '../study/read.ts';", []],
  ])('%s: %s', (file, text, rules) => {
    expect(found(file, text)).toEqual(rules);
  });

  test('the message says where the other stands', () => {
    const source = toSource({
      path: 'packages/house/src/cellar/jam.ts',
      text: "import { cook } from '../kitchen/cook.ts';",
    });
    expect(checkFloors(source, [HOUSE])[0]?.message).toBe(
      '"../kitchen/cook.ts" is in a layer above cellar/; move what both need down, or pass it as a parameter',
    );
  });
});

describe('a file', () => {
  test.each([
    ['attic/dust.ts', ['1 floor-outside']],
    ['kitchen.ts', ['1 floor-outside']],
    ['wings/bed.ts', ['1 floor-outside']],
    ['attic/dust.test.ts', ['1 floor-outside']],
    ['meter.ts', []],
    ['meter.prop.test.ts', []],
    ['kitchen/bread/knead.test.ts', []],
  ])('%s', (file, rules) => {
    expect(found(file, 'export const a = 1;')).toEqual(rules);
  });

  test('of a package without floors may stand anywhere', () => {
    const source = toSource({ path: 'packages/hut/src/a.ts', text: "import '../../b.ts';" });
    expect(checkFloors(source, [HOUSE])).toEqual([]);
  });
});

test('every room of every table is there', () => {
  const rooms = FLOOR_TABLES.flatMap(({ floors, root }) =>
    floors.flatMap(({ paths }) => paths.map((path) => root + path.replace('*/', ''))),
  );
  expect(rooms.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  expect(new Set(rooms).size).toBe(rooms.length);
});
