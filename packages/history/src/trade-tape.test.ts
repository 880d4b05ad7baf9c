import { expect, test } from 'vitest';
import { DAY_MS, FIRST_ID, OutcomeVenue } from '@oddlot/testing/venue/outcome-venue';
import { ALICE, BOB, START_MS, TestVenue } from '@oddlot/testing/venue/ws/test-venue';
import { TradeTape } from './trade-tape.ts';

test('snapshots contain the last trades of each instrument', () => {
  const venue = TestVenue.open();
  const tape = new TradeTape(() => venue.state);
  venue.onBlock((block) => tape.onBlock(block));
  venue.order(BOB, { sell: true, price: 100, size: 1 });
  venue.order(ALICE, { buy: true, price: 100, size: 1 });
  const dumped = JSON.parse(JSON.stringify(tape.dump())) as { readonly trades: unknown[] };
  const { height } = venue.state;
  const trades = [['1', [expect.objectContaining({ px: '100', sz: '1' })]]];
  expect(dumped).toEqual({ trades, heights: [[height]] });
  const restored = new TradeTape(() => venue.state);
  restored.restore(dumped);
  expect(restored.last(1, 10)).toEqual(tape.last(1, 10));
  expect(restored.dump()).toEqual(dumped);
  expect(restored.since(1, height)).toEqual([]);
  expect(restored.fresh.size).toBe(0);
  tape.reset();
  expect([tape.last(1, 10), tape.fresh.size]).toEqual([[], 0]);
});

test('trades of an outcome event are removed together with the event', () => {
  const world = new OutcomeVenue();
  const { markets, venue } = world;
  const tape = new TradeTape(
    () => venue.state,
    () => markets.catalogue.left,
  );
  venue.onBlock((block) => tape.onBlock(block));
  world.fund(ALICE, BOB);
  world.list('rain');
  world.list('sun');
  world.mint(ALICE, BOB, 0.5, 10);
  world.mint(ALICE, BOB, 0.5, 10, FIRST_ID + 1);
  world.resolve(1);
  world.waitUntil(START_MS + 14 * DAY_MS - 1);
  expect(tape.last(FIRST_ID, 10)).toHaveLength(1);
  world.waitUntil(START_MS + 14 * DAY_MS);
  expect(tape.last(FIRST_ID, 10)).toEqual([]);
  expect(tape.last(FIRST_ID + 1, 10)).toHaveLength(1);
});
