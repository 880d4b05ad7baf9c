import { expect, test } from 'vitest';
import { ALICE, BOB, TestVenue } from '../testing/ws/test-venue.ts';
import { TradeTape } from './trade-tape.ts';

test('the last trades ride along in snapshots, and are read from those of all releases', () => {
  const venue = TestVenue.open();
  const tape = new TradeTape(() => venue.state);
  venue.onBlock((block) => tape.onBlock(block));
  venue.order(BOB, { sell: true, price: 100, size: 1 });
  venue.order(ALICE, { buy: true, price: 100, size: 1 });
  const dumped = JSON.parse(JSON.stringify(tape.dump())) as { readonly trades: unknown[] };
  expect(dumped).toEqual({ trades: [['1', [expect.objectContaining({ px: '100', sz: '1' })]]] });
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
