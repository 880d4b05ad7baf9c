import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buyNo, buyYes, type OrderEntry } from '@oddlot/sdk';
import { describe, expect, test } from 'vitest';
import { backtestPage } from './backtest-page.ts';
import type { RecordedCandle, RecordedRow } from './recorded-row.ts';
import { replayMarket } from './replay-market.ts';
import type { Bot, BotStart, OutcomeInput } from './replay-options.ts';

const T0 = Date.parse('2025-03-01T00:00:00Z');
const HOUR_MS = 3_600_000;
const DELAY_MS = 250;

/**
 * Returns hourly candles for prices given as `open high low close`. Each has a volume of 40,000
 * shares, so each quote has 400 shares.
 */
function hours(...prices: readonly string[]): readonly RecordedCandle[] {
  return prices.map((text, at) => {
    const [open = '', high = '', low = '', close = ''] = text.split(' ');
    const timeMs = T0 + at * HOUR_MS;
    const ends = { timeMs, endMs: timeMs + HOUR_MS };
    return { kind: 'candle', ...ends, open, high, low, close, volume: '40000' };
  });
}

const trade = (ms: number, price: string, size: string, isBuy: boolean): RecordedRow => {
  return { kind: 'trade', timeMs: T0 + ms, price, size, isBuy };
};

/** Returns a bot that sends an order in its first turn. */
const once =
  (orderOf: (asset: number) => OrderEntry): Bot =>
  ({ client, instrument }: BotStart) => {
    let isDone = false;
    return async () => {
      if (isDone) return;
      isDone = true;
      await client.exchange.order({ orders: [orderOf(instrument.id)] }, { confirm: 'executed' });
    };
  };

const IDLE: Bot = () => () => undefined;
const HOUR = '0.4 0.4 0.4 0.4';
const YES = { settlementFraction: '1' };

describe('a replay of outcome market candles executes a delayed order', () => {
  test.each([
    ['1', '57.3067', '100'],
    ['0', '-42.6933', '0'],
    ['0.5', '7.3067', '50'],
  ])(
    'a buyer of YES receives %s a share, less the cost and the taker fee',
    async (settlementFraction, pnl, paid) => {
      const report = await replayMarket({
        recording: hours(HOUR, HOUR),
        bot: once((asset) => buyYes({ asset, price: '0.45', size: '100' })),
        outcome: { settlementFraction },
      });
      const [fill] = report.fills;
      // The best quote is one tick away, and the market delays the order.
      expect(fill).toMatchObject({ px: '0.41', sz: '100', tradeSide: 'Taker' });
      expect(fill!.time).toBe(T0 + HOUR_MS + DELAY_MS);
      expect(report.fees).toBe('1.6933'); // The fee is 0.07 × 100 × 0.41 × 0.59.
      expect(report.pnl).toBe(pnl);
      expect(report.settlement).toEqual({ fraction: settlementFraction, usdc: paid });
      expect(report.curve.at(-2)).toMatchObject({ price: '0.4', position: '100' });
      expect(report.curve.at(-1)).toMatchObject({ price: settlementFraction, position: '0' });
    },
  );

  test('an order that no longer crosses after its delay rests, and fills when the price trades through it', async () => {
    const report = await replayMarket({
      recording: hours(HOUR, '0.6 0.6 0.6 0.6', '0.6 0.6 0.44 0.5'),
      bot: once((asset) => buyYes({ asset, price: '0.45', size: '100' })),
      outcome: YES,
    });
    const [fill] = report.fills;
    expect(fill).toMatchObject({ px: '0.45', sz: '100', tradeSide: 'Maker' });
    expect(fill!.time).toBeGreaterThan(T0 + 2 * HOUR_MS);
    expect(report).toMatchObject({ fees: '0', pnl: '55' });
  });

  test('the same recording, bot and seed produce the same report, near both ends of the price range', async () => {
    const run = () =>
      replayMarket({
        recording: hours('0.02 0.03 0.01 0.01', '0.01 0.996 0.004 0.996'),
        bot: once((asset) => buyNo({ asset, price: '0.5', size: '50' })),
        outcome: { settlementFraction: '0.25', event: { slug: 'ends' }, slug: 'between-the-ends' },
      });
    const report = await run();
    expect(report.market).toBe('between-the-ends');
    expect(report.fills.length).toBeGreaterThan(0);
    expect(report.curve.some(({ position }) => position === '-50')).toBe(true);
    expect(await run()).toEqual(report);
  });
});

