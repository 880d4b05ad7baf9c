import { expect, test } from 'vitest';
import type { AppliedBlock } from '@oddlot/replica/block';
import { type CandleInterval, startAfter, startOf } from './candle-interval.ts';
import { type CandleRow, Candles } from './candles.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const ID = 1;
const WEDNESDAY = Date.UTC(2026, 6, 15);

function trade(candles: Candles, timeMs: number, price?: number, size = 1): void {
  const type = 'tradeExecuted';
  const events = price === undefined ? [] : [{ type, instrumentId: ID, price, size }];
  candles.onBlock({ timeMs, result: { events } } as unknown as AppliedBlock);
}

const closes = (candles: Candles, interval: CandleInterval, fromMs = 0, toMs = Infinity) =>
  candles.snapshot(ID, interval, fromMs, toMs).map(({ close }) => close);

test.each<[CandleInterval, string, string]>([
  ['1m', '2026-07-15T12:34:00Z', '2026-07-15T12:35:00Z'],
  ['4h', '2026-07-15T12:00:00Z', '2026-07-15T16:00:00Z'],
  ['1d', '2026-07-15T00:00:00Z', '2026-07-16T00:00:00Z'],
  ['1w', '2026-07-13T00:00:00Z', '2026-07-20T00:00:00Z'],
  ['1M', '2026-07-01T00:00:00Z', '2026-08-01T00:00:00Z'],
])('a candle of %s starts at %s', (interval, start, next) => {
  const startMs = startOf(interval, Date.parse('2026-07-15T12:34:56Z'));
  expect(startMs).toBe(Date.parse(start));
  expect(startAfter(interval, startMs)).toBe(Date.parse(next));
});

test('candles of all intervals are built from the same trades', () => {
  const candles = new Candles();
  // There is one trade per minute for two hours, at prices from 1 to 120.
  for (let at = 0; at < 120; at++) trade(candles, WEDNESDAY + at * MINUTE_MS, at + 1, 2);
  const bars = (interval: CandleInterval) =>
    candles
      .snapshot(ID, interval, 0, Infinity)
      .map(({ open, high, low, close, lots, trades }) => [open, high, low, close, lots, trades]);
  expect(bars('1m')).toHaveLength(120);
  expect(bars('3m')[1]).toEqual([4, 6, 4, 6, 6, 3]);
  expect(bars('1h')).toEqual([
    [1, 60, 1, 60, 120, 60],
    [61, 120, 61, 120, 120, 60],
  ]);
  for (const interval of ['4h', '1d', '1w', '1M'] as const) {
    expect(bars(interval)).toEqual([[1, 120, 1, 120, 240, 120]]);
  }
});

test('candles of mark and oracle prices follow those prices, without trades or sizes', () => {
  const marks = new Candles('mark');
  const oracles = new Candles('oracle');
  const update = (second: number, mark: number, oracle: number): void => {
    const events = [{ type: 'markUpdated', instrumentId: ID, mark, oracle }];
    const block = { timeMs: WEDNESDAY + second * 1_000, result: { events } };
    for (const each of [marks, oracles]) each.onBlock(block as unknown as AppliedBlock);
  };
  for (const each of [marks, oracles]) trade(each, WEDNESDAY, 999);
  expect(marks.running(ID, '1m')).toBeUndefined();
  update(1, 50, 70);
  update(2, 55, 60);
  update(3, 52, 65);
  expect(marks.running(ID, '1m')).toMatchObject({
    open: 50,
    high: 55,
    low: 50,
    close: 52,
    lots: 0,
  });
  expect(oracles.running(ID, '1m')).toMatchObject({ open: 70, high: 70, low: 60, close: 65 });
  const again = new Candles('mark');
  again.restore(JSON.parse(JSON.stringify(marks.dump())));
  expect(again.running(ID, '1h')).toEqual(marks.running(ID, '1h'));
  expect(new Set([new Candles().name, marks.name, oracles.name]).size).toBe(3);
});

test('a candle without trades repeats the last close until its first trade', () => {
  const candles = new Candles();
  expect(candles.running(ID, '1m')).toBeUndefined();
  trade(candles, WEDNESDAY, 5);
  trade(candles, WEDNESDAY + 10 * MINUTE_MS);
  const flat = { startMs: WEDNESDAY + 10 * MINUTE_MS, open: 5, close: 5, lots: 0, trades: 0 };
  expect(candles.running(ID, '1m')).toMatchObject(flat);
  trade(candles, WEDNESDAY + 10 * MINUTE_MS + 1, 7);
  // A candle with trades opens at its own first trade, not at the last close.
  expect(candles.running(ID, '1m')).toMatchObject({ open: 7, low: 7, trades: 1 });
  expect(closes(candles, '1m')).toEqual([5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 7]);
});

