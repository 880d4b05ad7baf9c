import { beforeEach, describe, expect, test } from 'vitest';
import { ALICE, BOB, BTC } from '@oddlot/testing/venue/ws/test-venue';
import { DAY_MS, FIRST_ID, HOUR_MS, OutcomeVenue } from '@oddlot/testing/venue/outcome-venue';

let world: OutcomeVenue;
beforeEach(() => {
  world = new OutcomeVenue();
  world.list('rain');
  world.fund(ALICE, BOB);
});

test('the mark is the mid if the spread is narrow, otherwise the last trade, otherwise one half', () => {
  const context = (fields: object = {}) =>
    world.data('outcomeAssetCtxs', { instrumentIds: [7, FIRST_ID], ...fields });
  const none = { midPx: null, bestBid: null, bestAsk: null, lastPx: null, prevDayPx: null };
  const nothing = { dayNtlVlm: '0', dayBaseVlm: '0', totalNtlVlm: '0', openInterest: '0' };
  const head = { instrumentId: FIRST_ID, coin: 'OUTCOME-100000' };
  expect(context()).toEqual([
    { ...head, markPx: '0.5', ...none, ...nothing, spread: null, time: world.nowMs },
  ]);
  world.mint(ALICE, BOB, 0.6, 100);
  world.shares(ALICE, { price: 0.3, size: 10 });
  world.shares(BOB, { leg: 'no', price: 0.59, size: 10 });
  // A spread from 0.30 to 0.41 is too wide for the mid to be the mark.
  expect(context()).toEqual([
    {
      ...head,
      markPx: '0.6',
      midPx: '0.355',
      bestBid: '0.3',
      bestAsk: '0.41',
      lastPx: '0.6',
      prevDayPx: null,
      dayNtlVlm: '60',
      dayBaseVlm: '100',
      totalNtlVlm: '60',
      openInterest: '100',
      spread: '0.11',
      time: world.nowMs,
    },
  ]);
  world.shares(ALICE, { price: 0.31, size: 10 });
  expect(context()).toMatchObject([{ markPx: '0.36', spread: '0.1' }]);
  world.waitUntil(world.nowMs + 25 * HOUR_MS);
  expect(context()).toMatchObject([{ prevDayPx: '0.6', dayNtlVlm: '0', totalNtlVlm: '60' }]);
  world.resolve(1);
  expect(context()).toMatchObject([{ markPx: '1', bestBid: null, openInterest: '0' }]);
});

describe('the outcomeProbability query returns a market’s marks over time', () => {
  const series = (fields: object) =>
    world.data('outcomeProbability', { instrumentIds: [FIRST_ID, 7], ...fields }).series;

  test('each step has one point, which repeats the last probability if it did not change', () => {
    const fromMs = Math.ceil(world.nowMs / HOUR_MS) * HOUR_MS;
    world.waitUntil(fromMs + 60_000);
    world.shares(ALICE, { price: 0.6, size: 10 });
    world.shares(BOB, { leg: 'no', price: 0.38, size: 10 });
    world.waitUntil(fromMs + 180_000);
    const points = (fields: object) => series({ startTime: fromMs, ...fields })[0].points;
    const at = (minute: number, p: string) => ({ t: fromMs + minute * 60_000, p });
    // The second order was placed two seconds after the end of the first minute.
    const all = [at(0, '0.5'), at(1, '0.5'), at(2, '0.61'), at(3, '0.61')];
    expect(points({ fidelity: 1 })).toEqual(all);
    expect(points({ fidelity: 2 })).toEqual([all[0], all[2], all[3]]);
    expect(points({ fidelity: 1, endTime: fromMs + 60_000 })).toEqual(all.slice(0, 2));
    expect(series({ interval: '1h' })[0].current).toBe('0.61');
    expect(series({})).toHaveLength(1);
  });

  test('a market’s probabilities begin with its listing and end with its result', () => {
    world.mint(ALICE, BOB, 0.6, 100);
    world.waitUntil(world.nowMs + 2 * DAY_MS);
    world.resolve(1);
    const resolvedMs = world.nowMs;
    world.waitUntil(world.nowMs + 10 * DAY_MS);
    const [whole] = series({ interval: 'max' });
    const prices = whole.points.map(({ p }: { p: string }) => p);
    expect(prices).toEqual(['0.6', '0.6', '0.6', '0.6', '1']);
    expect(whole.current).toBe('1');
    const [day] = series({ interval: '1d', fidelity: 1 });
    const last = Math.floor(resolvedMs / 60_000) * 60_000;
    expect(day.points).toHaveLength(1_441);
    expect(day.points.at(-2)).toEqual({ t: last, p: '0.6' });
    expect(day.points.at(-1)).toEqual({ t: resolvedMs, p: '1' });
    // A market has at most 2,000 steps.
    const [long] = series({ interval: 'max', fidelity: 1 });
    expect(long.points.length).toBeLessThanOrEqual(2_001);
    expect(long.points.length).toBeGreaterThan(1_400);
  });
});

