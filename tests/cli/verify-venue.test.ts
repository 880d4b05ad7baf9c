import { createServer } from 'node:http';
import { freePorts, listen } from '@oddlot/testing/host';
import { limitOrder } from '@oddlot/sdk';
import { startVenue, type TestAccount, type TestVenue } from '@oddlot/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { runVerifyLiquidation } from '../../packages/cli/src/verify/run-verify-liquidation.ts';
import { runVerifyReceipt } from '../../packages/cli/src/verify/run-verify-receipt.ts';
import { runVerifyUrl } from '../../packages/cli/src/verify/run-verify-url.ts';
import type { LogEntry } from '../../packages/replica/src/block.ts';
import { BlockBuffer } from '../../packages/replica/src/log/block-codec.ts';
import { readLogPage } from '../../packages/replica/src/log/log-reader.ts';

/**
 * Goal: a venue's reports can be recomputed, and the check names each false answer. Method: use a
 * venue that serves its log and has liquidations both into the book and by deleveraging, and a
 * proxy that changes some of its answers.
 */

const BTC = 1;
const ETH = 2;
let venue: TestVenue;
let log = '';
let txHash = '';
/**
 * Accounts liquidated into the book (with a single position, an isolated one, and one of two), and
 * an account liquidated by a price gap.
 */
let alice: TestAccount;
let carol: TestAccount;
let dave: TestAccount;
let bob: TestAccount;
const liars: (() => void)[] = [];

beforeAll(async () => {
  const port = await freePorts(1);
  log = `http://127.0.0.1:${port}`;
  venue = await startVenue({ ports: true, flags: ['--serve-log', '--ops-port', String(port)] });
  await venue.fillBook('BTC-USDC');
  await venue.fillBook('ETH-USDC');
  alice = await venue.account('alice', { perp: '1200' });
  bob = await venue.account('bob', { perp: '1300' });
  carol = await venue.account('carol', { perp: '1200' });
  dave = await venue.account('dave', { perp: '1240' });
  txHash = await buy(alice, { asset: BTC, size: '0.2' });
  await buy(bob, { asset: BTC, size: '0.2' });
  await buy(carol, { asset: BTC, size: '0.2', marginMode: 'isolated' });
  await buy(dave, { asset: BTC, size: '0.2' });
  await buy(dave, { asset: ETH, size: '0.5' });
  await venue.setPrice('BTC', '92300');
  await venue.setPrice('BTC', '90000');
});
afterAll(async () => {
  await venue.stop();
});
afterEach(() => {
  for (const close of liars.splice(0)) close();
});

async function buy(
  { client }: TestAccount,
  order: { asset: number; size: string; marginMode?: 'isolated' },
): Promise<string> {
  const price = order.asset === BTC ? '98000' : '4000';
  const entry = limitOrder({ ...order, side: 'buy', price, tif: 'Ioc' });
  const reply = await client.exchange.order({ orders: [entry] }, { confirm: 'executed' });
  expect(reply).toMatchObject({ status: 'executed', orders: [{ state: 'filled' }] });
  return reply.txHash;
}

type Verify = (args: readonly string[], print: (line: string) => void) => Promise<number>;

async function run(verify: Verify, args: readonly string[]) {
  const lines: string[] = [];
  const code = await verify(args, (line) => lines.push(...line.split('\n')));
  return { code, lines, differing: lines.filter((line) => line.startsWith('DIFFER')) };
}

// oxlint-disable-next-line typescript/no-explicit-any
type Data = any;

/** Starts a proxy that changes the venue's answers to queries of these types. */
async function liar(types: readonly string[], change: (data: Data) => void): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += String(part);
    const answer = await fetch(venue.url + request.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const reply = (await answer.json()) as { data: Data };
    if (types.includes((JSON.parse(body) as { type: string }).type)) change(reply.data);
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(reply));
  });
  return lends(server);
}

