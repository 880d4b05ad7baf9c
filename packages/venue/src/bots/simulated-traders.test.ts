import { accountView, bookLevels, openOrders } from '@oddlot/engine';
import { createLogger } from '@oddlot/host/log';
import { NETWORKS } from '@oddlot/protocol';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { exchangeEndpoint } from '@oddlot/api/http/exchange-endpoint';
import { BTC, TestReplica } from '@oddlot/testing/venue/http/test-replica';
import { signed, testKey } from '@oddlot/testing/venue/http/client';
import { createRecoverer } from '@oddlot/api/recoverer';
import { localReader } from '@oddlot/testing/venue/http/local-reader';
import { Receipts } from '@oddlot/history/receipts';
import type { AppliedBlock } from '@oddlot/replica/block';
import { instrumentLookup } from '@oddlot/translate/action-to-command';
import { exhibitionCommands } from '../exhibition/exhibition.ts';
import { FairPaths } from '../exhibition/fair-paths.ts';
import { simulatedAccounts } from './simulated-accounts.ts';
import { SimulatedTraders } from './simulated-traders.ts';

const network = NETWORKS.testnet;
const paths = new FairPaths(Buffer.alloc(32, 1));
const makers = new Set(simulatedAccounts().slice(0, 2));
const recoverer = await createRecoverer(network);

let replica: TestReplica;
let blocks: AppliedBlock[];
let lines: string[];
let bots: SimulatedTraders | undefined;
let placed: number;

beforeEach(() => {
  replica = new TestReplica();
  blocks = [];
  lines = [];
  placed = 0;
  replica.onBlock((block) => blocks.push(block));
});
afterEach(async () => await bots?.stop());

async function start(): Promise<SimulatedTraders> {
  const now = () => replica.nowMs;
  const receipts = new Receipts({ instruments: instrumentLookup(() => replica.state) });
  const pool = localReader(recoverer);
  const exchange = exchangeEndpoint({ replica, receipts, pool, now });
  const log = createLogger({ level: 'debug', destination: { write: (line) => lines.push(line) } });
  let seed = 1;
  const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  bots = await SimulatedTraders.create({
    replica,
    exchange,
    now,
    network,
    priceE8: () => undefined,
    paths,
    random,
    log,
    everyMs: 1,
  });
  bots.start();
  return bots;
}

const trades = () =>
  blocks.flatMap(({ result }) =>
    result.events.flatMap((event) => (event.type === 'tradeExecuted' ? [event] : [])),
  );
const depth = (isBuy: boolean) => bookLevels(replica.state, BTC.instrumentId, isBuy, 50).length;
const accounts = () =>
  replica.state.accounts.slice(1).map(({ address }) => ({
    value: accountView(replica.state, address)?.total.accountValue ?? 0n,
    orders: openOrders(replica.state, address).length,
  }));

test('simulated traders fill the books and trade only through signed requests', async () => {
  await start();
  await vi.waitFor(() => expect(trades().length).toBeGreaterThan(3), { timeout: 60_000 });
  expect(depth(true)).toBeGreaterThanOrEqual(10);
  expect(depth(false)).toBeGreaterThanOrEqual(10);
  const orders = blocks.flatMap(({ commands }) =>
    commands.filter(({ command }) => command.type === 'placeOrders'),
  );
  expect(orders.length).toBeGreaterThan(0);
  for (const { request } of orders) expect(request).toContain('"signature"');
  expect(lines.join('')).toContain('simulated traders started');
});

test('quotes follow the price, and stay unchanged while it does', async () => {
  await start();
  await vi.waitFor(() => expect(depth(true)).toBeGreaterThanOrEqual(10), { timeout: 60_000 });
  replica.pushOracle(1100);
  await vi.waitFor(() => {
    const [best] = bookLevels(replica.state, BTC.instrumentId, true, 1);
    expect(best?.price).toBeGreaterThan(1080);
    expect(depth(true)).toBeGreaterThanOrEqual(10);
    expect(depth(false)).toBeGreaterThanOrEqual(10);
  }, 60_000);
  const [ask] = bookLevels(replica.state, BTC.instrumentId, false, 1);
  expect(ask?.price).toBeGreaterThan(1100);
});

