import { describe, expect, test } from 'vitest';
import { tidy } from './tidy.ts';
import { importsOf } from './tidy/imports.ts';
import { toSource, type SourceFile } from './tidy/source.ts';
import { FILE_LINES_MAX } from './tidy/texts.ts';

/**
 * Each rule is tested with text that it must report and with similar text that it must accept. Text
 * that the rule would report in this file is assembled from parts.
 */

const MANIFESTS = [
  manifest('package.json', { devDependencies: { vitest: '1', 'fast-check': '1' } }),
  manifest('packages/units/package.json', { name: '@oddlot/units' }),
  manifest('packages/engine/package.json', { dependencies: { '@oddlot/units': '0' } }),
  manifest('packages/protocol/package.json', { dependencies: { '@oddlot/units': '0', zod: '4' } }),
  manifest('packages/host/package.json', {
    dependencies: { zod: '4' },
    exports: { './ports': './src/ports/index.ts' },
  }),
  manifest('packages/custody/package.json', {}),
  manifest('packages/ccxt/package.json', { publishConfig: { peerDependencies: { ccxt: '^4' } } }),
  manifest('packages/api/package.json', {
    dependencies: {
      '@oddlot/engine': '0',
      '@oddlot/host': '0',
      '@oddlot/units': '0',
      '@oddlot/protocol': '0',
      ws: '8',
    },
  }),
];

function manifest(path: string, value: object): { path: string; text: string } {
  return { path, text: JSON.stringify(value) };
}

function rules(path: string, text: string, ...besides: SourceFile[]): string[] {
  const files = [...MANIFESTS, { path, text }, ...besides];
  return tidy(files).map(({ line, rule }) => `${line} ${rule}`);
}

const ENGINE = 'packages/engine/src/perp/margin.ts';
const UNITS = 'packages/units/src/quantity.ts';
const VENUE = 'packages/api/src/server.ts';
const CUSTODY = 'packages/custody/src/chain/chain-client.ts';

test('a tidy file has no findings', () => {
  const user = {
    path: 'packages/engine/src/perp/user.ts',
    text: "import { margin } from './margin.ts';\n",
  };
  expect(
    rules(
      ENGINE,
      `import { divFloor } from '@oddlot/units';
import type { State } from '../state/state.ts';

/** Returns half of the sum, rounded down. TODO(#12): The Date of the state is unused. */
export function margin(state: State): bigint {
  const index = Math.floor((state.count + 1) / 2);
  const names = [...state.names].sort((a, b) => (a < b ? -1 : 1));
  return divFloor(BigInt(names.length + index), 2n); // no / here
}
`,
      user,
    ),
  ).toEqual([]);
});

test('findings are sorted by path and line', () => {
  const found = tidy([
    { path: UNITS, text: 'const a = 1;\nconsole.log(Date);\n' },
    { path: ENGINE, text: 'Date;\n' },
  ]);
  expect(found.map(({ path, line }) => `${path}:${line}`)).toEqual([
    `${ENGINE}:1`,
    `${UNITS}:2`,
    `${UNITS}:2`,
  ]);
  expect(found[0]?.message).toBe('"Date" reads the host clock; use the timeMs of the block');
});

