import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ACTIONS, API_WS_CHANNELS, INFO_QUERIES, WS_CHANNELS } from '@oddlot/protocol';
import { expect, test } from 'vitest';
import { tidy } from '../tidy.ts';
import { surfaceOf } from './surface.ts';

const PROTOCOL = 'packages/protocol/src';

/** A repository in which one query, one action and one channel are complete. */
const WHOLE: Readonly<Record<string, string>> = {
  [`${PROTOCOL}/info/market-queries.ts`]:
    "const weather = z.object({ type: z.literal('weather') });\n\nexport const MARKET_QUERIES = {\n  weather,\n} as const;\n",
  [`${PROTOCOL}/actions/registry.ts`]:
    "export const ACTIONS = {\n  rain: {\n    signedBy: 'agent',\n  },\n} as const;\n",
  [`${PROTOCOL}/streams/channels.ts`]:
    'export const WS_CHANNELS = {\n  clouds: { schema: z.object({ coin }) },\n} as const;\n',
  'docs/reference/info-markets.md': '### weather\n',
  'docs/reference/exchange.md': '### rain\n',
  'docs/reference/streams.md': '### clouds\n',
  'packages/sdk/src/exchange/create-exchange.ts': 'export const trading = { rain: bind(rain) };\n',
  'tests/fuzz/samples.ts': "export const SAMPLES = [{ type: 'weather' }, { type: 'rain' }];\n",
  'tests/conformance/sky.test.ts': "ask({ type: 'weather' }); send('rain'); streams.clouds(1);\n",
  'changes/sky.md': 'API\n\n`weather`, `rain` and `clouds` are new.\n',
};

/**
 * Returns the findings for a repository in which some files have been changed. A value of undefined
 * removes the file.
 */
function found(changes: Readonly<Record<string, string | undefined>> = {}): string[] {
  const files = Object.entries({ ...WHOLE, ...changes }).flatMap(([path, text]) =>
    text === undefined ? [] : [{ path, text }],
  );
  return tidy(files)
    .filter(({ rule }) => rule.startsWith('surface-'))
    .map(({ message, path, rule }) => `${path} ${rule}: ${message}`);
}

test('a complete query, action or channel has no findings', () => {
  expect(found()).toEqual([]);
});

test.each([
  ['docs/reference/info-markets.md', 'surface-docs', 'weather'],
  ['docs/reference/exchange.md', 'surface-docs', 'rain'],
  ['docs/reference/streams.md', 'surface-docs', 'clouds'],
  ['packages/sdk/src/exchange/create-exchange.ts', 'surface-sdk', 'rain'],
])('without the file %s the check reports %s for %s', (path, rule, name) => {
  const findings = found({ [path]: undefined });
  expect(findings).toHaveLength(1);
  expect(findings[0]).toContain(rule);
  expect(findings[0]).toContain(`"${name}"`);
});

test('a new query on its own gives a finding for each missing part, with its location', () => {
  const path = `${PROTOCOL}/info/market-queries.ts`;
  const findings = found({
    [path]: `${WHOLE[path]}\nexport const SKY_QUERIES = {\n  stars: z.object({}),\n};\n`,
  });
  expect(findings.map((finding) => finding.split(' ')[1])).toEqual([
    'surface-docs:',
    'surface-test:',
    'surface-fuzz:',
    'surface-change:',
  ]);
  expect(findings.join('\n')).toContain('docs/reference/info-*.md');
  expect(findings.join('\n')).toContain('tests/fuzz/samples.ts');
  expect(findings.join('\n')).toContain('changes/');
});

test('a sample does not count as a test, and a longer name is a different name', () => {
  const noTest = found({ 'tests/conformance/sky.test.ts': "ask({ type: 'weatherReport' });\n" });
  expect(noTest.map((finding) => finding.split(' ')[1])).toEqual(Array(3).fill('surface-test:'));
});

test('the names found in the sources are the ones that the program serves', () => {
  const root = join(import.meta.dirname, '../..', PROTOCOL);
  const files = ['info', 'actions', 'streams'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => ({
      path: `${PROTOCOL}/${folder}/${name}`,
      text: readFileSync(join(root, folder, name), 'utf8'),
    })),
  );
  const { action = [], channel = [], query = [] } = surfaceOf(files);
  expect(query.toSorted()).toEqual(Object.keys(INFO_QUERIES).sort());
  expect(action.toSorted()).toEqual(Object.keys(ACTIONS).sort());
  expect(channel.toSorted()).toEqual(Object.keys({ ...WS_CHANNELS, ...API_WS_CHANNELS }).sort());
});
