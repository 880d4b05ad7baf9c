import { expect, test } from 'vitest';
import { perpView } from '../read/read.ts';
import { alice, bob, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { DayStats } from './perp.ts';

const HOUR = 3_600_000;

test('daily statistics cover the current hour and the 23 hours before it', () => {
  const day = new DayStats();
  day.record(0, 100, 1, 100n);
  day.record(HOUR - 1, 110, 2, 220n);
  day.record(HOUR, 120, 3, 360n);
  expect(day.at(HOUR)).toEqual({ lots: 6, notional: 680n, previousClose: 0 });
  // The first hour counts until 24 hours after it began.
  expect(day.at(24 * HOUR - 1)).toEqual({ lots: 6, notional: 680n, previousClose: 0 });
  expect(day.at(24 * HOUR)).toEqual({ lots: 3, notional: 360n, previousClose: 110 });
  expect(day.at(25 * HOUR)).toEqual({ lots: 0, notional: 0n, previousClose: 120 });
  expect(day.at(900 * HOUR)).toEqual({ lots: 0, notional: 0n, previousClose: 120 });
  // Reading the statistics at a later time has not changed anything.
  expect(day.at(HOUR)).toEqual({ lots: 6, notional: 680n, previousClose: 0 });
});

test('recording a trade removes expired hours, and a restored copy returns the same statistics', () => {
  const day = new DayStats();
  day.record(0, 100, 1, 100n);
  day.record(2 * HOUR, 110, 2, 220n);
  day.record(25 * HOUR, 130, 5, 650n);
  expect(day.dump().buckets.map(({ startMs }) => startMs)).toEqual([2 * HOUR, 25 * HOUR]);
  const copy = new DayStats();
  const { buckets, previousClose } = day.dump();
  copy.restore(buckets, previousClose);
  day.record(25 * HOUR, 1, 1, 1n);
  expect(copy.at(25 * HOUR)).toEqual({ lots: 7, notional: 870n, previousClose: 100 });
  expect(day.at(25 * HOUR).lots).toBe(8);
});

test('the view of a perp counts each trade once', () => {
  const scenario = Scenario.open();
  scenario.one(bob, { isBuy: false, price: 1_000_000, size: 30 });
  scenario.one(alice, { price: 1_000_000, size: 20 });
  const view = perpView(scenario.state, PERP.instrumentId);
  expect(view).toMatchObject({
    dayVolumeLots: 20,
    dayVolumeMicroUsdc: 20_000_000n,
    previousDayPrice: undefined,
    lastTrade: 1_000_000,
    openInterest: 20,
    bestBid: undefined,
    bestAsk: 1_000_000,
  });
});