describe('sources of nondeterminism are reported', () => {
  test.each([
    ['const t = new Date(timeMs);', 'pure-clock'],
    ['const t = performance.now();', 'pure-clock'],
    ['const x = Math.random();', 'pure-random'],
    ['const x = crypto.randomUUID();', 'pure-random'],
    ['const x = process.env;', 'pure-process'],
    ['console.log(1);', 'pure-console'],
    ['setTimeout(run, 1);', 'pure-timer'],
    ['queueMicrotask(run);', 'pure-timer'],
    ['a.localeCompare(b);', 'pure-locale'],
    ['new Intl.NumberFormat();', 'pure-locale'],
    ['n.toLocaleString();', 'pure-locale'],
    ['parseFloat(text);', 'pure-parse'],
    ['Number.parseInt(text);', 'pure-parse'],
    ['Math.exp(1);', 'pure-float'],
    ['Math.log2(1);', 'pure-float'],
    ['Math.pow(2, 3);', 'pure-float'],
    ['Math.sqrt(4);', 'pure-float'],
    ['async function f() {}', 'pure-async'],
    ['let p: Promise<void>;', 'pure-async'],
    ['list.sort();', 'pure-sort'],
    ['list.toSorted( );', 'pure-sort'],
  ])('the purity rules report %s in the engine and in the units', (code, rule) => {
    expect(rules(ENGINE, code)).toEqual([`1 ${rule}`]);
    expect(rules(UNITS, code)).toEqual([`1 ${rule}`]);
    expect(rules(ENGINE.replace('.ts', '.test.ts'), code)).toEqual([]);
    expect(rules('tests/support/engine/scenario.ts', code)).toEqual([]);
    expect(rules(VENUE, code)).toEqual([]);
  });

  test('a typed array of numbers can be sorted without a comparator in one file', () => {
    const sorter = 'packages/engine/src/collections/sorting.ts';
    expect(rules(sorter, 'numbers.sort();')).not.toContain('1 pure-sort');
  });

  test.each(['Date.now();', 'new Date();', 'process.hrtime.bigint();', 'os.uptime();'])(
    'the rules report %s in the venue, except in the file of its clock',
    (code) => {
      expect(rules(VENUE, code)).toEqual(['1 venue-clock']);
      expect(rules('packages/host/src/clock.ts', code)).toEqual([]);
      expect(rules(VENUE.replace('.ts', '.test.ts'), code)).toEqual([]);
    },
  );

  test.each(["writeFileSync(file, '');", 'renameSync(a, b);', 'await appendFile(file, text);'])(
    'the rules report %s in the venue, except in files that sync files and folders',
    (code) => {
      expect(rules(VENUE, code)).toEqual(['1 venue-writes']);
      expect(rules('packages/host/src/durable/whole-file.ts', code)).toEqual([]);
      expect(rules(VENUE.replace('.ts', '.test.ts'), code)).toEqual([]);
    },
  );

  test.each([
    ['try {} catch {}', 'pure-catch'],
    ["throw new Error('x');", 'pure-throw'],
    ["Number('12');", 'pure-parse'],
    ['Number(order.text);', 'pure-parse'],
    ['Number(priceText);', 'pure-parse'],
  ])('the purity rules report %s in the engine', (code, rule) => {
    expect(rules(ENGINE, code)).toEqual([`1 ${rule}`]);
    expect(rules(UNITS, code)).toEqual([]);
  });

  test.each([
    'Number(cost);',
    'Math.floor(x);',
    'Math.min(a, b);',
    'list.sort(byId);',
    'updateDate();',
    "say('Date');",
    '/* Date */ // Math.random()',
    'const inside = `Date ${name} Math.random()`;',
    'const pattern = /Date|async/;',
  ])('the purity rules accept %s', (code) => {
    expect(rules(ENGINE, code)).toEqual([]);
  });
});

describe('divisions that may be inexact are reported', () => {
  test.each([
    ['const a = b / c;', ['1 division']],
    ['a /= 2;', ['1 division']],
    ['const a = Math.floor(Number(b / c));', ['1 division']],
    ['const a = Math.floor(list[b / c]);', ['1 division']],
    ['const a = Math.max(b / c, 0);', ['1 division']],
    ['const a = RATE_ONE / 2n;', ['1 division']],
    ['const a = RATE_ONE / b;', ['1 division']],
    ['const a = b / 100;', ['1 division']],
    ['const a = RATE_ONE / 1_00;', []],
    ['const a = Math.floor(b / c);', []],
    ['const a = Math.trunc(((b + 1) / c) * 2);', []],
    ['const a = Math.ceil(size(b) / c);', []],
    ["const a = text.replace(/a\\/[/]b/g, '/');", []],
  ])('in the engine, %s has the findings %j', (code, expected) => {
    expect(rules(ENGINE, code)).toEqual(expected);
  });

  test('a division of what is visibly a bigint is reported outside the engine', () => {
    expect(rules(VENUE, 'const a = b / 10n;')).toEqual(['1 division']);
    expect(rules(VENUE, 'const a = 10_000n / b;')).toEqual(['1 division']);
    expect(rules(VENUE, 'const a = b / BigInt(c);')).toEqual(['1 division']);
    expect(rules(VENUE, 'const a = b / 1000;')).toEqual([]);
    expect(rules(UNITS, 'const a = b / 10n;')).toEqual([]);
  });
});