/** Starts a proxy that changes blocks in the log. */
async function logLiar(change: (entries: LogEntry[], headers: Headers) => void): Promise<string> {
  const server = createServer(async (request, response) => {
    const answer = await fetch(log + request.url);
    const from = Number(new URL(request.url ?? '', log).searchParams.get('from'));
    const entries = [...readLogPage(Buffer.from(await answer.arrayBuffer()), from)];
    const headers = new Headers(answer.headers);
    change(entries, headers);
    headers.delete('content-length');
    response.writeHead(answer.status, Object.fromEntries(headers));
    response.end(Buffer.concat(entries.map(framed)));
  });
  return lends(server);
}

async function lends(server: ReturnType<typeof createServer>): Promise<string> {
  const url = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`;
  liars.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return url;
}

function framed({ commands, timeMs }: LogEntry): Buffer {
  const buffer = new BlockBuffer();
  buffer.writeBlock(commands);
  const header = Buffer.alloc(12);
  header.writeUInt32LE(buffer.length, 0);
  header.writeBigUInt64LE(BigInt(timeMs), 4);
  return Buffer.concat([header, buffer.bytes.subarray(0, buffer.length)]);
}

describe('receipts can be verified', () => {
  test('a receipt agrees with public data, and its result agrees with the log', async () => {
    const asked = await run(runVerifyReceipt, ['--url', venue.url, '--tx', txHash]);
    expect(asked).toMatchObject({ code: 0, differing: [] });
    expect(asked.lines).toContain(`agree   hash of the signed data: ${txHash}`);
    expect(asked.lines).toContain(`agree   signer: ${alice.address}`);
    expect(asked.lines.at(-1)).toMatch(/^unverified {2}the result: /);
    const byLog = await run(runVerifyReceipt, ['--url', venue.url, '--tx', txHash, '--log', log]);
    expect(byLog).toMatchObject({ code: 0, differing: [] });
    expect(byLog.lines.join('\n')).toMatch(
      /agree {3}result \(compared with the log\): .*"filledSz":"0.2"/,
    );
    const json = await run(runVerifyReceipt, ['--url', venue.url, '--tx', txHash, '--json']);
    expect(JSON.parse(json.lines[0]!)[0]).toMatchObject({ kind: 'agree' });
  });

  test("verifying a receipt needs the log if its block's hash does not follow from its requests", async () => {
    const url = await liar(['block'], (block) => (block.stateHash = `0x${'5e'.repeat(32)}`));
    const args = ['--url', url, '--tx', txHash];
    const asked = await run(runVerifyReceipt, args);
    expect(asked.code).toBe(0);
    expect(asked.lines.join('\n')).toMatch(/unverified {2}block hash: .* only the log/);
    const { code, differing } = await run(runVerifyReceipt, [...args, '--log', log]);
    expect(differing).toEqual([
      expect.stringContaining('state hash (compared with the log): venue 0x'),
    ]);
    expect(code).toBe(1);
  });

  test.each<[what: string, type: string, change: (data: Data) => void, differs: RegExp]>([
    ['another size', 'tx', (tx) => (tx.action.orders[0].s = '0.3'), /hash of the signed data/],
    ['another signer', 'tx', (tx) => (tx.signer = `0x${'5e'.repeat(20)}`), /signer/],
    [
      'another nonce',
      'actionStatus',
      (status) => status.nonce++,
      /nonce \(in receipt and explorer\): receipt \d+, explorer \d+/,
    ],
    [
      'another result',
      'actionStatus',
      ({ result }) => (result.orders[0].filledSz = '0.1'),
      /result \(in receipt and explorer\)/,
    ],
    [
      'a block without it',
      'block',
      (block) => (block.txs = []),
      /block \d+ does not contain request 0x/,
    ],
    ['another time', 'block', (block) => block.blockTime++, /block time/],
    [
      'another chain',
      'blocks',
      (rows) => (rows.at(-1).hash = `0x${'5e'.repeat(32)}`),
      /parent hash of block \d+: reported 0x\w+, but the hash of block/,
    ],
  ])('the check of a receipt detects %s', async (_, type, change, differs) => {
    const url = await liar([type], change);
    const { code, differing } = await run(runVerifyReceipt, ['--url', url, '--tx', txHash]);
    expect(differing.join('\n')).toMatch(differs);
    expect(code).toBe(1);
  });

  test('only the log reveals a result that is reported wrongly everywhere', async () => {
    const url = await liar(['tx', 'actionStatus'], ({ result }) => {
      result.orders[0].avgPx = '96000';
    });
    const args = ['--url', url, '--tx', txHash];
    expect(await run(runVerifyReceipt, args)).toMatchObject({ code: 0 });
    const found = await run(runVerifyReceipt, [...args, '--log', log]);
    expect(found.code).toBe(1);
    expect(found.differing).toEqual([
      expect.stringContaining('result (compared with the log): venue {'),
    ]);
  });
});

describe('liquidations can be verified', () => {
  test.each<[what: string, account: () => TestAccount, lines: readonly RegExp[]]>([
    [
      'of one position',
      () => alice,
      [
        /market: value of 0.2 BTC-USDC at \d+\.?\d*: /,
        /order \d+ sold at \S+, within the price limit of/,
      ],
    ],
    [
      'of an isolated position',
      () => carol,
      [/: maintenance margin of /, /fee \S+ of order \d+ is within the maximum of/],
    ],
    ['of one of two positions', () => dave, [/is within/, /not listed in the ledger row/]],
    ['by deleveraging', () => bob, [/adl: account value -/, /taken over at: 9\d+/]],
  ])('a liquidation %s agrees with public data and with the log', async (_, account, expected) => {
    const args = ['--url', venue.url, '--user', account().address];
    const asked = await run(runVerifyLiquidation, args);
    expect(asked).toMatchObject({ code: 0, differing: [] });
    for (const line of expected) expect(asked.lines.join('\n')).toMatch(line);
    const byLog = await run(runVerifyLiquidation, [...args, '--log', log]);
    expect(byLog).toMatchObject({ code: 0, differing: [] });
    expect(byLog.lines.join('\n')).toContain('agree   step 1 (compared with the log): ');
    expect(byLog.lines.join('\n')).toContain('agree   fill 1 (compared with the log): ');
  });

  test('a liquidation can be found by its time and by any of its fills', async () => {
    const [fill] = await alice.client.info.userFills({ user: alice.address });
    const args = ['--url', venue.url, '--user', alice.address];
    const newest = await run(runVerifyLiquidation, args);
    expect(await run(runVerifyLiquidation, [...args, '--tid', String(fill!.tid)])).toEqual(newest);
    expect(await run(runVerifyLiquidation, [...args, '--time', String(fill!.time)])).toEqual(
      newest,
    );
    const early = await run(runVerifyLiquidation, [...args, '--time', '1']);
    expect(early).toMatchObject({ code: 2, lines: [`${alice.address} was not liquidated at 1`] });
    const none = await run(runVerifyLiquidation, [...args, '--tid', '999999']);
    expect(none).toMatchObject({ code: 2, lines: [`${alice.address} has no fill 999999`] });
  });

  const step = (rows: Data): Data =>
    rows.find(({ delta }: Data) => delta.type === 'liquidation').delta;
  const LEDGER = 'userNonFundingLedgerUpdates';
  test.each<[what: string, type: string, change: (data: Data) => void, differs: RegExp]>([
    [
      'enough money',
      LEDGER,
      (rows) => (step(rows).accountValue = '500'),
      /should not have been liquid/,
    ],
    [
      'another mark',
      LEDGER,
      (rows) => (step(rows).markPx = '93000'),
      /above the account's totals of/,
    ],
    [
      'more maintenance',
      LEDGER,
      (rows) => (step(rows).maintenanceMargin = '300'),
      /maintenance margin of .*: reported 300, recomputed/,
    ],
    [
      'a worse price',
      'userFills',
      ([fill]) => (fill.px = '90000'),
      /order \d+ sold at 90000, below the price limit of/,
    ],
    [
      'a higher fee',
      'userFills',
      ([fill]) => (fill.fee = '100'),
      /fee 100 of order \d+ is above the maximum/,
    ],
  ])('the check of a liquidation detects %s', async (_, type, change, differs) => {
    const url = await liar([type], change);
    const args = ['--url', url, '--user', alice.address];
    const { code, differing } = await run(runVerifyLiquidation, args);
    expect(differing.join('\n')).toMatch(differs);
    expect(code).toBe(1);
  });

  test('only the log reveals a liquidation with a consistent but wrong mark', async () => {
    const url = await liar([LEDGER], (rows) => {
      const changed = step(rows);
      Object.assign(changed, {
        markPx: '92000',
        liquidatedNtlPos: '18400',
        maintenanceMargin: '184',
      });
    });
    const args = ['--url', url, '--user', alice.address];
    expect(await run(runVerifyLiquidation, args)).toMatchObject({ code: 0 });
    const found = await run(runVerifyLiquidation, [...args, '--log', log]);
    expect(found.code).toBe(1);
    expect(found.differing).toEqual([
      expect.stringContaining('step 1 (compared with the log): venue {'),
    ]);
  });
});

describe("a venue's log can be verified", () => {
  test("a venue's log is valid and matches the published blocks", async () => {
    const { height, hash } = venue.head;
    const { code, lines } = await run(runVerifyUrl, [log, '--venue', venue.url]);
    expect(lines[0]).toMatch(
      new RegExp(`^verified: \\d+ requests checked up to block ${height}, hash ${hash}$`),
    );
    expect(lines).toContain(`${height} blocks match the venue's explorer`);
    expect(code).toBe(0);
  });

  test('blocks before --from are applied without being checked against their requests', async () => {
    const to = venue.head.height - 2;
    const whole = await run(runVerifyUrl, [log, '--json', '--to', String(to)]);
    const part = await run(runVerifyUrl, [log, '--json', '--to', String(to), '--from', '7']);
    const [all, some] = [whole, part].map(({ lines }) => JSON.parse(lines[0]!));
    expect(some).toMatchObject({ height: to, hash: all.hash, finding: null });
    expect(some.counts.derived).toBeLessThan(all.counts.derived);
    expect(some.believed).toContain('blocks before block 7 (requests not checked): 6');
  });

  const isOrder = ({ command }: LogEntry['commands'][number]): boolean =>
    command.type === 'placeOrders';
  test.each<[what: string, change: (entries: LogEntry[], headers: Headers) => void, found: RegExp]>(
    [
      [
        'an order with other terms than those signed',
        (entries) => {
          const at = entries.findLastIndex(({ commands }) => commands.some(isOrder));
          const entry = entries[at]!;
          const commands = structuredClone(entry.commands) as Data;
          commands.find(isOrder).command.orders[0].size += 1;
          entries[at] = { ...entry, commands };
        },
        /^invalid {5}block \d+, command 0: the request asks for /,
      ],
      [
        'an order without anything that was signed',
        (entries) => {
          const at = entries.findLastIndex(({ commands }) => commands.some(isOrder));
          const entry = entries[at]!;
          entries[at] = { ...entry, commands: entry.commands.map(({ command }) => ({ command })) };
        },
        /^invalid {5}block \d+, command 0: placeOrders has no signed request/,
      ],
      [
        'another newest block',
        (_, headers) => headers.set('x-log-hash', `0x${'5e'.repeat(32)}`),
        /^invalid {5}block \d+: its hash is 0x[0-9a-f]{64} here, but the venue reports 0x5e5e/,
      ],
      [
        'withheld last blocks',
        (entries) => void entries.splice(entries[0]?.seq === 1 ? 5 : 0),
        /^invalid {5}block 6: the venue reports a log up to block \d+, but returned no entries starting with this block/,
      ],
      [
        'a time that goes back',
        (entries) => (entries[8] = { ...entries[8]!, timeMs: entries[7]!.timeMs - 1 }),
        /^invalid {5}block 9: its time is earlier/,
      ],
    ],
  )('a log with %s is invalid', async (_, change, found) => {
    const url = await logLiar(change);
    const { code, lines } = await run(runVerifyUrl, [url]);
    expect(lines[0]).toMatch(/^NOT VALID: /);
    expect(lines[1]).toMatch(found);
    expect(code).toBe(1);
  });

  test('the check names the first block in which the log differs from the published blocks', async () => {
    const url = await liar(['blocks'], (rows) => {
      for (const row of rows) if (row.height >= 4) row.stateHash = `0x${'5e'.repeat(32)}`;
    });
    const { code, lines } = await run(runVerifyUrl, [log, '--venue', url]);
    expect(lines[1]).toMatch(/^invalid {5}block 4: its state is 0x.* but the venue reports/);
    expect(code).toBe(1);
  });

  test('a log with a different name or a different first block is invalid', async () => {
    const named = await run(runVerifyUrl, [log, '--network', 'example.org-3fa9c1d2']);
    expect(named.lines[1]).toMatch(
      /^invalid {5}block \d+, command 0: the log records the signer 0x/,
    );
    const pinned = await run(runVerifyUrl, [log, '--genesis', `0x${'5e'.repeat(32)}`]);
    expect(pinned.lines[1]).toMatch(/^invalid {5}block 1: its hash is .* \(genesis\)$/);
    const former = ['--network', 'example.org-3fa9c1d2', '--former-name', 'Oddlot-Testnet'];
    expect(await run(runVerifyUrl, [log, ...former])).toMatchObject({ code: 0 });
  });
});