test('quotes use a finer grid after a price has fallen to a thousandth', async () => {
  replica.pushOracle(10_000_000);
  await start();
  await vi.waitFor(() => expect(depth(true)).toBeGreaterThanOrEqual(10), { timeout: 60_000 });
  replica.pushOracle(10_000);
  await vi.waitFor(() => {
    for (const isBuy of [true, false]) {
      const [best] = bookLevels(replica.state, BTC.instrumentId, isBuy, 1);
      expect(Math.abs((best?.price ?? 0) / 10_000 - 1)).toBeLessThan(0.01);
      expect(depth(isBuy)).toBeGreaterThanOrEqual(10);
    }
  }, 60_000);
});

test('stopped traders leave no pending requests, and after a restart continue with the same accounts and orders', async () => {
  const first = await start();
  await vi.waitFor(() => expect(trades().length).toBeGreaterThan(0), { timeout: 60_000 });
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
  await vi.waitFor(() => expect(trades().length).toBeGreaterThan(seen), { timeout: 60_000 });
  await second.stop();
  expect(accounts()).toHaveLength(4);
  expect(credited()).toHaveLength(grants);
  for (const { orders } of accounts()) expect(orders).toBeLessThanOrEqual(20);
});

/** Places another client's orders through the public endpoint. */
async function place(orders: readonly object[], accountType: 'perp' | 'outcome'): Promise<void> {
  const key = testKey(90);
  // The clock of this replica does not advance, so each action needs a different nonce.
  placed += 1;
  if (placed === 1) replica.credit(key.address, 1_000_000, accountType);
  const receipts = new Receipts({ instruments: instrumentLookup(() => replica.state) });
  const pool = localReader(recoverer);
  const exchange = exchangeEndpoint({ replica, receipts, pool, now: () => replica.nowMs });
  const options = { key, nonce: replica.nowMs + placed, confirm: 'executed' } as const;
  const action = { type: 'order', grouping: 'na', orders };
  const { body } = await exchange.handleText({ text: signed(action, options), ip: 'test' });
  expect(JSON.parse(body)).toMatchObject({
    status: 'ok',
    data: { data: { statuses: ['success'] } },
  });
}

const resting = (isBuy: boolean, p: string, s: string, a: number = BTC.instrumentId) => ({
  a,
  b: isBuy,
  p,
  s,
  r: false,
  t: { limit: { tif: 'Gtc' } },
});

test.each([
  [true, '103'],
  [false, '97'],
])(
  'makers execute orders beyond their fair price and quote afterwards (bids: %s, at %s)',
  async (isBuy, p) => {
    // The orders are worth 100,000 USDC, more than the takers trade, at prices 3% beyond the oracle
    // price of 100.
    await place(
      Array.from({ length: 10 }, () => resting(isBuy, p, '100')),
      'perp',
    );
    await start();
    await vi.waitFor(() => {
      const [bid] = bookLevels(replica.state, BTC.instrumentId, true, 1);
      const [ask] = bookLevels(replica.state, BTC.instrumentId, false, 1);
      expect(bid?.price).toBeGreaterThan(990);
      expect(bid?.price).toBeLessThan(1000);
      expect(ask?.price).toBeGreaterThan(1000);
      expect(ask?.price).toBeLessThan(1010);
      expect(depth(true)).toBeGreaterThanOrEqual(10);
      expect(depth(false)).toBeGreaterThanOrEqual(10);
    }, 60_000);
    const fills = trades().filter(({ taker }) => makers.has(taker.account));
    expect(fills.length).toBeGreaterThan(0);
  },
);

test('makers stop filling orders at their inventory limit', async () => {
  // The bids are worth a million USDC, twice the combined limit of both makers.
  const bids = Array.from({ length: 50 }, () => resting(true, '103', '100'));
  await place(bids, 'perp');
  await place(bids, 'perp');
  await start();
  const sold = () =>
    [...makers].map((address) => {
      const [position] = accountView(replica.state, address)?.positions ?? [];
      return Number(position?.notional ?? 0n) / 1_000_000;
    });
  await vi.waitFor(() => expect(Math.min(...sold())).toBeGreaterThan(240_000), 60_000);
  const seen = trades().length;
  await vi.waitFor(() => expect(trades().length).toBeGreaterThan(seen + 2), 60_000);
  expect(Math.max(...sold())).toBeLessThan(270_000);
});

test('makers place no quotes on a halted perp', async () => {
  replica.apply({ type: 'setPerp', instrumentId: BTC.instrumentId, halted: true, changes: {} });
  await start();
  await vi.waitFor(() => expect(replica.state.accounts.length).toBe(5), { timeout: 60_000 });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(depth(true)).toBe(0);
  expect(lines.filter((line) => line.includes('refused'))).toEqual([]);
});