test('casts to a unit are allowed only in the source of the units package', () => {
  expect(rules(ENGINE, 'const a = (b + c) as MicroUsdc;')).toEqual(['1 unit-cast']);
  expect(rules(VENUE, 'const a = 5 as\n  Lots;')).toEqual(['1 unit-cast']);
  expect(rules(UNITS, 'const a = (b + c) as MicroUsdc;')).toEqual([]);
  expect(rules(ENGINE, 'const a = b as LotsByPrice;')).toEqual([]);
});

describe('forbidden imports are reported', () => {
  test.each([
    [ENGINE, "import { z } from 'zod';", 'import-undeclared'],
    [VENUE, "import WebSocket from 'ws/lib';", undefined],
    [VENUE, "import fastify from 'fastify';", 'import-undeclared'],
    [VENUE, "const x = await import('fastify');", 'import-undeclared'],
    ['packages/api/src/a.test.ts', "import { test } from 'vitest';", undefined],
    [VENUE, "import { test } from 'vitest';", 'import-undeclared'],
    ['tests/e2e/a.test.ts', "import { createState } from '@oddlot/engine';", undefined],
    ['bench/book.ts', "import { z } from 'zod';", undefined],
    ['bench/book.ts', "import fastify from 'fastify';", 'import-undeclared'],
    [ENGINE, "import { readFileSync } from 'node:fs';", 'import-host'],
    ['packages/protocol/src/a.ts', "import 'node:crypto';", 'import-host'],
    [VENUE, "import { readFileSync } from 'node:fs';", undefined],
    [UNITS, "import { apply } from '@oddlot/engine';", 'import-direction'],
    [ENGINE, "import type { Order } from '@oddlot/protocol';", 'import-direction'],
    ['packages/protocol/src/a.ts', "export * from '@oddlot/engine';", 'import-direction'],
    ['packages/sdk/src/a.ts', "import { apply } from '@oddlot/engine';", 'import-direction'],
    ['packages/ccxt/src/a.ts', "import { Exchange } from 'ccxt';", undefined],
    ['packages/sdk/src/a.ts', "import { Exchange } from 'ccxt';", 'import-undeclared'],
    [VENUE, "import { applyBlock, type State } from '@oddlot/engine';", undefined],
    [VENUE, "import { apply } from '../../../engine/src/apply.ts';", 'import-direction'],
    [VENUE, "import { HttpPort } from '@oddlot/host/ports';", undefined],
    [VENUE, "import { listen } from '@oddlot/testing/host';", 'import-testing'],
    ['packages/api/src/a.test.ts', "import { a } from '@oddlot/testing/host';", undefined],
    [VENUE, "import { a } from '@oddlot/testing/host/ports';", 'import-testing'],
    [CUSTODY, "import { LocalChain } from '@oddlot/devchain/local-chain';", 'import-direction'],
    ['tests/support/custody/a.ts', "import { a } from '@oddlot/devchain';", undefined],
    [CUSTODY, "import { V } from '@oddlot/venue';", 'import-direction'],
    ['packages/host/src/ports/a.ts', "import { V } from '@oddlot/venue';", 'import-direction'],
    [VENUE, "import { a } from './other';", 'import-extension'],
    [VENUE, "import { a } from './other.js';", 'import-extension'],
    [VENUE, "import {\n  a,\n  b,\n} from '../replica/replica.ts';", undefined],
    [VENUE, "import { limit } from './rate-limit.ts';", undefined],
    [ENGINE, "import { scenario } from '@oddlot/testing/engine/scenario';", 'import-testing'],
    ['packages/engine/src/a.test.ts', "import { s } from '@oddlot/testing/engine/s';", undefined],
    [ENGINE, "import { scenario } from './scenario.test.ts';", 'import-testing'],
    ['bench/page/a.ts', "import { Visit } from '../../tests/web/support/visit.ts';", undefined],
    ['bench/a.ts', "import { Visit } from '../tests/web/support/visit.ts';", 'import-testing'],
  ])('the import rules check, in the file %s, %s', (path, code, rule) => {
    const found = tidy([...MANIFESTS, { path, text: code }]).map((finding) => finding.rule);
    // An entry point or a re-export can also violate other rules, so only the import rules are
    // compared here.
    expect(found.filter((name) => name.startsWith('import'))).toEqual(
      rule === undefined ? [] : [rule],
    );
  });

  test('a finding about an import gives the correct form', () => {
    const [found] = tidy([...MANIFESTS, { path: VENUE, text: "import './other.js';" }]);
    expect(found?.message).toContain('write "./other.ts"');
  });

  test('only real imports are reported', () => {
    const text = `
      const comment = 1; // import { a } from 'comment';
      const code = "import { b } from 'string';";
      const text = \`
import { c } from 'template';
\`;
      import d, { type E } from 'real';
      export { f } from './f.ts';
      export const from = 'not';
    `;
    expect(importsOf(toSource({ path: 'a.ts', text })).map(({ specifier }) => specifier)).toEqual([
      'real',
      './f.ts',
    ]);
  });
});

