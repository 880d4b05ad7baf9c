import { tmpdir } from 'node:os';
import { limitOrder, marketOrder, positionTpsl, type Candle } from '@oddlot/sdk';
import { describe, expect, test } from 'vitest';
import { backtestPage } from './backtest-page.ts';
import type { RecordedCandle, RecordedRow } from './recorded-row.ts';
import { replayMarket } from './replay-market.ts';
import type { Bot, BotStart, OutcomeInput, ReplayOptions } from './replay-options.ts';

const T0 = Date.parse('2025-03-01T00:00:00Z');
const HOUR_MS = 3_600_000;

/**
 * Returns hourly candles for prices given as `open high low close`, each with a volume of 400
 * coins.
 */
function hours(...prices: readonly string[]): readonly RecordedCandle[] {
  return prices.map((text, at) => {
    const [open = '', high = '', low = '', close = ''] = text.split(' ');
    const timeMs = T0 + at * HOUR_MS;
    return {
      kind: 'candle',
      timeMs,
      endMs: timeMs + HOUR_MS,
      open,
      high,
      low,
      close,
      volume: '400',
    };
  });
}

const IDLE: Bot = () => () => undefined;
const HOUR = '60000 60100 59900 60000';

async function take({ client, instrument }: BotStart, side: 'buy' | 'sell', size: string) {
  const order = await marketOrder(client, { instrument, side, size, slippagePercent: '1' });
  return client.exchange.order({ orders: [order] }, { confirm: 'executed' });
}

async function rest(
  { client, instrument }: BotStart,
  side: 'buy' | 'sell',
  price: string,
  size: string,
) {
  const order = limitOrder({ asset: instrument.id, side, price, size, tif: 'Gtc' });
  return client.exchange.order({ orders: [order] }, { confirm: 'executed' });
}

/** Returns a bot that acts only in its first turn. */
const once =
  (act: (start: BotStart) => Promise<unknown>): Bot =>
  (start) => {
    let isDone = false;
    return async () => {
      if (isDone) return;
      isDone = true;
      await act(start);
    };
  };