const NOWHERE = 'http://127.0.0.1:1';
test.each<
  [what: string, verify: Verify, args: () => readonly string[], code: number, pattern: RegExp]
>([
  ['no hash', runVerifyReceipt, () => [], 2, /^usage: /],
  ['half a hash', runVerifyReceipt, () => ['--tx', '0x12'], 2, /^usage: /],
  ['an unknown option', runVerifyReceipt, () => ['--moon'], 2, /^Unknown option '--moon'/],
  [
    'a hash that the venue never saw',
    runVerifyReceipt,
    () => ['--url', venue.url, '--tx', `0x${'5e'.repeat(32)}`],
    2,
    /^Transaction not found/,
  ],
  ['no server', runVerifyReceipt, () => ['--url', NOWHERE, '--tx', txHash], 4, /^No response/],
  [
    'no log at the URL',
    runVerifyReceipt,
    () => ['--url', venue.url, '--tx', txHash, '--log', venue.url],
    2,
    /^Cannot read the log at .*: HTTP 40[45].* \(start the venue with --serve-log/,
  ],
  ['no account', runVerifyLiquidation, () => [], 2, /^usage: /],
  [
    'an invalid time',
    runVerifyLiquidation,
    () => ['--user', alice.address, '--time', 'noon'],
    2,
    /^Invalid --time "noon"/,
  ],
  [
    'an account that was not liquidated',
    runVerifyLiquidation,
    () => ['--url', venue.url, '--user', venue.admin.address],
    2,
    /was not liquidated$/,
  ],
  [
    'an invalid URL',
    runVerifyUrl,
    () => ['http:'],
    2,
    /^Invalid URL "http:"\. Use an http or https URL\.$/,
  ],
  ['no server with a log', runVerifyUrl, () => [NOWHERE], 4, /^No response from /],
  ['a port without a log', runVerifyUrl, () => [venue.url], 2, /^Cannot read the log at .*: HTTP/],
  ['a block beyond the end', runVerifyUrl, () => [log, '--to', '999999'], 2, /^the log ends at/],
  ['no block at all', runVerifyUrl, () => [log, '--from', '0'], 2, /Use a whole number above zero/],
])('%s is reported in one line, with its own exit code', async (_, verify, args, code, pattern) => {
  const ended = await run(verify, args());
  expect(ended.lines).toEqual([expect.stringMatching(pattern)]);
  expect(ended.code).toBe(code);
});
