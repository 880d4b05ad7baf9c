import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createState } from '@oddlot/engine';
import {
  ACTIONS,
  API_WS_CHANNELS,
  ERROR_CODES,
  INFO_QUERIES,
  MESSAGE_NAMES,
  MESSAGES,
  NETWORKS,
  WS_CHANNELS,
  type VenueHealth,
} from '@oddlot/protocol';
import { infoEndpoint } from '../packages/api/src/http/info-endpoint.ts';
import { RateLimiter } from '../packages/host/src/http/rate-limiter.ts';
import { createRecoverer, type Recoverer } from '../packages/api/src/recoverer.ts';
import type { ChannelSet } from '../packages/api/src/ws/channel-session.ts';
import { Channels } from '../packages/api/src/ws/channel-sets.ts';
import { ExplorerTail, RecentBlocks } from '../packages/history/src/recent-blocks.ts';
import { TestHistory } from './support/venue/ws/test-history.ts';
import { TradeTape } from '../packages/history/src/trade-tape.ts';
import { SYSTEM_TIMING } from '../packages/api/src/ws/timing.ts';
import { WS_LIMITS } from '../packages/api/src/ws-limits.ts';
import { MarketData } from '../packages/translate/src/read-models/market-data.ts';
import { GENESIS_HEAD } from '../packages/replica/src/block-hash.ts';
import type { History } from '../packages/history/src/history.ts';
import { Receipts } from '../packages/history/src/receipts.ts';
import {
  openHistoryStore,
  type HistoryStore,
} from '../packages/history/src/store/history-store.ts';
import type { Replica } from '../packages/replica/src/replica.ts';
import { aVenue, order } from './support/actors.ts';
import type { Json } from './support/client.ts';
import { FIXED_PRICE_FLAGS, NODE, REPOSITORY } from './support/venue-process.ts';

/** Compares the headings and tables in the reference with the code, in both directions. */

const page = (path: string): string => readFileSync(join(REPOSITORY, 'docs', path), 'utf8');