describe('replaying candles trades as the venue would', () => {
  test('the same recording, bot and seed produce the same report, and another seed takes another price path', async () => {
    const recording = hours(
      '60000 60900 59100 60500',
      '60500 61000 60000 60200',
      '60200 60300 59000 59500',
      '59500 60500 59400 60400',
    );
    // The bot has two orders. Whichever extreme is reached first fills one of them.
    const bot: Bot =
      (start) =>
      async ({ price }) => {
        await start.client.exchange.cancelAll(
          { asset: start.instrument.id },
          { confirm: 'executed' },
        );
        await rest(start, 'buy', String(Math.round(Number(price) * 0.995)), '0.02');
        await rest(start, 'sell', String(Math.round(Number(price) * 1.005)), '0.02');
      };
    const run = (seed: string) => replayMarket({ recording, bot, seed });
    const first = await run('one');
    expect(first.fills.length).toBeGreaterThan(0);
    expect(await run('one')).toEqual(first);
    const other = await run('two');
    const sides = ({ fills }: typeof first) =>
      fills.map(({ side, time }) => `${side} ${time}`).join();
    expect(sides(other)).not.toBe(sides(first));
  });

  test('a replay reproduces the recorded candles on the venue, and shows the bot no future rows', async () => {
    const recording = hours(HOUR, '60000 60500 59800 60300', '60300 60300 59000 59200');
    const seen: unknown[] = [];
    let candles: readonly Candle[] = [];
    const bot: Bot = ({ client, venue }) => {
      expect(venue.now).toBeLessThan(T0);
      return async ({ price, rows, timeMs }) => {
        seen.push([timeMs, price, rows]);
        candles = await client.info.candleSnapshot({
          coin: '1',
          interval: '1h',
          startTime: T0,
          endTime: timeMs - 1,
        });
      };
    };
    const report = await replayMarket({ recording, bot });
    expect(seen).toEqual(recording.map((row) => [row.endMs, row.close, [row]]));
    expect(candles.map(({ t, o, h, l, c }) => [t, o, h, l, c])).toEqual(
      recording.map(({ close, high, low, open, timeMs }) => [timeMs, open, high, low, close]),
    );
    expect(report).toMatchObject({ rows: 3, pnl: '0', fees: '0', fills: [], liquidations: [] });
  });

  test("a replay charges the venue's fees and funding, and reports the change in account value as the result", async () => {
    const recording = hours(...Array.from({ length: 6 }, () => HOUR));
    const report = await replayMarket({
      recording,
      bot: once((start) => take(start, 'buy', '0.1')),
    });
    // The best quote is 0.01% above the price.
    expect(report.fills).toMatchObject([{ px: '60006', sz: '0.1', side: 'B', tradeSide: 'Taker' }]);
    expect(report.fees).toBe('2.70027'); // The fee is 0.1 × 60,006 × 0.045%.
    expect(report.fundings).toHaveLength(5);
    expect(report.funding).toBe('-0.375'); // Five hours of funding cost 0.1 × 60,000 × 0.00125% each.
    expect(report.pnl).toBe('-3.67527'); // The result includes a loss of 0.6 for the distance to the quote.
    expect(report.endUsdc).toBe('9996.32473');
    expect(report.curve).toHaveLength(7);
    expect(report.curve.at(-1)).toEqual({
      timeMs: T0 + 6 * HOUR_MS,
      usdc: '9996.32473',
      price: '60000',
      position: '0.1',
    });
  });

  test('a bot can read its fills, follow them as a stream and restart the venue during a replay', async () => {
    const recording = hours(...Array.from({ length: 4 }, () => HOUR));
    const read: (readonly string[])[] = [];
    const streamed: string[] = [];
    const follow = async ({ account, client }: BotStart): Promise<void> => {
      for await (const event of client.streams.userFills({ user: account.address })) {
        if (event.type !== 'reset') streamed.push(...event.data.fills.map(({ sz }) => sz));
      }
    };
    const bot: Bot = (start) => {
      const { account, client, venue } = start;
      let turns = 0;
      return async () => {
        turns += 1;
        if (turns === 2) await venue.restart();
        if (turns === 3) void follow(start);
        await take(start, 'buy', `0.0${turns}`);
        read.push((await client.info.userFills({ user: account.address })).map(({ sz }) => sz));
        // Frames arrive after the response.
        await expect.poll(() => streamed.length).toBe(turns < 3 ? 0 : turns);
      };
    };
    const report = await replayMarket({ recording, bot });
    expect(report.fills.map(({ sz }) => sz)).toEqual(['0.01', '0.02', '0.03', '0.04']);
    expect(read).toEqual([
      ['0.01'],
      ['0.02', '0.01'],
      ['0.03', '0.02', '0.01'],
      ['0.04', '0.03', '0.02', '0.01'],
    ]);
    expect(streamed.toSorted()).toEqual(['0.01', '0.02', '0.03', '0.04']);
    expect(report.fundings.length).toBeGreaterThan(0);
  });

  test('a replay fills an order when the price trades through it, but not when it only touches it', async () => {
    const recording = hours(HOUR, '60000 60200 59900 60000', '60000 60200.1 59900 60000');
    const report = await replayMarket({
      recording,
      bot: once((start) => rest(start, 'sell', '60200', '0.05')),
    });
    expect(report.fills).toMatchObject([{ px: '60200', sz: '0.05', tradeSide: 'Maker' }]);
    expect(report.fills[0]!.time).toBeGreaterThan(T0 + 2 * HOUR_MS);
  });

  test('a replay fills at most the traded volume', async () => {
    const thin = {
      ...hours('60000 60300 59900 60100')[0]!,
      timeMs: T0 + HOUR_MS,
      endMs: T0 + 2 * HOUR_MS,
      volume: '0.04',
    };
    const recording = [...hours(HOUR), thin];
    const report = await replayMarket({
      recording,
      bot: once((start) => rest(start, 'sell', '60200', '0.05')),
    });
    expect(report.fills.map(({ sz }) => sz)).toEqual(['0.01']);
  });

  test('a replay triggers a stop at its price even within a long candle', async () => {
    const recording = hours(HOUR, '60000 60000 57000 57500');
    const bot = once(async (start) => {
      await take(start, 'buy', '0.1');
      const { id: asset } = start.instrument;
      const stopLoss = { triggerPrice: '59000' };
      const exit = positionTpsl({ asset, position: 'long', stopLoss });
      await start.client.exchange.order(exit, { confirm: 'executed' });
    });
    const report = await replayMarket({ recording, bot });
    const [, exit] = report.fills;
    expect(report.fills).toHaveLength(2);
    // The stop order executes at the quote below its trigger price.
    expect(Number(exit!.px)).toBeGreaterThan(58_950);
    expect(Number(exit!.px)).toBeLessThanOrEqual(59_000);
  });

  test('a replay liquidates an overleveraged account and includes the liquidation in the report', async () => {
    const recording = hours(HOUR, '60000 60000 57000 57500', '57500 57600 57400 57500');
    const report = await replayMarket({
      recording,
      bot: once((start) => take(start, 'buy', '0.3')),
      usdc: '1000',
    });
    expect(report.liquidations.length).toBeGreaterThan(0);
    expect(report.liquidations[0]).toMatchObject({ step: 'market', size: '0.3' });
    expect(Number(report.liquidations[0]!.mark)).toBeGreaterThan(57_000);
    expect(report.curve.at(-1)).toMatchObject({ position: '0' });
    expect(Number(report.endUsdc)).toBeLessThan(300);
    expect(report.drawdown.share).toBeGreaterThan(0.7);
    expect(report.drawdown.toMs).toBeLessThan(T0 + 2 * HOUR_MS);
  });
});