test('a snapshot returns at most the latest 5,000 candles', () => {
  const candles = new Candles();
  trade(candles, WEDNESDAY, 5);
  trade(candles, WEDNESDAY + 6_000 * MINUTE_MS, 6);
  const bars = candles.snapshot(ID, '1m', 0, Infinity);
  expect(bars).toHaveLength(5_000);
  expect(bars.at(-1)?.close).toBe(6);
});

test('one-minute candles are dropped after two days, and longer ones are kept', () => {
  const candles = new Candles();
  trade(candles, WEDNESDAY + 2 * MINUTE_MS, 1);
  trade(candles, WEDNESDAY + 4 * MINUTE_MS, 2);
  trade(candles, WEDNESDAY + 3 * DAY_MS, 3);
  // The price two days ago is known, but some of the five minutes that contain it have been
  // dropped.
  expect(candles.snapshot(ID, '1m', 0, Infinity)[0]).toMatchObject({ open: 2, trades: 1 });
  expect(candles.snapshot(ID, '5m', 0, Infinity)[0]).toMatchObject({ open: 2, trades: 0 });
  expect(candles.snapshot(ID, '15m', 0, Infinity)[0]).toMatchObject({ open: 1, trades: 2 });
  expect(closes(candles, '1d')).toEqual([2, 2, 2, 3]);
});

test('restored candles continue like the original', () => {
  const original = new Candles();
  for (let at = 0; at < 50; at++) trade(original, WEDNESDAY + at * 7 * MINUTE_MS, at + 1);
  const restored = new Candles();
  restored.restore(JSON.parse(JSON.stringify(original.dump())));
  for (const each of [original, restored]) trade(each, WEDNESDAY + 400 * MINUTE_MS, 99);
  for (const interval of ['1m', '15m', '1d'] as const) {
    expect(restored.snapshot(ID, interval, 0, Infinity)).toEqual(
      original.snapshot(ID, interval, 0, Infinity),
    );
  }
});

test('loading dropped rows gives the same candles as keeping them', () => {
  const candles = new Candles();
  const minutes: CandleRow[] = [];
  for (let at = 0; at < 4 * 1_440; at += 3) {
    const timeMs = WEDNESDAY + at * MINUTE_MS;
    // There are no trades in the second six hours of the first day.
    if (at >= 360 && at < 720) continue;
    trade(candles, timeMs, at + 1);
    minutes.push([timeMs, at + 1, at + 1, at + 1, at + 1, 1, 1]);
  }
  const span = {
    fromMs: WEDNESDAY + 400 * MINUTE_MS,
    toMs: WEDNESDAY + 2 * DAY_MS,
    isForgotten: false,
  };
  const missing = candles.missing(ID, '5m', span);
  expect(missing).toMatchObject({ stepMs: MINUTE_MS, startMs: span.fromMs });
  const { endMs, startMs } = missing!;
  const first = minutes.findIndex(([atMs]) => atMs >= startMs);
  const older = minutes.slice(first - 1).filter(([atMs]) => atMs <= endMs);
  const bars = candles.snapshot(ID, '5m', span.fromMs, span.toMs, older);
  expect(bars).toHaveLength((2 * 1_440 - 400) / 5 + 1);
  expect(bars[0]).toMatchObject({ startMs: span.fromMs, close: 358, trades: 0 });
  expect(bars[64]).toMatchObject({ startMs: WEDNESDAY + 720 * MINUTE_MS, open: 721, trades: 2 });
  expect(bars.at(-1)).toMatchObject({ startMs: WEDNESDAY + 2 * DAY_MS, open: 2_881 });
});

test('no rows are missing for a period in memory or before the first trade', () => {
  const candles = new Candles();
  trade(candles, WEDNESDAY, 1);
  const span = { fromMs: 0, toMs: Infinity, isForgotten: false };
  expect(candles.missing(ID, '1m', span)).toBeUndefined();
  expect(candles.missing(ID + 1, '1m', span)).toBeUndefined();
  for (let day = 1; day < 9; day++) trade(candles, WEDNESDAY + day * DAY_MS, day);
  expect(candles.missing(ID, '1m', span)).toMatchObject({ stepMs: MINUTE_MS });
  expect(candles.missing(ID, '15m', span)).toBeUndefined();
  expect(candles.missing(ID, '1m', { ...span, fromMs: WEDNESDAY + 8 * DAY_MS })).toBeUndefined();
  // No rows are in memory for a settled market.
  const settled = { ...span, toMs: WEDNESDAY, isForgotten: true };
  expect(candles.missing(ID + 1, '1d', settled)).toMatchObject({
    stepMs: 240 * MINUTE_MS,
    endMs: WEDNESDAY + DAY_MS - 1,
  });
});
