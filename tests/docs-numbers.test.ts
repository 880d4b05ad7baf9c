import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../packages/engine/src/messages/limits.ts';
import { markBandE8 } from '../packages/engine/src/state/perp.ts';
import { defaultParameters, genesisCommands } from '../packages/replica/src/genesis-commands.ts';
import { RESULT_AFTER_MS } from '../packages/venue/src/exhibition/exhibition-results.ts';
import { STEP_MS } from '../packages/venue/src/exhibition/fair-paths.ts';
import { EVENT_TEMPLATES } from '../packages/venue/src/exhibition/event-templates.ts';
import { PUSHED_PRICE_HOLD_MS } from '../packages/venue/src/oracle/perp-oracle.ts';
import { PUSHED_REFERENCE_HOLD_MS } from '../packages/venue/src/oracle/simulated-prices.ts';
import { startPrice } from '../packages/venue/src/oracle/random-walk.ts';
import { readConfig } from '../packages/venue/src/config.ts';
import type { LedgerDelta } from '../packages/protocol/src/info/account-answers.ts';
import { createStreams } from '../packages/sdk/src/streams/create-streams.ts';
import { REPOSITORY } from './support/venue-process.ts';

/** Compares the numbers and lists in the guides with the code, wherever no snippet prints them. */

const page = (path: string): string => readFileSync(join(REPOSITORY, path), 'utf8');
const guide = (path: string): string => page(`docs/${path}`);
/** Guide folders, one for each kind of reader. */
const FOLDERS = ['get-started', 'trade', 'build', 'operate', 'verify', 'contribute'];
const GUIDES = FOLDERS.flatMap((folder) =>
  readdirSync(join(REPOSITORY, 'docs', folder)).map((name) => `${folder}/${name}`),
);
const MINUTE_MS = 60_000;
const n = (value: number): string => value.toLocaleString('en');

const HOUR_MS = 60 * MINUTE_MS;

const duration = (ms: number): string =>
  ms % HOUR_MS === 0 ? `${ms / HOUR_MS} hours` : `${ms / MINUTE_MS} minutes`;

const PERPS = genesisCommands('Oddlot-Testnet').flatMap((command) =>
  command.type === 'registerPerp' ? [command.perp] : [],
);

describe("docs/operate/outcome-markets.md has the code's numbers", () => {
  const text = guide('operate/outcome-markets.md');

  test.each(EVENT_TEMPLATES)(
    '$slug: the guide gives the length of a round and the interval between starts',
    (show) => {
      const [row = ''] = text.split('\n').filter((line) => line.startsWith(`| \`${show.slug}\``));
      expect(row).toContain(
        `${duration(show.roundMs)}; one starts every ${show.everyMs === HOUR_MS ? 'hour' : duration(show.everyMs)}`,
      );
    },
  );

  test('the guide gives the number of steps in each round', () => {
    const steps = [...new Set(EVENT_TEMPLATES.map(({ roundMs }) => roundMs))]
      .sort((a, b) => a - b)
      .map((roundMs) => [duration(roundMs), n(roundMs / STEP_MS)] as const);
    const [first, ...others] = steps;
    const expected = [
      `a round of ${first?.[0]} has ${first?.[1]} steps`,
      ...others.map(([long, count], index) => {
        const and = index === others.length - 1 ? 'and ' : '';
        return `${and}a round of ${long} has ${count}`;
      }),
    ].join(', ');
    expect(text.replaceAll('\n', ' ')).toContain(expected);
    expect(text).toContain(`scoreOf(seed, ${first?.[1]})`);
  });
});

const seconds = (ms: number): string => `${ms / 1_000} s`;
const words = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
];
const secondsInWords = (ms: number): string => `${words[ms / 1_000]} seconds`;