describe('replaying trades and books fills orders according to their queue position', () => {
  const trade = (ms: number, price: string, size: string, isBuy: boolean): RecordedRow => {
    return { kind: 'trade', timeMs: T0 + ms, price, size, isBuy };
  };

  test('a trade moves the price, prints on the tape, and fills the orders that the price passes', async () => {
    const recording = [
      trade(0, '60000', '0.1', true),
      trade(1_000, '60050', '0.3', true),
      trade(2_000, '60050.1', '0.02', true),
      trade(9_000, '60000', '0.2', false),
    ];
    let tape: readonly Candle[] = [];
    const bot: Bot = async (start) => {
      let turns = 0;
      return async () => {
        turns += 1;
        if (turns === 1) await rest(start, 'sell', '60050', '0.05');
        const { info } = start.client;
        tape = await info.candleSnapshot({ coin: '1', interval: '1m', startTime: T0 });
      };
    };
    const report = await replayMarket({ recording, bot });
    // While the bot's order is first at the price, the crowd does not trade. The second trade
    // therefore does not print, and the print for the third trade is the bot's fill.
    expect(tape).toMatchObject([
      { o: '60000', h: '60050', l: '60000', c: '60000', v: '0.32', n: 3 },
    ]);
    expect(report.fills).toMatchObject([{ px: '60050', sz: '0.02', time: T0 + 2_000 }]);
  });

  test('an order waits behind earlier orders, and advances as those fill or are cancelled', async () => {
    const book = (ms: number, bid: string, ask: string): RecordedRow => ({
      kind: 'book',
      timeMs: T0 + ms,
      bids: [
        { price: '60000', size: bid },
        { price: '59990', size: '5' },
      ],
      asks: [{ price: '60010', size: ask }],
    });
    const recording = [
      book(0, '2', '1'),
      trade(1_000, '60000', '0.5', false), // This trade fills 0.5 of the 2 ahead of the bot's order.
      book(2_000, '1', '1'), // An order of 0.5 ahead is cancelled.
      book(3_000, '3', '1'), // Orders of 2 arrive behind the bot's order.
      trade(4_000, '60000', '1.25', false), // This trade fills the 1 ahead, and 0.25 of the bot's order.
    ];
    const report = await replayMarket({
      recording,
      bot: once((start) => rest(start, 'buy', '60000', '0.4')),
      usdc: '100000',
    });
    expect(report.fills).toMatchObject([
      { px: '60000', sz: '0.25', time: T0 + 4_000, tradeSide: 'Maker' },
    ]);
  });

  test('an order fills when a recorded book moves past its price', async () => {
    const side = (price: string) => [{ price, size: '1' }];
    const recording: readonly RecordedRow[] = [
      { kind: 'book', timeMs: T0, bids: side('60000'), asks: side('60010') },
      { kind: 'book', timeMs: T0 + 1_000, bids: side('60100'), asks: side('60110') },
    ];
    const report = await replayMarket({
      recording,
      bot: once((start) => rest(start, 'sell', '60005', '0.1')),
    });
    expect(report.fills).toMatchObject([{ px: '60005', sz: '0.1', side: 'A' }]);
  });

  test("a replay pays funding on the recorded book's premium over the recorded oracle price", async () => {
    const levels = (price: string) => [{ price, size: '10' }];
    const recording: readonly RecordedRow[] = [
      { kind: 'oracle', timeMs: T0, price: '60000' },
      { kind: 'book', timeMs: T0, bids: levels('60100'), asks: levels('60110') },
      { kind: 'oracle', timeMs: T0 + HOUR_MS + 1, price: '60000' },
    ];
    let isHeld = false;
    const bot: Bot =
      (start) =>
      async ({ rows }) => {
        if (isHeld || rows.every(({ kind }) => kind !== 'book')) return;
        isHeld = true;
        await take(start, 'sell', '0.1');
      };
    const report = await replayMarket({ recording, bot });
    const [row] = report.fundings;
    // The premium is 100 on 60,000. It is reduced by 0.05% and divided by eight. For the first
    // minutes, until the mark has caught up, it is lower.
    const full = (100 / 60_000 - 0.0005) / 8;
    expect(Number(row!.rate)).toBeLessThan(full);
    expect(Number(row!.rate)).toBeGreaterThan(0.9 * full);
    expect(Number(row!.usdc)).toBeGreaterThan(0);
  });

  test('a bot called at intervals receives all rows since its last turn', async () => {
    const recording = [0, 10, 20, 70, 200].map((s) => trade(s * 1_000, '60000', '0.1', true));
    const turns: (readonly [number, number])[] = [];
    const bot: Bot =
      () =>
      ({ rows, timeMs }) =>
        turns.push([(timeMs - T0) / 1_000, rows.length]);
    await replayMarket({ recording, bot, every: '1m' });
    expect(turns).toEqual([
      [60, 3],
      [120, 1],
      [180, 0],
      [200, 1],
    ]);
  });
});