describe('simulated traders also trade on outcome markets', () => {
  const open = () =>
    [...replica.state.outcomes.markets.values()].filter(({ phase }) => phase === 'open');
  /**
   * Returns the markets whose fair value is far from 0 and 1, because close to these bounds not all
   * rungs fit in the book.
   */
  const undecided = () =>
    open().filter(({ definition }) => {
      const value = paths.valueOf(definition, replica.nowMs) ?? 0;
      return value > 0.1 && value < 0.9;
    });
  const shareTrades = () =>
    blocks.flatMap(({ result }) =>
      result.events.flatMap((event) => (event.type === 'outcomeTraded' ? [event] : [])),
    );
  const refusals = () => lines.filter((line) => line.includes('refused'));

  beforeEach(() => {
    replica.nowMs = Math.ceil(replica.nowMs / 10_800_000) * 10_800_000;
    replica.pushOracle(1000);
    const descriptionOf = (): undefined => undefined;
    const options = { nowMs: replica.nowMs, paths, descriptionOf, hasSeries: false };
    for (const command of exhibitionCommands(replica.state, options)) replica.apply(command);
  });

  test('simulated traders keep both sides of every book filled, and buy, sell, split and merge both outcomes', async () => {
    await start();
    await vi.waitFor(() => {
      expect(undecided().length).toBeGreaterThan(3);
      for (const { book } of undecided()) {
        expect(book.levels(true, 9).length).toBeGreaterThanOrEqual(3);
        expect(book.levels(false, 9).length).toBeGreaterThanOrEqual(3);
      }
      const takers = new Set(shareTrades().map(({ taker: { isSell, leg } }) => `${leg} ${isSell}`));
      expect(takers.size).toBe(4);
      const operated = blocks.flatMap(({ commands }) =>
        commands.flatMap(({ command }) =>
          command.type === 'operateOutcome' ? [command.kind] : [],
        ),
      );
      expect(new Set(operated).size).toBe(2);
    }, 60_000);
    const quoted = blocks.flatMap(({ commands }) =>
      commands.flatMap(({ command }) =>
        command.type === 'placeOrders'
          ? command.orders.filter(({ timeInForce }) => timeInForce === 'alo')
          : [],
      ),
    );
    const ids = new Set(open().map(({ definition }) => definition.instrumentId as number));
    const sizes = quoted.flatMap(({ instrumentId, size }) => (ids.has(instrumentId) ? [size] : []));
    // Without random factors, each of the six rungs would have only one size.
    expect(new Set(sizes).size).toBeGreaterThan(15);
    expect(refusals()).toEqual([]);
  });

  test.each([true, false])(
    'makers execute shares beyond their fair value, then quote (bids: %s)',
    async (isBid) => {
      const [market] = undecided();
      const { instrumentId } = market!.definition;
      // The order is a bid for YES or for NO; a bid for NO is an ask in YES prices. It is larger
      // than the takers' orders.
      await place([resting(isBid, '0.98', '3000', instrumentId)], 'outcome');
      await start();
      await vi.waitFor(() => {
        const { book, unit } = market!;
        const value = (paths.valueOf(market!.definition, replica.nowMs) ?? 0) * unit;
        expect(Math.abs(book.bestPrice(true) - value)).toBeLessThan(unit * 0.05);
        expect(Math.abs(book.bestPrice(false) - value)).toBeLessThan(unit * 0.05);
        expect(book.levels(true, 9).length).toBeGreaterThanOrEqual(3);
        expect(book.levels(false, 9).length).toBeGreaterThanOrEqual(3);
      }, 60_000);
      const takers = shareTrades().map(({ taker }) => taker.account);
      expect(takers.some((account) => makers.has(account))).toBe(true);
      expect(refusals()).toEqual([]);
    },
  );

  test('simulated traders withdraw from a closing market and keep trading in the others', async () => {
    await start();
    await vi.waitFor(() => expect(shareTrades().length).toBeGreaterThan(3), { timeout: 60_000 });
    replica.pass(12 * 60_000);
    replica.pushOracle(1000);
    const seen = shareTrades().length;
    await vi.waitFor(() => expect(shareTrades().length).toBeGreaterThan(seen + 3), {
      timeout: 60_000,
    });
    const closed = [...replica.state.outcomes.markets.values()].filter(
      ({ phase }) => phase === 'closed',
    );
    // These are the four markets of the derby that was about to end.
    expect(closed).toHaveLength(4);
    for (const { book } of closed) expect(book.levels(true, 9)).toEqual([]);
    expect(refusals()).toEqual([]);
  });
});