/** Sentences on a page with a number that is defined in the code. */
const SENTENCES: readonly (readonly [name: string, ...sentences: string[]])[] = [
  [
    'operate/markets.md',
    `uses each price that you submit for ${seconds(PUSHED_PRICE_HOLD_MS)}`,
    `at least every ${seconds(defaultParameters('Oddlot-Testnet').oracleStaleMs)}`,
    `up to ${seconds(LIMITS.observationAheadMs)} ahead of the venue's clock`,
    `valid for ${seconds(defaultParameters('Oddlot-Testnet').externalStaleMs)}`,
  ],
  [
    'operate/outcome-markets.md',
    `a price that you submit applies for ${seconds(PUSHED_REFERENCE_HOLD_MS)}`,
    `A round is resolved ${secondsInWords(RESULT_AFTER_MS)} after it ends`,
    `If fewer than ${LIMITS.twapCoveragePercent}% of the samples exist`,
    `${secondsInWords(LIMITS.resolveAfterMs)} after the start`,
  ],
  [
    'trade/outcome-markets.md',
    `needs ${LIMITS.twapCoveragePercent}% of its samples: ${covering(60)} of 60, ${covering(30)} of 30`,
    `resolves ${seconds(LIMITS.resolveAfterMs)} after the end`,
    `within ${seconds(LIMITS.observationLateMs)} of its timestamp`,
    `within the market's first ${secondsInWords(LIMITS.resolveAfterMs)}`,
  ],
  ['trade/trading-page.md', `the faucet pays ${n(readConfig([], {}).faucetUsdc)} test USDC`],
  ['trade/deposits.md', `sends ${n(readConfig([], {}).faucetUsdc)} test USDC`],
  ['get-started/quickstart.md', `which now holds ${n(readConfig([], {}).faucetUsdc)} USDC`],
];

function covering(windowSeconds: number): number {
  return Math.ceil((windowSeconds * LIMITS.twapCoveragePercent) / 100);
}

test.each(
  SENTENCES.flatMap(([name, ...sentences]) =>
    sentences.map((expected) => [name, expected] as const),
  ),
)('docs/%s contains: %s', (name, expected) => {
  expect(guide(name).replace(/\s+/g, ' ').toLowerCase()).toContain(expected.toLowerCase());
});

describe("docs/build/testing-a-bot.md has the code's numbers", () => {
  const text = guide('build/testing-a-bot.md');

  test('the guide gives the constant prices', () => {
    const prices = PERPS.map(
      ({ baseCurrency }) => `${baseCurrency} ${n(startPrice(baseCurrency, 0))}`,
    );
    expect(text).toContain(`Keeps prices constant: ${prices.join(', ')} |`);
  });

  test('R-mark: the guide gives the maximum distance between mark and oracle price that a book can cause', () => {
    const { liquidationFeeE8 } = defaultParameters('Oddlot-Testnet');
    const bands = Map.groupBy(PERPS, (perp) => {
      // The value is a maximum, so it is rounded up.
      const tenThousandths = Math.ceil(markBandE8(perp, liquidationFeeE8) / 100);
      return `${tenThousandths / 10_000}%`;
    });
    const expected = [...bands].map(
      ([band, perps]) => `${band} (${perps.map((perp) => perp.baseCurrency).join(', ')})`,
    );
    expect(text.replaceAll('\n', ' ')).toContain(`by at most ${expected.join(' or ')}`);
  });
});

describe("docs/reference has the code's lists", () => {
  test('info-history.md has every kind of ledger row', () => {
    // A missing kind is a type error.
    const kinds: Readonly<Record<LedgerDelta['type'], true>> = {
      liquidation: true,
      adl: true,
      withdraw: true,
      send: true,
      receive: true,
      accountTransfer: true,
      outcomeSplit: true,
      outcomeMerge: true,
      outcomeSettlement: true,
      builderRewardsClaim: true,
      deposit: true,
      faucet: true,
    };
    const [, rest = ''] = page('docs/reference/info-history.md').split(
      '### userNonFundingLedgerUpdates',
    );
    const rows = (rest.split('\n### ')[0] ?? '')
      .split('\n')
      .map((line) => line.split(' | ')[0] ?? '');
    const listed = rows.join('\n');
    expect(Object.keys(kinds).filter((kind) => !listed.includes(`\`${kind}\``))).toEqual([]);
  });
});