describe("a replay's report is self-contained", () => {
  test('the report page loads no resources, runs no scripts and escapes its text', async () => {
    const seed = '<script>alert("1 & \'2\'")</script>';
    const bot = once((start) => take(start, 'buy', '0.1'));
    const page = backtestPage(await replayMarket({ recording: hours(HOUR, HOUR), bot, seed }));
    expect(page).toContain('&lt;script&gt;alert(&quot;1 &amp; &#39;2&#39;&quot;)&lt;/script&gt;');
    expect(page).not.toMatch(/<script|<link|<img|src=|href=|url\(/);
    expect(page).toContain("default-src 'none'");
    expect(page).toContain('BTC-USDC, 2025-03-01 to 2025-03-01');
    expect(page).toContain('<td>60006</td>');
    expect(page).not.toContain('NaN');
  });

  test.each([
    ['no rows', { recording: [] }, 'the recording has no rows'],
    [
      'an unknown market',
      { recording: hours(HOUR), market: 'DOGE' },
      'Unknown perp "DOGE". Use one of BTC-USDC, ETH-USDC, SOL-USDC',
    ],
    [
      'turns after no time',
      { recording: hours(HOUR), every: 0 },
      'The interval of the bot must be above zero',
    ],
    [
      'candles and other rows',
      {
        recording: [...hours(HOUR), { kind: 'oracle', timeMs: T0 + HOUR_MS, price: '1' } as const],
      },
      'a recording cannot mix candles with other rows',
    ],
    [
      'a row that a program made, with no price',
      { recording: [...hours(HOUR), { ...hours(HOUR)[0]!, timeMs: T0 + 1, low: 'NaN' }] },
      'row 2: "NaN" is not a valid low. Use a decimal number above zero',
    ],
    [
      'a row whose time goes back',
      { recording: hours(HOUR, HOUR).toReversed() },
      'row 2: its time 2025-03-01T00:00:00.000Z is before that of the previous row',
    ],
  ])('a replay rejects %s with one sentence', async (_, options, sentence) => {
    await expect(replayMarket({ bot: IDLE, ...options })).rejects.toThrow(sentence);
  });

  test.each<[string, Partial<ReplayOptions>, string]>([
    ['a page in no folder', { page: '/nowhere/at/all.html' }, '/nowhere/at/all.html: ENOENT'],
    ['a page that is a folder', { page: tmpdir() }, `to ${tmpdir()}: it is a folder`],
    ['levels', { quotes: { levels: -1 } }, 'quotes.levels must be a whole number from zero: -1'],
    ['a gap', { quotes: { gap: 'x' as never } }, 'quotes.gap must be a number above zero: x'],
    ['a share', { quotes: { share: 0 } }, 'quotes.share must be a number above zero: 0'],
    [
      'no fraction',
      { outcome: {} as OutcomeInput },
      'outcome.settlementFraction is missing. Use the payout of a YES share',
    ],
    [
      'a fraction above 1',
      { outcome: { settlementFraction: '1.01' } },
      'outcome.settlementFraction is "1.01". Use the payout of a YES share',
    ],
    [
      'a fraction below 0',
      { outcome: { settlementFraction: '-0.1' } },
      'outcome.settlementFraction is "-0.1". Use the payout of a YES share',
    ],
    [
      'a fraction finer than the market',
      { outcome: { settlementFraction: '0.33333' } },
      'outcome.settlementFraction is "0.33333", but this market has at most 4 decimals',
    ],
  ])('rejects %s before the bot is called', async (_, options, sentence) => {
    let isAsked = false;
    const bot: Bot = () => {
      isAsked = true;
      return () => undefined;
    };
    const replayed = replayMarket({ bot, recording: hours(HOUR), ...options });
    await expect(replayed).rejects.toThrow(sentence);
    expect(isAsked).toBe(false);
  });

  test('an error thrown by the bot ends the replay and is passed to the caller', async () => {
    const bot: Bot = () => () => {
      throw new Error('no idea what to do');
    };
    await expect(replayMarket({ bot, recording: hours(HOUR) })).rejects.toThrow(
      'no idea what to do',
    );
  });
});
