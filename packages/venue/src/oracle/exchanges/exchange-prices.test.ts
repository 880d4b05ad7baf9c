import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createLogger } from '@oddlot/host/log';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { ExchangePrices } from './exchange-prices.ts';
import { ExchangeSetting } from './exchange-formats.ts';

/** A local server with the format of a real exchange. */

class TestExchange {
  readonly #server: WebSocketServer;
  readonly name: string;
  connections = 0;
  greetings: string[] = [];
  readonly #clients = new Set<WebSocket>();

  private constructor(name: string, server: WebSocketServer) {
    this.name = name;
    this.#server = server;
    server.on('connection', (client) => {
      this.connections += 1;
      this.#clients.add(client);
      client.on('message', (data: Buffer) => this.greetings.push(data.toString()));
      client.on('close', () => this.#clients.delete(client));
    });
  }

  static async listen(name: string): Promise<TestExchange> {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(server, 'listening');
    return new TestExchange(name, server);
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get isConnected(): boolean {
    return this.#clients.size > 0;
  }

  send(frame: unknown): void {
    const text = typeof frame === 'string' ? frame : JSON.stringify(frame);
    for (const client of this.#clients) client.send(text);
  }

  /** Sends a bid one cent below the price and an ask one cent above it. */
  price(symbol: string, price: number): void {
    const [bid, ask] = [price - 0.01, price + 0.01];
    const [b, a] = [bid.toFixed(2), ask.toFixed(2)];
    if (this.name === 'binance') {
      this.send({ stream: 'x', data: { s: `${symbol}USDT`, b, a } });
    } else if (this.name === 'coinbase') {
      this.send({ type: 'ticker', product_id: `${symbol}-USD`, best_bid: b, best_ask: a });
    } else {
      this.send({
        channel: 'ticker',
        type: 'update',
        data: [{ symbol: `${symbol}/USD`, bid, ask }],
      });
    }
  }

  drop(): void {
    for (const client of this.#clients) client.terminate();
  }

  async close(): Promise<void> {
    this.drop();
    const closed = once(this.#server, 'close');
    this.#server.close();
    await closed;
  }
}

const SILENT_MS = 10_000;
let [binance, coinbase, kraken]: TestExchange[] = [];
let exchanges: TestExchange[];
let feed: ExchangePrices;
let nowMs: number;
let lines: string[];
/** The symbols needed by markets. */
let needed: Set<string>;

beforeEach(async () => {
  nowMs = 1_800_000_000_000;
  lines = [];
  needed = new Set(['BTC', 'ETH']);
  exchanges = await Promise.all(['binance', 'coinbase', 'kraken'].map(TestExchange.listen));
  [binance, coinbase, kraken] = exchanges;
  const weights: Record<string, number> = { binance: 3, coinbase: 2, kraken: 2 };
  feed = new ExchangePrices({
    sources: exchanges.map(({ name, url }) =>
      ExchangeSetting.parse({ name, url, weight: weights[name] }),
    ),
    symbols: ['BTC', 'ETH'],
    sourcesMin: 2,
    outlierBps: 100,
    silentMs: SILENT_MS,
    retryMs: 1,
    clock: { nowMs: () => nowMs },
    random: () => 0.5,
    isNeeded: (symbol) => needed.has(symbol),
    log: createLogger({ level: 'debug', destination: { write: (line) => lines.push(line) } }),
  });
  feed.start();
  await vi.waitFor(() => expect(exchanges.every(({ isConnected }) => isConnected)).toBe(true), {
    timeout: 60_000,
  });
});

afterEach(async () => {
  feed.stop();
  await Promise.all(exchanges.map((exchange) => exchange.close()));
});

/** Returns the current prices as text, such as `BTC oracle 100`. */
const currentPrices = () =>
  feed.read(nowMs).map(({ priceE8, source, symbol }) => `${symbol} ${source} ${priceE8 / 1e8}`);
const expectPrices = (...expected: string[]) =>
  vi.waitFor(() => expect(currentPrices()).toEqual(expected), { timeout: 60_000 });

function quote(...pricesOfBtc: readonly number[]): void {
  for (const [index, price] of pricesOfBtc.entries()) exchanges[index]?.price('BTC', price);
}

test("the oracle price is the weighted median, and the spot price is the first exchange's", async () => {
  quote(100.5, 100.2, 100.4);
  // The sorted prices are 100.2 (weight 2), 100.4 (2) and 100.5 (3). Half of the total weight of 7
  // falls within the second.
  await expectPrices('BTC oracle 100.4', 'BTC spot 100.5');
  expect(feed.read(nowMs)[0]).toMatchObject({ observedMs: nowMs });
  binance?.price('ETH', 50);
  await expectPrices('BTC oracle 100.4', 'BTC spot 100.5', 'ETH spot 50');
});

test('a missing price is reported only while a market needs it', async () => {
  needed.delete('ETH');
  quote(100, 100, 100);
  await expectPrices('BTC oracle 100', 'BTC spot 100');
  const warnings = () => lines.filter((line) => line.includes('too few exchanges'));
  lines = [];
  feed.read(nowMs);
  expect(warnings()).toEqual([]);
  needed.add('ETH');
  feed.read(nowMs);
  feed.read(nowMs);
  expect(warnings()).toHaveLength(1);
});

test('each symbol has its own subscription', () => {
  expect(coinbase?.greetings).toHaveLength(2);
  expect(kraken?.greetings).toHaveLength(2);
});

test('an oracle price requires more than one exchange', async () => {
  coinbase?.price('BTC', 100);
  coinbase?.price('ETH', 50);
  kraken?.price('ETH', 50);
  await expectPrices('ETH oracle 50');
  const lost = lines.filter((line) => line.includes('too few exchanges agree'));
  expect(lost.map((line) => JSON.parse(line).symbol)).toContain('BTC');
});

describe('an exchange with an outlying price is excluded', () => {
  test('an outlier is excluded from the oracle price, and included again once it agrees', async () => {
    quote(100, 100.2, 150);
    await expectPrices('BTC oracle 100', 'BTC spot 100');
    kraken?.price('BTC', 100.1);
    await expectPrices('BTC oracle 100.1', 'BTC spot 100');
  });

  test('if the first exchange is an outlier, there is no spot price either', async () => {
    quote(150, 100.2, 100.4);
    await expectPrices('BTC oracle 100.3');
  });
});

describe('exchanges that send nothing', () => {
  test('a silent exchange is excluded and reconnected', async () => {
    quote(100, 100.2, 100.4);
    await expectPrices('BTC oracle 100.2', 'BTC spot 100');
    nowMs += SILENT_MS;
    for (const exchange of [coinbase, kraken]) exchange?.price('ETH', 50);
    await expectPrices('BTC oracle 100.2', 'BTC spot 100', 'ETH oracle 50');
    nowMs += 1;
    expect(currentPrices()).toEqual(['BTC oracle 100.3', 'ETH oracle 50']);
    await vi.waitFor(() => expect(binance?.connections).toBe(2), { timeout: 60_000 });
    expect([coinbase?.connections, kraken?.connections]).toEqual([1, 1]);
    await vi.waitFor(() => expect(binance?.isConnected).toBe(true), { timeout: 60_000 });
    binance?.price('BTC', 100);
    await expectPrices('BTC oracle 100.2', 'BTC spot 100', 'ETH oracle 50');
  });

  test('a connected exchange has no price for a symbol it sends no quotes for', async () => {
    quote(100, 100.2, 100.4);
    await expectPrices('BTC oracle 100.2', 'BTC spot 100');
    for (const price of [50, 51, 52]) {
      nowMs += SILENT_MS;
      for (const exchange of exchanges) exchange.price('ETH', price);
      const eth = [`ETH oracle ${price}`, `ETH spot ${price}`];
      await expectPrices('BTC oracle 100.2', 'BTC spot 100', ...eth);
    }
    nowMs += 1;
    expect(currentPrices()).toEqual(['ETH oracle 52', 'ETH spot 52']);
  });
});

test('a lost connection is re-established, and its prices are discarded in the meantime', async () => {
  quote(100, 100.2, 100.4);
  await expectPrices('BTC oracle 100.2', 'BTC spot 100');
  kraken?.drop();
  await expectPrices('BTC oracle 100', 'BTC spot 100');
  await vi.waitFor(() => expect(kraken?.connections).toBe(2), { timeout: 60_000 });
  await vi.waitFor(() => expect(kraken?.isConnected).toBe(true), { timeout: 60_000 });
  kraken?.price('BTC', 100.4);
  await expectPrices('BTC oracle 100.2', 'BTC spot 100');
});

test('invalid frames do not change prices', async () => {
  quote(100, 100.2, 100.4);
  await expectPrices('BTC oracle 100.2', 'BTC spot 100');
  for (const frame of ['', '{', '[]', 'null', '7', '"x"', '{"data":1}', '\u0000'])
    binance?.send(frame);
  binance?.send({ stream: 'x', data: { s: 'BTCUSDT', b: '1e9', a: '2e9' } });
  binance?.price('ETH', 50);
  await expectPrices('BTC oracle 100.2', 'BTC spot 100', 'ETH spot 50');
  expect(lines.filter((line) => line.includes('unknown frame skipped'))).toHaveLength(9);
  expect(binance?.connections).toBe(1);
});