test('commands in the guides that start a test venue are valid and start only what the test needs', () => {
  const lines = GUIDES.flatMap((name) =>
    [...guide(name).matchAll(/npm start -- ([^`\n]*)/g)].map(
      (match) => [name, match[1] ?? ''] as const,
    ),
  );
  expect(lines.length).toBeGreaterThan(5);
  for (const [name, flags] of lines) {
    const words = flags.replace('"$(mktemp -d)"', '/tmp/x').trim().split(/\s+/);
    if (words.includes('--help')) continue;
    const config = readConfig(words, {});
    // A venue with constant prices does not need a chain, a relay or the page.
    if (config.oracle !== 'still') continue;
    expect({ name, chain: config.chain, web: config.web }).toEqual({
      name,
      chain: 'none',
      web: false,
    });
  }
});

test('docs/build/sdk.md describes what a reset of each stream contains', () => {
  const table = guide('build/sdk.md')
    .split('\n')
    .filter((line) => /^\| `\w+`/.test(line))
    .join('\n');
  // Getters are not called, because they require a connection.
  const parts = Object.getOwnPropertyDescriptors(createStreams({} as never));
  const names = Object.entries(parts)
    .filter(([, { value }]) => typeof value === 'function')
    .map(([name]) => name)
    .filter((name) => !['reconnect', 'check', 'close'].includes(name));
  expect(names).toContain('userFills');
  expect(names.filter((name) => !table.includes(`\`${name}\``))).toEqual([]);
});

test('the architecture page lists every package, and the docs index lists every guide', () => {
  const architecture = page('ARCHITECTURE.md');
  const { workspaces } = JSON.parse(page('package.json')) as { workspaces: string[] };
  const packages = workspaces.filter((path) => path.startsWith('packages/'));
  expect(packages.filter((path) => !architecture.includes(`| \`${path}\` |`))).toEqual([]);
  const index = page('docs/README.md');
  expect(GUIDES.filter((path) => !index.includes(`(${path})`))).toEqual([]);
});

test('every source file named on the architecture page exists', () => {
  const named = [...page('ARCHITECTURE.md').matchAll(/`(?:packages\/)?(\w+\/src\/[\w./-]+?)\/?`/g)];
  expect(named.length).toBeGreaterThan(30);
  const missing = named
    .map(([, path]) => path!)
    .filter((path) => !existsSync(join(REPOSITORY, 'packages', path)));
  expect(missing).toEqual([]);
});

test("each package's page names exactly the folders of its sources", () => {
  const differences = packagePages().flatMap(({ folders, named, path }) => [
    ...named.filter((folder) => !folders.includes(folder)).map((each) => `${path}: no ${each}/`),
    ...folders.filter((folder) => !named.includes(folder)).map((each) => `${path}: ${each}/`),
  ]);
  expect(differences).toEqual([]);
});

/** For packages with a list of layers, returns the folders in `src/` and those in the list. */
function packagePages(): { path: string; folders: string[]; named: string[] }[] {
  const { workspaces } = JSON.parse(page('package.json')) as { workspaces: string[] };
  const packages = workspaces.filter((path) => path.startsWith('packages/'));
  const pages = packages.map((path) => ({ path, text: page(`${path}/README.md`) }));
  const layered = pages.flatMap(({ path, text }) => {
    const lists = [...text.matchAll(/bottom to top.*:\n\n((?:-.*\n|  .*\n)+)/gim)];
    const named = lists.flatMap(([, list]) =>
      [...list!.matchAll(/`([\w-]+)\/`/g)].map(([, name]) => name!),
    );
    const entries = readdirSync(join(REPOSITORY, path, 'src'), { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    return lists.length === 0 ? [] : [{ path, folders, named }];
  });
  expect(layered.length).toBeGreaterThan(15);
  return layered;
}

test('the files in deploy/ contain the steps that an operator must perform first', () => {
  // nginx versions before 1.25.1 do not have this directive, and Debian 12 has 1.22.
  expect(page('deploy/nginx/oddlot.conf')).not.toMatch(/^\s*http2 on;/m);
  expect(page('deploy/nginx/oddlot.conf')).toMatch(/^\s*listen 443 ssl http2;/m);
  const [header = ''] = page('deploy/systemd/oddlot.service').split('[Unit]');
  expect(header).toContain('npm run build');
});
