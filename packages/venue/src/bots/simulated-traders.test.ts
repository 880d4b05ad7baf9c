import { accountView, bookLevels, openOrders } from '@oddlot/engine';
import { NETWORKS } from '@oddlot/protocol';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { exchangeEndpoint } from '../edge/http/exchange.ts';
import { BTC, TestReplica } from '../edge/http/testing/replica.ts';
import { createRecoverer } from '../edge/recover-worker.ts';
import { createLogger } from '../operate/log.ts';
import { Receipts } from '../replica/receipts.ts';
import type { AppliedBlock } from '../replica/replica.ts';
import { perpLookup } from '../translate/action-to-command.ts';
import { SimulatedTraders } from './simulated-traders.ts';

/** The real endpoint and the real engine; only the log is left out. */

const network = NETWORKS.testnet;
const recoverer = await createRecoverer(network);

let replica: TestReplica;
let blocks: AppliedBlock[];
let lines: string[];
let bots: SimulatedTraders | undefined;

beforeEach(() => {
  replica = new TestReplica();
  blocks = [];
  lines = [];
  replica.onBlock((block) => blocks.push(block));
});
afterEach(async () => await bots?.stop());

async function start(): Promise<SimulatedTraders> {
  const now = () => replica.nowMs;
  const receipts = new Receipts({ perps: perpLookup(() => replica.state) });
  const pool = {
    recover: (text: string) => Promise.resolve(recoverer.recover(text, false)),
    hash: (text: string) => Promise.resolve(recoverer.recover(text, true)),
  };
  const exchange = exchangeEndpoint({ replica, receipts, pool, network, now });
  const log = createLogger({ level: 'debug', destination: { write: (line) => lines.push(line) } });
  let seed = 1;
  const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  bots = await SimulatedTraders.create({
    replica,
    exchange,
    now,
    network,
    random,
    log,
    everyMs: 1,
  });
  bots.start();
  return bots;
}

const trades = () =>
  blocks.flatMap(({ result }) => result.events.filter(({ type }) => type === 'tradeExecuted'));
const depth = (isBuy: boolean) => bookLevels(replica.state, BTC.instrumentId, isBuy, 50).length;
const accounts = () =>
  replica.state.accounts.slice(1).map(({ address }) => ({
    value: accountView(replica.state, address)?.total.accountValue ?? 0n,
    orders: openOrders(replica.state, address).length,
  }));

test('books are deep and the tape moves, by signed requests alone', async () => {
  await start();
  await vi.waitFor(() => expect(trades().length).toBeGreaterThan(3), 10_000);
  expect(depth(true)).toBeGreaterThanOrEqual(10);
  expect(depth(false)).toBeGreaterThanOrEqual(10);
  const orders = blocks.flatMap(({ commands }) =>
    commands.filter(({ command }) => command.type === 'placeOrders'),
  );
  expect(orders.length).toBeGreaterThan(0);
  for (const { request } of orders) expect(request).toContain('"signature"');
  expect(lines.join('')).toContain('simulated makers and takers trade on this venue');
});

test('quotes follow the price, and stand still with it', async () => {
  await start();
  await vi.waitFor(() => expect(depth(true)).toBeGreaterThanOrEqual(10), 10_000);
  replica.pushOracle(1100);
  await vi.waitFor(() => {
    const [best] = bookLevels(replica.state, BTC.instrumentId, true, 1);
    expect(best?.price).toBeGreaterThan(1080);
    expect(depth(true)).toBeGreaterThanOrEqual(10);
    expect(depth(false)).toBeGreaterThanOrEqual(10);
  }, 10_000);
  const [ask] = bookLevels(replica.state, BTC.instrumentId, false, 1);
  expect(ask?.price).toBeGreaterThan(1100);
});

test('a stop is clean, and a restart goes on with the same accounts and orders', async () => {
  const first = await start();
  await vi.waitFor(() => expect(trades().length).toBeGreaterThan(0), 10_000);
  await first.stop();
  const { proposed } = replica;
  const before = accounts();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(replica.proposed).toBe(proposed);
  expect(before).toHaveLength(4);

  replica.nowMs += 60_000;
  replica.pushOracle(1000);
  const credited = () =>
    blocks.filter(({ commands }) => commands[0]?.command.type === 'creditFaucet');
  const grants = credited().length;
  const second = await start();
  const seen = trades().length;
  await vi.waitFor(() => expect(trades().length).toBeGreaterThan(seen), 10_000);
  await second.stop();
  expect(accounts()).toHaveLength(4);
  expect(credited()).toHaveLength(grants);
  for (const { orders } of accounts()) expect(orders).toBeLessThanOrEqual(20);
});

test('a halted perp is left alone', async () => {
  replica.apply({ type: 'setPerp', instrumentId: BTC.instrumentId, halted: true, changes: {} });
  await start();
  await vi.waitFor(() => expect(replica.state.accounts.length).toBe(5), 10_000);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(depth(true)).toBe(0);
  expect(lines.filter((line) => line.includes('refused'))).toEqual([]);
});