test('the book of an outcome market has YES prices and supports only its own tick', () => {
  world.shares(ALICE, { price: 0.3, size: 10 });
  world.shares(BOB, { leg: 'no', price: 0.59, size: 20 });
  const coin = String(FIRST_ID);
  const book = {
    coin: 'OUTCOME-100000',
    time: world.nowMs,
    levels: [[{ px: '0.3', sz: '10', n: 1 }], [{ px: '0.41', sz: '20', n: 1 }]],
  };
  expect(world.data('l2Book', { coin })).toEqual(book);
  expect(world.data('l2Book', { coin, tick: '0.010' })).toEqual(book);
  expect(world.refusal('l2Book', { coin, tick: '0.1' })[0]).toBe(10002);
  expect(world.refusal('l2Book', { coin: '100001' })).toEqual([10404, 'Instrument not found']);
  world.resolve(0);
  expect(world.data('l2Book', { coin }).levels).toEqual([[], []]);
});

test('a candle aggregates its trades, and an empty candle repeats the last close', () => {
  const startMs = Math.ceil(world.nowMs / 60_000) * 60_000;
  world.waitUntil(startMs - 2_000);
  world.mint(ALICE, BOB, 0.6, 10);
  world.mint(ALICE, BOB, 0.7, 10);
  world.mint(ALICE, BOB, 0.65, 5);
  world.waitUntil(startMs + 120_000);
  const candle = (minute: number, values: object) => ({
    t: startMs + minute * 60_000,
    T: startMs + minute * 60_000 + 59_999,
    s: 'OUTCOME-100000',
    i: '1m',
    instrumentId: FIRST_ID,
    ...values,
  });
  const flat = { o: '0.65', h: '0.65', l: '0.65', c: '0.65', v: '0', n: 0 };
  const traded = [
    candle(0, { o: '0.6', h: '0.7', l: '0.6', c: '0.65', v: '25', n: 3 }),
    candle(1, flat),
    candle(2, flat),
  ];
  const span = { coin: String(FIRST_ID), interval: '1m', startTime: 0 };
  expect(world.data('candleSnapshot', { req: span })).toEqual(traded);
  expect(world.data('candleSnapshot', span)).toEqual(traded);
  expect(world.data('candleSnapshot', { ...span, startTime: startMs + 60_000 })).toEqual(
    traded.slice(1),
  );
  expect(world.data('candleSnapshot', { ...span, endTime: startMs + 59_999 })).toEqual(
    traded.slice(0, 1),
  );
  world.resolve(1);
  expect(world.data('candleSnapshot', span)).toEqual(expect.arrayContaining(traded));
  const unknown = { ...span, coin: '7' };
  expect(world.refusal('candleSnapshot', unknown)).toEqual([10404, 'Instrument not found']);
});

test('candleSnapshot returns a perp’s candles', () => {
  world.venue.apply([{ type: 'registerPerp', perp: BTC }]);
  world.venue.oracle(100);
  for (const account of [ALICE, BOB]) world.venue.credit(account);
  world.venue.order(ALICE, { sell: true, price: 101, size: 1 });
  world.venue.order(BOB, { buy: true, price: 101, size: 1 });
  const span = { coin: '1', interval: '1d', startTime: 0 };
  expect(world.data('candleSnapshot', span)).toMatchObject([
    { s: 'BTC-USDC', o: '101', c: '101', v: '1', n: 1, instrumentId: 1 },
  ]);
});
