import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  ACTIONS,
  AGENT,
  DIRECT_STRUCTS,
  LIMITS,
  MESSAGES,
  NETWORKS,
  PAGE_LIMITS,
  SEND_MULTI_SIG,
  isDirectActionType,
  typeString,
  withMultiSigFields,
  type SignedBy,
} from '@oddlot/protocol';
import { DECIMAL_LENGTH_MAX } from '@oddlot/units';
import { LIMITS as ENGINE_LIMITS } from '../packages/engine/src/messages/limits.ts';
import { readConfig } from '../packages/venue/src/config.ts';
import { EXPORT_LIMITS, EXPORT_WORK } from '../packages/api/src/http/exports/export-endpoints.ts';
import { SHARES_MAX } from '../packages/api/src/http/history/builder-rows.ts';
import {
  HISTORY_PACE,
  LONG_MS,
  SERVER_MS_MAX,
} from '../packages/history/src/indexer/waiting-questions.ts';
import { SETTLED_KEPT_MS } from '../packages/translate/src/read-models/outcome-catalogue.ts';
import { LATE_MS_MAX } from '../packages/api/src/ws/channel-session.ts';
import { STALLED_MS } from '../packages/api/src/ws/replays.ts';
import { WS_LIMITS } from '../packages/api/src/ws-limits.ts';
import { defaultParameters } from '../packages/replica/src/genesis-commands.ts';
import { BLOCK_WAIT_MS } from '../packages/history/src/indexer/indexer.ts';
import { PACE } from '../packages/host/src/ports/fair-queue.ts';
import { aVenue } from './support/actors.ts';
import { FIXED_PRICE_FLAGS, REPOSITORY } from './support/venue-process.ts';

/**
 * Compares the tables in the reference with the code: action signatures, limits, settings and
 * metrics.
 */

const page = (path: string): string => readFileSync(join(REPOSITORY, 'docs', path), 'utf8');
const PAGES = readdirSync(join(REPOSITORY, 'docs'), { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.md'),
);

/** Returns the cells of all table rows in a text, without backquotes. */
const rowsOf = (text: string): string[][] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('|--'))
    .map((line) =>
      line
        .slice(2, line.lastIndexOf('|'))
        .split(' | ')
        .map((cell) => cell.replaceAll('`', '').trim()),
    );

const sectionOf = (text: string, title: string): string =>
  text.split(/^## /m).find((section) => section.startsWith(`${title}\n`)) ?? '';

describe('docs/reference/signing.md agrees with the code', () => {
  const text = page('reference/signing.md');

  test('signing.md gives the signer and the struct of every action', () => {
    const schemes: Record<SignedBy, string> = {
      agent: 'trading',
      direct: 'account',
      permissioned: "trading, by an operator's own key",
      multiSig: 'wrapper',
    };
    const expected = Object.entries(ACTIONS).map(([type, { signedBy }]) => {
      const struct = signedBy === 'multiSig' ? SEND_MULTI_SIG : AGENT;
      return [
        `[${type}](exchange.md#${type.toLowerCase()})`,
        schemes[signedBy],
        (isDirectActionType(type) ? DIRECT_STRUCTS[type] : struct).name,
      ];
    });
    expect(rowsOf(sectionOf(text, 'Every action')).slice(1)).toEqual(expected);
  });

  test('signing.md has exactly the structs that are hashed', () => {
    const direct = Object.values(DIRECT_STRUCTS);
    const structs = [AGENT, ...direct, SEND_MULTI_SIG];
    const listed = sectionOf(text, 'Structs').match(/^[A-Z]\w+\(.*\)$/gm);
    expect(listed).toEqual(structs.map((struct) => typeString(struct)));
    for (const [name, type] of withMultiSigFields(DIRECT_STRUCTS.tokenSend).fields.slice(3, 5)) {
      expect(text).toContain(`${type} ${name}`);
    }
  });

  test("signing.md has both networks' constants", () => {
    const rows = rowsOf(text);
    for (const [name, network] of Object.entries(NETWORKS)) {
      const { serviceNetwork, chainId, apiVersion } = network;
      expect(rows).toContainEqual([name, serviceNetwork, String(chainId), String(apiVersion)]);
    }
  });
});

describe('docs/reference/exchange.md agrees with the code', () => {
  const text = page('reference/exchange.md');

  test('exchange.md lists the account actions in the code', () => {
    const listed = /^\*\*Account actions\*\* \(([^)]+)\)/m.exec(text)?.[1] ?? '';
    expect(listed.replaceAll('`', '').split(', ')).toEqual(Object.keys(DIRECT_STRUCTS));
  });

  test('exchange.md has exactly the names of the replies', () => {
    const [, table = ''] = text.split('| Action | `data.type` |\n');
    const rows = rowsOf(table.split('\n\n')[0] ?? '');
    const listed = rows.flatMap(([types = '', name]) =>
      types.split(', ').map((type) => [type, name]),
    );
    // A reply names a wrapper's inner action. It names the wrapper itself only if there is no inner
    // action.
    const expected = Object.entries(ACTIONS).map(([type, { internalName, signedBy }]) =>
      signedBy === 'multiSig' ? [type, 'the type of the inner action'] : [type, internalName],
    );
    expect(listed.sort()).toEqual(expected.sort());
  });
});

