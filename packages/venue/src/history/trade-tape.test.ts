import { expect, test } from 'vitest';
import { SETTLED_KEPT_MS } from '../read-models/catalogue.ts';
import { FIRST_ID, OutcomeVenue } from '../testing/outcome-venue.ts';
import { ALICE, BOB, TestVenue } from '../testing/ws/test-venue.ts';
import { TradeTape } from './trade-tape.ts';

test('the last trades ride along in snapshots, and are read from those of all releases', () => {
  const venue = TestVenue.open();
  const tape = new TradeTape(() => venue.state);
  venue.onBlock((block) => tape.onBlock(block));
  venue.order(BOB, { sell: true, price: 100, size: 1 });
  venue.order(ALICE, { buy: true, price: 100, size: 1 });
  const dumped = JSON.parse(JSON.stringify(tape.dump())) as { readonly trades: unknown[] };
  const trades = [['1', [expect.objectContaining({ px: '100', sz: '1' })]]];
  expect(dumped).toEqual({ trades, settled: [] });
  // The first held the trades alone, under numbers; the next had funding rows beside them.
  const older = [dumped, [[1, tape.last(1, 1)]], { ...dumped, fundings: [[ALICE, []]] }];
  for (const data of older) {
    const restored = new TradeTape(() => venue.state);
    restored.restore(data);
    expect(restored.last(1, 10)).toEqual(tape.last(1, 10));
    expect(restored.dump()).toEqual(dumped);
    expect(restored.fresh.size).toBe(0);
  }
  tape.reset();
  expect([tape.last(1, 10), tape.fresh.size]).toEqual([[], 0]);
});

test('trades of a market that is paid go when its event leaves memory, after a restart too', () => {
  const world = new OutcomeVenue();
  const tape = new TradeTape(() => world.venue.state);
  world.venue.onBlock((block) => tape.onBlock(block));
  world.list('rain');
  world.fund(ALICE, BOB);
  world.shares(ALICE, { price: 0.4, size: 10 });
  world.shares(BOB, { leg: 'no', price: 0.6, size: 10 });
  world.resolve(1);
  const paidMs = world.nowMs;
  expect(tape.last(FIRST_ID, 10)).toHaveLength(1);
  const dumped = JSON.parse(JSON.stringify(tape.dump())) as { readonly trades: unknown[] };
  // The one that says when it was paid, and one that was written before that was told.
  const again = [dumped, { trades: dumped.trades }].map((data) => {
    const restored = new TradeTape(() => world.venue.state);
    restored.restore(data);
    world.venue.onBlock((block) => restored.onBlock(block));
    return restored;
  });
  for (const [atMs, kept] of [
    [paidMs + SETTLED_KEPT_MS - 1, 1],
    [paidMs + SETTLED_KEPT_MS, 0],
  ] as const) {
    world.waitUntil(atMs);
    for (const each of [tape, ...again]) expect(each.last(FIRST_ID, 10)).toHaveLength(kept);
  }
  expect(tape.dump()).toEqual({ trades: [], settled: [] });
});