describe('bad names and long files are reported', () => {
  test.each([
    ['packages/api/src/placeOrders.ts', 'name-kebab'],
    ['packages/api/src/Http/place-orders.ts', 'name-kebab'],
    ['packages/api/src/place_orders.ts', 'name-kebab'],
    ['packages/api/src/utils.ts', 'name-vague'],
    ['packages/api/src/helpers.ts', 'name-vague'],
    ['packages/api/src/common.ts', 'name-vague'],
    ['packages/api/src/socket-manager.ts', 'name-vague'],
    ['packages/api/src/ws/index.ts', 'name-barrel'],
  ])('the name rules report %s', (path, rule) => {
    expect(rules(path, '')).toEqual([`1 ${rule}`]);
  });

  test.each([
    'packages/venue/src/index.ts',
    'packages/host/src/ports/index.ts',
    'packages/api/src/a-b2.prop.test.ts',
    'bench/run.ts',
  ])('the name rules accept %s', (path) => {
    expect(rules(path, '')).toEqual([]);
  });

  test('a barrel is recognised by its content', () => {
    const code = "export * from './a.ts';";
    expect(rules('packages/api/src/all.ts', code)).toEqual(['1 name-barrel']);
    expect(rules('packages/venue/src/index.ts', code)).toEqual([]);
  });

  test('a long file is reported unless it is listed, and a listed file is reported if it grows', () => {
    const path = 'packages/api/src/long.ts';
    const lines = (count: number) => [{ path, text: '\n'.repeat(count) }];
    const listed = { [path]: { lines: FILE_LINES_MAX + 10, reason: 'a table' } };
    const found = (count: number, exceptions = {}) =>
      tidy(lines(count), exceptions).map(({ rule, message }) => `${rule}: ${message}`);
    expect(found(FILE_LINES_MAX)).toEqual([]);
    expect(found(FILE_LINES_MAX + 1)).toEqual([
      expect.stringContaining(`${FILE_LINES_MAX + 1} lines, at most ${FILE_LINES_MAX}`),
    ]);
    expect(found(FILE_LINES_MAX + 10, listed)).toEqual([]);
    expect(found(FILE_LINES_MAX + 11, listed)).toEqual([
      expect.stringContaining(`grew from ${FILE_LINES_MAX + 10}`),
    ]);
    expect(found(FILE_LINES_MAX, listed)).toEqual([
      expect.stringContaining('is short enough again'),
    ]);
    expect(tidy([], listed).map(({ rule }) => rule)).toEqual(['file-length']);
  });
});

/** The words are split, so that searching the repository for them does not find this test. */
const FIX = ['FIX', 'ME'].join('');
const LATER = ['TO', 'DO'].join('');