test('docs/reference/errors.md marks exactly the messages that are not in use yet', () => {
  const names = readdirSync(join(REPOSITORY, 'packages')).filter(
    (name) => !['engine', 'web'].includes(name),
  );
  const folders = names.map((name) => join(REPOSITORY, 'packages', name, 'src'));
  const code = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => /(?<!\.test|messages)\.ts$/.test(path))
      .map((path) => readFileSync(join(folder, path), 'utf8')),
  );
  const isAnswered = (key: string): boolean => {
    const use = new RegExp(`(?:'|MESSAGES\\.)${key}\\b|, ${key}\\(`);
    return code.some((text) => use.test(text));
  };
  const expected = Object.entries(MESSAGES)
    .filter(([key]) => !isAnswered(key))
    .map(([, build]) => (build as (...blanks: string[]) => string)('<>', '<>'));
  const rows = page('reference/errors.md').matchAll(/^\| `([^`]+)` † \|/gm);
  const marked = [...rows].map(([, text = '']) => text.replaceAll(/<\w+>/g, '<>'));
  expect(marked.sort()).toEqual(expected.sort());
});

describe('docs/reference/limits.md agrees with the code', () => {
  const config = readConfig([], {});
  const parameters = defaultParameters('Any');
  const n = (value: number): string => value.toLocaleString('en-US');
  const seconds = (ms: number): string => `${ms / 1_000} s`;
  const days = (ms: number): string => `${ms / 86_400_000} days`;
  const percent = (e8: number): string => `${e8 / 1_000_000}%`;
  const usdc = (micro: number): string => `${n(micro / 1_000_000)} USDC`;
  const bytes = (count: number): string =>
    count % 2 ** 20 === 0 ? `${count / 2 ** 20} MiB` : `${count / 2 ** 10} KiB`;

  const rowsOfPage = ({ default: usual, max }: { default: number; max: number }): string[] => [
    `${n(usual)} by default, ${n(max)} at most`,
  ];
  /** Values that each limit's row must contain. The key is the beginning of the row. */
  const expected: Readonly<Record<string, readonly string[]>> = {
    '/info, /account-status': [`${config.infoPerSecond} a second`, 'infoPerSecond'],
    '/exchange': [`${config.exchangePerSecond} a second`, 'exchangePerSecond'],
    '[explainSignature]': [`${config.explainPerSecond} a second`, 'explainPerSecond'],
    '[simulate]': [`${config.simulatePerSecond} a second`, 'simulatePerSecond'],
    '/ws, /api-ws': [`${WS_LIMITS.connectionsMax} open connections`],
    'Request body': [bytes(LIMITS.bodyBytesMax), `${LIMITS.jsonDepthMax} levels`],
    'Operator action body': [bytes(LIMITS.permissionedBodyBytesMax)],
    'JSON under unknown keys': [`${n(LIMITS.unknownBytesMax)} bytes`],
    'Connections to the public port': [n(config.connectionsPerClient), n(config.connections)],
    'Request bodies in transfer': [n(config.bodiesPerClient), n(config.bodies)],
    'Body bytes of unanswered': [bytes(config.bodyBytesPerClient), bytes(config.bodyBytes)],
    'Requests in progress per connection': ['1'],
    'Requests of any kind': [`${PACE.perSecond} a second`, `${PACE.burst} at once`],
    'Time for which a client': [
      `${HISTORY_PACE.perSecond} ms a second`,
      `${HISTORY_PACE.burst} ms at once`,
    ],
    'Bytes of unread responses': [bytes(config.answerBytesPerClient), bytes(config.answerBytes)],
    'Bytes of unread frames': [bytes(config.unreadBytesPerSocket), bytes(config.unreadBytes)],
    'Work for queries': [
      `${config.workMsPerSecond} ms a second`,
      `${config.workMsBurst} ms at once`,
    ],
    'Orders in one action': [n(LIMITS.ordersMax)],
    'Cancels in one action': [n(LIMITS.cancelsMax)],
    'Live orders per account': [n(ENGINE_LIMITS.ordersPerAccount)],
    'Waiting triggers per account': [
      n(ENGINE_LIMITS.triggersPerAccount),
      n(ENGINE_LIMITS.triggersPerInstrument),
    ],
    'Triggers fired per block': [`${n(ENGINE_LIMITS.triggersPerBlock)};`],
    'Margin accounts liquidated per block': [`${n(ENGINE_LIMITS.liquidationsPerBlock)};`],
    'Agents per account': [n(ENGINE_LIMITS.agentsPerAccount)],
    'Label of an agent': [`${ENGINE_LIMITS.agentLabelLength} code points`],
    'Nonces kept per signer': [n(ENGINE_LIMITS.noncesPerSigner)],
    'Accepted nonces': [
      `T − ${days(ENGINE_LIMITS.nonceAgeMs)}`,
      `T + ${days(ENGINE_LIMITS.nonceAheadMs).replace(/^1 days/, '1 day')}`,
    ],
    'Order size, position size': [],
    'Order value': [usdc(parameters.minOrderValueMicroUsdc)],
    Price: [
      `${percent(parameters.oracleBandE8)} of the oracle`,
      `${percent(parameters.marketBandE8)} of the mark`,
    ],
    'Expiry of a Gtd order': [seconds(ENGINE_LIMITS.expiryAheadMs)],
    'Queue rank of an order': [seconds(ENGINE_LIMITS.amendRankMs)],
    'Duration of a reverse job': [seconds(parameters.reverseTimeoutMs)],
    'Age of an oracle price': [seconds(parameters.oracleStaleMs)],
    'Resting orders that one order': [n(ENGINE_LIMITS.matchesPerOrder)],
    'Decimal string': [`${DECIMAL_LENGTH_MAX} characters`],
    'Levels in an l2Book': [`${LIMITS.bookLevelsMax} per side`],
    'Settled events in memory': [days(SETTLED_KEPT_MS)],
    'Rows in userFills': rowsOfPage(PAGE_LIMITS.userFills),
    'Rows in historicalOrders, userNonFundingLedgerUpdates': [
      ...rowsOfPage(PAGE_LIMITS.historicalOrders),
      ...rowsOfPage(PAGE_LIMITS.userNonFundingLedgerUpdates),
    ],
    'Rows in userFundings': rowsOfPage(PAGE_LIMITS.userFundings),
    'Work that a history query': [`up to ${n(SERVER_MS_MAX)} ms per response`],
    'Rows that an offset can skip': [n(LIMITS.offsetMax)],
    'Rows in a page of builderMeEarned': [
      ...rowsOfPage(PAGE_LIMITS.builderMe),
      `row ${n(LIMITS.resultWindowMax)}`,
    ],
    'Items in builderMeShare': [n(SHARES_MAX)],
    'Rows in liquidations': rowsOfPage(PAGE_LIMITS.liquidations),
    'Trades in largestTrades': [n(PAGE_LIMITS.largestTrades.max)],
    'Rows in leaderboard': rowsOfPage(PAGE_LIMITS.leaderboard),
    'Rows in outcomeHolders': rowsOfPage(PAGE_LIMITS.outcomeHolders),
    'Hours in openInterestHistory': [n(LIMITS.openInterestHistoryMax)],
    'Rows in withdrawals': rowsOfPage(PAGE_LIMITS.withdrawals),
    'Rows in blocks': rowsOfPage(PAGE_LIMITS.blocks),
    'Rows in txs': rowsOfPage(PAGE_LIMITS.txs),
    'Points in a portfolio': [n(LIMITS.portfolioPointsMax)],
    'Concurrent exports': [
      `${EXPORT_LIMITS.perClientMax} per client, ${EXPORT_LIMITS.totalMax} in total`,
    ],
    'Work for exports': [`${EXPORT_WORK.msPerSecond} ms a second`],
    'Wait until the history': [seconds(BLOCK_WAIT_MS)],
    'Prices in one pushOracle': [],
    'Tiers in a margin table': [String(ENGINE_LIMITS.tiersMax)],
    Admins: [],
    Faucet: [`${n(config.faucetUsdc)} USDC`],
    'Wait for a reply': [seconds(config.confirmTimeoutMs)],
    Receipts: [days(config.receiptsKeptMs)],
    'Subscriptions per connection': [n(WS_LIMITS.subscriptionsMax)],
    'Streams with subscribers': [`${n(WS_LIMITS.streamsMax)} in total`],
    'Control frames per connection': [
      `${WS_LIMITS.framesPerSecond} a second`,
      `${WS_LIMITS.framesBurst} at once`,
    ],
    'Unanswered [posts]': [String(LIMITS.postsMax)],
    'A frame that you send': [bytes(WS_LIMITS.frameBytesMax)],
    'Time without a frame': [seconds(WS_LIMITS.idleMsMax)],
    'Unread data': [bytes(WS_LIMITS.bufferedBytesMax)],
    'Rows in a snapshot from the history': [n(LIMITS.snapshotRowsMax)],
    'Wait for a snapshot from the history': [seconds(LATE_MS_MAX)],
    'Frames kept for resume': [
      `${WS_LIMITS.retentionMsMax / 60_000} minutes`,
      `${n(WS_LIMITS.retainedFramesMax)} frames`,
    ],
    'Memory for kept frames': [bytes(WS_LIMITS.retainedBytesMax)],
    'Time for which a resume': [seconds(STALLED_MS)],
    'Update rate': [
      `every ${WS_LIMITS.bookIntervalMs} ms`,
      `every ${WS_LIMITS.contextIntervalMs} ms`,
    ],
  };
  const heads = new Set(['Surface', 'Resource', 'What']);
  const rows = rowsOf(page('reference/limits.md')).filter(([label]) => !heads.has(label ?? ''));

  test.each(rows.map((row) => [row[0] ?? '', row.slice(1).join(' | ')]))(
    '%s: limits.md gives the values %s',
    (label, described) => {
      const keys = Object.keys(expected).filter((start) => label.startsWith(start));
      // If two keys match, such as /exchange and a longer path, the longer key is used.
      const key = keys.sort((a, b) => b.length - a.length)[0];
      expect(key, 'a limit that no number of the code is compared with').toBeDefined();
      for (const words of expected[key ?? ''] ?? []) expect(described).toContain(words);
    },
  );

  test("the rules below the limits have the code's numbers", () => {
    const rules = page('reference/limits.md').replaceAll(/\s+/g, ' ');
    expect(rules).toContain(`Queries that take longer than ${LONG_MS} ms get only that tenth`);
    expect(rules).toContain(
      `Above ${n(config.connectionsPerClient)}, the oldest connection that has been idle`,
    );
    expect(rules).toContain(`Above ${n(WS_LIMITS.streamsMax)} streams`);
  });

  test('limits.md has a row for every limit being compared', () => {
    const lost = Object.keys(expected).filter(
      (start) => !rows.some(([label]) => label?.startsWith(start)),
    );
    expect(lost).toEqual([]);
  });

  test('every page gives the same retention period for receipts', () => {
    const described = PAGES.flatMap((path) =>
      page(path)
        .split('\n')
        .filter((line) => /receipt|actionStatus|waitForAction/i.test(line))
        .flatMap((line) => line.match(/\b\d+ days\b/g) ?? [])
        .map((words) => `${path}: ${words}`),
    );
    expect(described.length).toBeGreaterThan(2);
    const right = days(config.receiptsKeptMs);
    expect(described.filter((each) => !each.endsWith(`: ${right}`))).toEqual([]);
  });
});

describe('docs/operate/monitoring.md agrees with the metrics', () => {
  const text = page('operate/monitoring.md');
  const world = aVenue(FIXED_PRICE_FLAGS);

  test("every page names only metrics that exist, and monitoring.md names all the venue's metrics", async () => {
    const reply = await fetch(`${world.venue.operations}/metrics`);
    const served = [...(await reply.text()).matchAll(/^# TYPE (oddlot_\w+) /gm)].map(
      (match) => match[1] ?? '',
    );
    expect(served.length).toBeGreaterThan(10);
    for (const path of PAGES) {
      const named = page(path).match(/\boddlot_[a-z_]+\b/g) ?? [];
      // A cluster's metrics are compared with a replica's in tests/cluster.
      const missing = named.filter(
        (name) => !served.includes(name) && !name.startsWith('oddlot_cluster_'),
      );
      expect(missing, `${path} names metrics that do not exist`).toEqual([]);
    }
    const undocumented = served.filter((name) => !text.includes(`\`${name}`));
    expect(undocumented, 'metrics missing from the table').toEqual([]);
  });
});