/** A page's third-level headings are exactly the names of queries, actions or channels. */
const entriesOf = (path: string): string[] =>
  [...page(path).matchAll(/^### (\S+)$/gm)].map((match) => match[1] ?? '').sort();

const BLANK = '<>';

describe('docs/reference/errors.md agrees with the protocol', () => {
  const text = page('reference/errors.md');
  const sections = text.split(/^## (?=<a id=)/m).slice(1);

  test('the overview in errors.md has exactly the error names with their codes', () => {
    const rows = text.matchAll(/^\| \[(\w+)\]\(#(\w+)\) \| (\d+) \|/gm);
    const listed = [...rows].map(([, name, anchor, code]) => [name, anchor, Number(code)]);
    const expected = Object.entries(ERROR_CODES).map(([name, code]) => [name, name, code]);
    expect(listed).toEqual(expected);
  });

  test('errors.md has a section with an anchor for every name', () => {
    const headings = sections.map((section) => section.slice(0, section.indexOf('\n')));
    expect(headings).toEqual(
      Object.entries(ERROR_CODES).map(([name, code]) => `<a id="${name}"></a>${name} · ${code}`),
    );
  });

  test("each section of errors.md has exactly its error's messages", () => {
    const documented = sections.map((section) => {
      const name = /^<a id="(\w+)">/.exec(section)?.[1] ?? '';
      const rows = [...section.matchAll(/^\| `([^`]+)`(?: †)? \|/gm)];
      return [name, rows.map((row) => (row[1] ?? '').replaceAll(/<\w+>/g, BLANK))] as const;
    });
    expect(Object.fromEntries(documented)).toEqual(messagesByName());
  });
});

/** Returns every message in the protocol with empty placeholders, by the name of its error. */
function messagesByName(): Record<string, string[]> {
  const byName = Object.fromEntries(Object.keys(ERROR_CODES).map((name) => [name, [] as string[]]));
  for (const [key, build] of Object.entries(MESSAGES)) {
    const blanks = Array.from({ length: build.length }, () => BLANK);
    const message = (build as (...values: string[]) => string)(...blanks);
    byName[MESSAGE_NAMES[key as keyof typeof MESSAGES]]?.push(message);
  }
  return byName;
}

test('docs/reference/exchange.md describes exactly the actions that are served', () => {
  expect(entriesOf('reference/exchange.md')).toEqual(Object.keys(ACTIONS).sort());
});

test('docs/reference/info-*.md describe exactly the queries that are served, once each', async () => {
  const recoverer = await createRecoverer(NETWORKS.testnet);
  const folder = await mkdtemp(join(tmpdir(), 'oddlot-docs-'));
  const store = await openHistoryStore({ file: join(folder, 'history.sqlite') });
  // Permits and health are optional. With them, the endpoint responds like that of a venue with a
  // settlement chain.
  const permits = { deposit: async () => ({ ok: true, data: { txHash: '0x' } }) as const };
  const health = () => ({ ready: true }) as VenueHealth;
  const options = { ...infoOptions(recoverer), history: emptyHistory(store), permits, health };
  const endpoint = infoEndpoint(options);
  const served: string[] = [];
  for (const type of Object.keys(INFO_QUERIES)) {
    const body = { ...ANY_QUERY, type };
    const text = JSON.stringify(body);
    const reply = await endpoint.handle({ text, body, ip: '127.0.0.1' });
    expect(reply.status, `${type}: ANY_QUERY lacks a field, ${reply.body}`).not.toBe(400);
    if (reply.status !== 403) served.push(type);
  }
  const pages = readdirSync(join(REPOSITORY, 'docs/reference')).filter((name) =>
    name.startsWith('info'),
  );
  const described = pages.flatMap((name) => entriesOf(`reference/${name}`));
  expect(described.sort()).toEqual(served.sort());
  const linked = [...page('reference/info.md').matchAll(/\[(\w+)\]\((info-\w+\.md)#(\w+)\)/g)];
  const index = linked.filter(([, name = '', , anchor]) => anchor === name.toLowerCase());
  for (const type of served) {
    const [row] = index.filter(([, name]) => name === type);
    expect(entriesOf(`reference/${row?.[2]}`), `${type} in the index`).toContain(type);
  }
  await store.close();
  await rm(folder, { recursive: true });
});

test('docs/reference/streams.md describes exactly the channels that are served', () => {
  const state = () => EMPTY_REPLICA.state;
  const context = {
    state,
    markets: new MarketData(state),
    tape: new TradeTape(state),
    explorer: new ExplorerTail(state),
    recent: new RecentBlocks(),
    history: new TestHistory(),
    limits: WS_LIMITS,
    timing: SYSTEM_TIMING,
  };
  const served = [
    ...servedBy(new Channels('ws', context), Object.keys(WS_CHANNELS)),
    ...servedBy(new Channels('api-ws', context), Object.keys(API_WS_CHANNELS)),
  ];
  expect(entriesOf('reference/streams.md')).toEqual(served.sort());
});

/** Before its first block, a venue has its channels but no instruments. */
function servedBy(channels: ChannelSet, types: readonly string[]): string[] {
  return types.filter((type) => {
    const opening = channels.open({ ...ANY_QUERY, type });
    return opening.ok || opening.error.code !== 'UNKNOWN_CHANNEL';
  });
}

const EMPTY_REPLICA: Replica = {
  state: createState(),
  head: GENESIS_HEAD,
  onBlock: () => undefined,
  headAt: () => undefined,
  check: () => ({}),
  propose: () => Promise.reject(new Error('nothing is proposed')),
};

/** Returns the history of a venue without blocks. */
function emptyHistory(store: HistoryStore): History {
  const asOf = { height: 0, timeMs: 0 };
  return {
    asOf,
    ask: async (topic, question) => {
      if (topic === 'accountSums') return { asOf, answer: null as never };
      if (topic === 'accountGains') return { asOf, answer: { rows: [], next: null } as never };
      return { asOf, answer: await store.ask(topic as never, question as never) };
    },
    watch: () => () => undefined,
  };
}

function infoOptions(recoverer: Recoverer): Parameters<typeof infoEndpoint>[0] {
  const address = ANY_QUERY.user;
  return {
    replica: EMPTY_REPLICA,
    pool: {
      explain: (text) => Promise.resolve(recoverer.explain(text)),
      recover: (text) => Promise.resolve(recoverer.recover(text)),
    },
    receipts: new Receipts({ instruments: () => undefined }),
    markets: new MarketData(() => EMPTY_REPLICA.state),
    limiter: new RateLimiter({
      limits: { info: 1, exchange: 1, explainSignature: 1, simulate: 1 },
      now: () => 0,
    }),
    network: NETWORKS.testnet,
    settings: {
      bridgeContractAddress: address,
      usdcContractAddress: address,
      settlementChainId: 1,
      chainName: '',
    },
    now: () => 0,
  };
}

/** Has the required fields of all queries and channels. Additional fields are ignored. */
const ANY_QUERY = {
  user: '0x00000000000000000000000000000000000000aa',
  coin: '1',
  assetName: 'BTC',
  instrumentId: 1,
  instrumentIds: [1],
  interval: '1m',
  startTime: 0,
  endTime: 1,
  txHash: `0x${'0'.repeat(64)}`,
  height: 1,
  symbol: 'BTC',
  seriesSlug: 'series',
  envelope: { action: { type: 'cancelAll' }, nonce: 1, signature: { r: '0x1', s: '0x1', v: 27 } },
  action: { type: 'cancelAll' },
  usd: '5000000',
  deadline: '1',
  signature: { r: '0x1', s: '0x1', v: 27 },
};

describe('the examples in the guides are correct', () => {
  const world = aVenue([...FIXED_PRICE_FLAGS, '--faucet-usdc', '500000']);

  test('docs/trade/margin.md: the venue returns the numbers in the example', async () => {
    const alice = await world.trader('alice');
    const bob = await world.trader('bob');
    const market = world.sol;
    const sell = (price: string, size: string, tif = 'Gtc') =>
      order({ market, side: 'sell', price, size, tif });
    const buy = (price: string, size: string) => order({ market, side: 'buy', price, size });
    const steps = page('trade/margin.md').split(/^## (?=\d\. )/m);

    await bob.place(sell('180.001', '4000.5'), sell('180.006', '4001.5'), sell('180.011', '3998'));
    await alice.place(buy('180.011', '12000'));
    expectShown(steps[1], await alice.state(), ['entryPx', 'totalMarginUsed', 'returnOnEquity']);
    expectShown(steps[1], await bob.state(), ['liquidationPx', 'cumFee'], { only: true });

    await alice.place(buy('170', '3000'));
    expectShown(steps[2], await alice.state(), ['withdrawable'], { only: true });
    const refused = await alice.place(buy('170', '20000'));
    expect(refused.json.details).toMatchObject({ required: '631530', available: '498955.980105' });
    expect(steps[2]).toContain('"required": "631530", "available": "498955.980105"');

    await bob.place(buy('181', '5000'));
    await alice.place(sell('181', '5000', 'Ioc'));
    expectShown(steps[3], await alice.state(), ['closedPnl', 'cumFee', 'entryPx']);

    await bob.place(buy('179', '10000'));
    await alice.place(sell('179', '10000'));
    expectShown(steps[4], await alice.state(), ['cumFee', 'entryPx', 'unrealizedPnl'], {
      except: ['crossMaintenanceMarginUsed'],
    });
  });

  test('docs/get-started/quickstart.md: its programs run and print the documented output', async () => {
    const blocks = [...page('get-started/quickstart.md').matchAll(/^```js\n([^]*?)^```$/gm)];
    const folder = await mkdtemp(join(tmpdir(), 'oddlot-guide-'));
    try {
      await symlink(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'));
      for (const [index, name] of ['lib.mjs', 'trade.mjs'].entries()) {
        await writeFile(join(folder, name), blocks[index]?.[1] ?? '');
      }
      const env = { ...process.env, ODDLOT_URL: world.venue.url };
      const { stdout } = await promisify(execFile)(NODE, ['trade.mjs'], { cwd: folder, env });
      const [maker, taker, again, receipt, position] = stdout.split('\n');
      expect(maker).toContain('"state":"open","filledSz":"0"');
      expect(taker).toContain('"state":"cancelled","filledSz":"0.001","avgPx":"97000"');
      expect(again?.replace('again', 'taker')).toBe(taker);
      expect(receipt).toMatch(/^receipt executed in block \d+$/);
      expect(position).toBe('position 0.001 499999.95635');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

const MARGIN_FIELDS = [
  'accountValue',
  'unrealizedPnl',
  'crossMaintenanceMarginUsed',
  'crossMarginRatio',
  'withdrawable',
  'liquidationPx',
];

/** Checks that the text has each of these fields of the answer in bold. */
function expectShown(
  text: string | undefined,
  state: Json,
  fields: readonly string[],
  options: { readonly only?: boolean; readonly except?: readonly string[] } = {},
): void {
  const bold = [...(text ?? '').matchAll(/\*\*([^*]+)\*\*/g)].map((match) =>
    (match[1] ?? '').replaceAll(',', '').replace('−', '-'),
  );
  const { position } = state.assetPositions[0];
  const answered = { ...position, ...state.marginSummary, ...state };
  const wanted = options.only === true ? fields : [...MARGIN_FIELDS, ...fields];
  for (const field of wanted.filter((name) => options.except?.includes(name) !== true)) {
    const value = String(answered[field]);
    const shown = field === 'cumFee' ? [value, value.replace('-', '')] : [value];
    expect(
      shown.some((each) => bold.includes(each)),
      `${field} is ${value}`,
    ).toBe(true);
  }
}