describe('forbidden words are reported', () => {
  test.each([
    [`// ${FIX}`, 'fixme'],
    [`// ${LATER}: soon`, 'todo'],
    [`/* ${LATER}(bob) */`, 'todo'],
    ['export default 1;', 'export-default'],
  ])('the word rules report %s', (code, rule) => {
    expect(rules(VENUE, code)).toEqual([`1 ${rule}`]);
  });

  test('a note that refers to an issue is accepted', () => {
    expect(rules(VENUE, `// ${LATER}(#7): soon`)).toEqual([]);
  });

  test('a default export in a configuration file is accepted', () => {
    expect(rules('vitest.config.ts', 'export default {};')).toEqual([]);
  });

  test.each([
    ['test', 'only'],
    ['it', 'skip'],
    ['describe', LATER.toLowerCase()],
    ['test', 'concurrent', 'only'],
  ])('the test modifier %s %s is reported', (...words) => {
    const call = words.join('.');
    expect(rules('packages/api/src/a.test.ts', `${call}('a', run);`)).toEqual(['1 test-focus']);
    expect(rules(VENUE, `${call}('a', run);`)).toEqual([]);
  });

  test('paths that exist on only one machine are reported', () => {
    for (const folder of ['work', 'farm', 'Users', 'root']) {
      const text = `see ${['', folder, 'x'].join('/')}`;
      expect(rules('docs/a.md', text)).toEqual(['1 machine-path']);
      expect(rules(VENUE, `// ${text}`)).toEqual(['1 machine-path']);
    }
    const folder = ['', 'work', ''].join('/');
    const elsewhere = `a${folder}b .${folder} https://a.example${folder}`;
    expect(rules('docs/a.md', elsewhere)).toEqual([]);
  });

  test('invisible control characters are reported', () => {
    const zero = String.fromCodePoint(0);
    expect(rules(VENUE, `// a${zero}b`)).toEqual(['1 control-character']);
    expect(rules('docs/a.md', '\ta\r\n')).toEqual([]);
  });

  test('references to texts outside the repository are reported', () => {
    const sign = String.fromCodePoint(0xa7);
    for (const words of [
      ['wi', 're.md'],
      ['wi', 're 5.2'],
      [sign, ' 4'],
      ['Sec', 'tion 11.9'],
    ]) {
      expect(rules('docs/a.md', words.join(''))).toEqual(['1 outside-text']);
      expect(rules(VENUE, `// see ${words.join('')}`)).toEqual(['1 outside-text']);
    }
    const inside = `the wire 3 times, ${['sec', 'tion 5.2 of RFC 6455'].join('')}, a section`;
    expect(rules('docs/a.md', inside)).toEqual([]);
  });

  test('package registries are reported', () => {
    const host = ['https:', '', 'registry.example', 'a'].join('/');
    const tarball = ['https:', '', 'npm.example', 'a', '-', 'a.tgz'].join('/');
    expect(rules('package-lock.json', `{"resolved": "${host}"}`)).toEqual(['1 registry-url']);
    expect(rules('package-lock.json', `{"resolved": "${tarball}"}`)).toEqual(['1 registry-url']);
    expect(rules('.npmrc', `fund=false\n${['registry', host].join('=')}`)).toContain(
      '2 registry-url',
    );
    expect(rules('docs/a.md', 'https://example.org/a')).toEqual([]);
  });
});

describe('packages without a hash in the lockfile are reported', () => {
  const locked = (packages: object): string => JSON.stringify({ packages }, undefined, 2);
  const integrity = `sha512-${'A'.repeat(86)}==`;

  test.each([
    ['no hash', { version: '1.0.0' }],
    ['an empty hash', { version: '1.0.0', integrity: '' }],
    ['a weak hash', { version: '1.0.0', integrity: 'sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=' }],
    ['a short hash', { version: '1.0.0', integrity: 'sha512-AAAA' }],
  ])('a locked package with %s is reported', (_name, entry) => {
    const text = locked({ '': {}, 'node_modules/a': { integrity }, 'node_modules/@b/c': entry });
    expect(rules('package-lock.json', text)).toEqual(['7 integrity']);
  });

  test('nested and optional packages also need a hash', () => {
    const text = locked({ 'packages/a/node_modules/b': { optional: true } });
    expect(rules('package-lock.json', text)).toEqual(['3 integrity']);
  });

  test('workspaces and links to them need no hash', () => {
    const text = locked({
      '': { name: 'a' },
      'packages/b': { version: '1.0.0' },
      'node_modules/@a/b': { resolved: 'packages/b', link: true },
      'node_modules/c': { version: '1.0.0', integrity },
    });
    expect(rules('package-lock.json', text)).toEqual([]);
  });
});

describe('errors in documents are reported', () => {
  test('links to missing files are reported', () => {
    const text = '[a](b.md) [c](../d.md#e) [f](https://g.example/h.md) [i](#j)\n[k](gone.md)';
    const files = [
      { path: 'docs/a.md', text },
      { path: 'docs/b.md', text: '' },
      { path: 'd.md', text: '' },
    ];
    expect(tidy(files).map(({ path, line, rule }) => `${path}:${line} ${rule}`)).toEqual([
      'docs/a.md:2 link',
    ]);
  });

  test('change fragments that cannot be parsed are reported', () => {
    expect(rules('changes/fees.md', 'Fixed\n- **Fees:** Fees changed.\n')).toEqual([]);
    expect(rules('changes/fees.md', 'Fees changed.\n')).toEqual(['1 fragment']);
    expect(rules('changes/README.md', '# How\n')).toEqual([]);
  });
});