describe.each([0, DELAY_MS])(
  'a replay of outcome market trades and books with a delay of %i ms',
  (orderDelayMs) => {
    const outcome: OutcomeInput = { ...YES, orderDelayMs };

    test('a trade fills the orders it passes, at its time and up to its size', async () => {
      const report = await replayMarket({
        recording: [
          trade(0, '0.4', '20', true),
          trade(5_000, '0.45', '20', true),
          trade(10_000, '0.46', '30', true),
          trade(20_000, '0.4', '20', false),
        ],
        bot: once((asset) => buyNo({ asset, price: '0.55', size: '100' })),
        outcome,
      });
      const [fill, end] = report.fills;
      expect(fill).toMatchObject({ px: '0.55', sz: '30', fee: '0', tradeSide: 'Maker' });
      expect(fill!.time).toBe(T0 + 10_000);
      expect(report.fills).toHaveLength(2);
      expect(end).toMatchObject({ sz: '30' });
      expect(report.pnl).toBe('-16.5');
    });

    test('an order waits behind earlier orders, and advances as those fill or are cancelled', async () => {
      const book = (ms: number, bid: string): RecordedRow => ({
        kind: 'book',
        timeMs: T0 + ms,
        bids: [
          { price: '0.4', size: bid },
          { price: '0.39', size: '500' },
        ],
        asks: [{ price: '0.42', size: '100' }],
      });
      const report = await replayMarket({
        recording: [
          book(0, '200'),
          trade(1_000, '0.4', '50', false), // This trade fills 50 of the 200 ahead of the bot's order.
          book(2_000, '100'), // An order of 50 ahead is cancelled.
          book(3_000, '300'), // Orders of 200 arrive behind the bot's order.
          trade(4_000, '0.4', '125', false), // This trade fills the 100 ahead, and 25 of the bot's order.
        ],
        bot: once((asset) => buyYes({ asset, price: '0.4', size: '40' })),
        outcome,
      });
      const [fill] = report.fills;
      expect(fill).toMatchObject({ px: '0.4', sz: '25', tradeSide: 'Maker' });
      expect(fill!.time).toBe(T0 + 4_000);
      expect(report.pnl).toBe('15');
    });

    test('an order fills when a recorded book moves past its price', async () => {
      const side = (price: string) => [{ price, size: '100' }];
      const report = await replayMarket({
        recording: [
          { kind: 'book', timeMs: T0, bids: side('0.4'), asks: side('0.42') },
          { kind: 'book', timeMs: T0 + 1_000, bids: side('0.5'), asks: side('0.52') },
        ],
        bot: once((asset) => buyNo({ asset, price: '0.59', size: '10' })),
        outcome,
      });
      expect(report.fills[0]).toMatchObject({ px: '0.59', sz: '10', tradeSide: 'Maker' });
    });
  },
);

test('the page of a replayed outcome market shows the payout of a share', async () => {
  const bot = once((asset) => buyYes({ asset, price: '0.45', size: '100' }));
  const report = await replayMarket({ recording: hours(HOUR, HOUR), bot, outcome: YES });
  const page = backtestPage(report);
  expect(page).toContain('<dt>Payout per YES share</dt><dd>1 USDC</dd>');
  expect(page).toContain('<dt>Final payout</dt><dd>100 USDC</dd>');
  expect(page).toContain('Position, shares of YES');
});

test('a market with an end time settles at that time, and its shares are valued at the mark until then', async () => {
  const endTime = T0 + 3 * HOUR_MS;
  const report = await replayMarket({
    recording: hours(HOUR, '0.4 0.7 0.4 0.7'),
    bot: once((asset) => buyYes({ asset, price: '0.45', size: '100' })),
    outcome: { ...YES, endTime, takerFeeRate: '0' },
  });
  expect(report.toMs).toBe(endTime);
  expect(report.curve.at(-2)).toMatchObject({ usdc: '10029', position: '100' });
  expect(report.endUsdc).toBe('10059');
});

test.each<[string, Partial<Parameters<typeof replayMarket>[0]>, string]>([
  ['a perp as well', { market: 'BTC' }, 'Specify either a perp or an outcome market to replay'],
  [
    'a price above 1',
    { recording: hours('0.4 1.2 0.4 0.4') },
    'row 1: 1.2 is not a valid share price',
  ],
  [
    'prices of an oracle',
    { recording: [{ kind: 'oracle', timeMs: T0, price: '0.4' }] },
    'row 1: an outcome market has no oracle',
  ],
  [
    'rows after its end',
    { outcome: { ...YES, endTime: T0 + HOUR_MS / 2 } },
    'row 1: the recording continues after the end of the market',
  ],
])('rejects %s with a sentence', async (_, options, sentence) => {
  const asked = { bot: IDLE, recording: hours(HOUR), outcome: YES, ...options };
  await expect(replayMarket(asked)).rejects.toThrow(sentence);
});

test('a price above 1 in a recording file is rejected with its line number', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'oddlot-outcome-'));
  try {
    const path = join(folder, 'shares.csv');
    const lines = ['time,price,size,side', `${T0},0.4,10,buy`, `${T0 + 1},1.2,10,buy`];
    writeFileSync(path, lines.join('\n'));
    const replayed = replayMarket({ bot: IDLE, recording: path, outcome: YES });
    await expect(replayed).rejects.toThrow('shares.csv, line 3: 1.2 is not a valid share price');
    await expect(replayed).rejects.toMatchObject({ file: 'shares.csv', line: 3 });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
