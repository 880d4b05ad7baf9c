import { type Address, instrumentId, timeMs } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { applyBlock } from '../apply-block.ts';
import { dump, restore } from '../dump/dump.ts';
import type { BlockResult } from '../messages/block.ts';
import { LIMITS } from '../messages/limits.ts';
import { actor, bob, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { act } from '@oddlot/testing/engine/waiting';

/** One lot at this price is worth 1 USDC. */
const PRICE = 1_000_000;
const MAX = LIMITS.liquidationsPerBlock;

/**
 * Opens a 100-lot long for each of this many traders, each with slightly more money than the last;
 * bob is short.
 */
function crowd(count: number): { venue: Scenario; people: Address[] } {
  const venue = Scenario.open({ accounts: [bob], funds: 1_000_000_000_000_000 });
  venue.checks = false;
  // The accounts' order by address differs from their order by ratio.
  const people = Array.from({ length: count }, (_, n) => actor(0x10000 + ((n * 7) % count)));
  for (const [at, person] of people.entries()) {
    venue.fund(person, 5_100_000 + 100 * at);
    venue.one(bob, { isBuy: false, price: PRICE, size: 100 });
    venue.one(person, { price: PRICE, size: 100, timeInForce: 'ioc' });
  }
  venue.checks = true;
  return { venue, people };
}

const worked = ({ events }: BlockResult): Address[] => [
  ...new Set(events.flatMap((e) => (e.type === 'liquidationStep' ? [e.account] : []))),
];

describe('R-storms: the number of liquidations in one block is limited', () => {
  // Each trader has at least 5.055. At 96.5, each has at least 1.555 with a risk of 1.4475. At
  // 96.3, they have 1.355 to 1.3799 with a risk of 1.4445, which is above two thirds of 0.963: no
  // position is taken over, and the book is empty.
  test('a block liquidates the 200 accounts with the lowest ratios, and the rest come first in the next block', () => {
    const { people, venue } = crowd(250);
    expect(worked(venue.wait(1_000).oracle(965_000))).toEqual([]);
    const first = venue.wait(1_000).oracle(963_000);
    expect(worked(first)).toEqual(people.slice(0, MAX));
    expect(venue.state.liquidations.size).toBe(250);
    // The next block has the same time, so only the 50 deferred accounts are processed.
    const second = venue.block();
    expect(worked(second)).toEqual(people.slice(MAX));
    expect(worked(venue.block())).toEqual([]);
  });

  test('deferred liquidations come before later ones with a lower ratio', () => {
    const { people, venue } = crowd(220);
    const second = instrumentId(2);
    venue.block({ type: 'registerPerp', perp: { ...PERP, instrumentId: second, name: 'B-USDC' } });
    venue.oracle(PRICE, second);
    const newcomer = actor(0x99999);
    venue.fund(newcomer, 6_700_000);
    venue.one(bob, { instrumentId: second, isBuy: false, price: PRICE, size: 100 });
    venue.one(newcomer, { instrumentId: second, price: PRICE, size: 100, timeInForce: 'ioc' });
    expect(worked(venue.wait(1_000).oracle(963_000))).toEqual(people.slice(0, MAX));
    // At 94 the later account has 0.655 and the deferred accounts have more than 1.37. The time has
    // not advanced.
    expect(worked(venue.oracle(940_000, second))).toEqual([...people.slice(MAX), newcomer]);
  });

  test('retried liquidations do not come before others with lower ratios', () => {
    const { people, venue } = crowd(1);
    const second = instrumentId(2);
    venue.block({ type: 'registerPerp', perp: { ...PERP, instrumentId: second, name: 'B-USDC' } });
    venue.oracle(PRICE, second);
    const newcomer = actor(0x99999);
    venue.fund(newcomer, 6_000_000);
    venue.one(bob, { instrumentId: second, isBuy: false, price: PRICE, size: 100 });
    venue.one(newcomer, { instrumentId: second, price: PRICE, size: 100, timeInForce: 'ioc' });
    expect(worked(venue.wait(1_000).oracle(963_000))).toEqual(people);
    venue.one(bob, { price: 960_000, size: 20 });
    // This block processes both accounts: one is retried, and the other is insolvent at 94 with
    // −0.045.
    expect(worked(venue.wait(1_500).oracle(940_000, second))).toEqual([newcomer, ...people]);
  });

  test('a venue restored during a mass liquidation continues identically', () => {
    const { venue } = crowd(230);
    venue.wait(1_000).oracle(963_000);
    const copy = restore(JSON.parse(JSON.stringify(dump(venue.state))));
    for (let i = 0; i < 5; i++) {
      const result = i === 0 ? venue.block() : venue.wait(500).oracle(962_000 - 3_000 * i);
      const { commands } = venue.blocks.at(-1)!;
      const block = { height: result.height, timeMs: timeMs(venue.nowMs), commands };
      expect(applyBlock(copy, block).digest).toBe(result.digest);
    }
    expect(dump(copy)).toEqual(dump(venue.state));
  });
});

// The index must remain exact when a price jumps a millionfold and back.
test('R-exact: an extreme price jump does not corrupt the risk index', () => {
  const perp = { ...PERP, priceTick: 1, bookTicks: [1], makerFeeE8: 0, takerFeeE8: 0 };
  const venue = Scenario.open({ accounts: [bob], funds: 1_000_000_000_000_000, perp });
  for (let i = 0; i < 30; i++) {
    venue.wait(1_000).oracle(1);
    venue.wait(1_000).oracle(9_000_000_000);
  }
  venue.wait(1_000).oracle(PRICE);
  const alice = actor(0xa11ce);
  venue.fund(alice, 5_000_000);
  venue.one(bob, { isBuy: false, price: PRICE, size: 100 });
  venue.one(alice, { price: PRICE, size: 100, timeInForce: 'ioc' });
  act(venue, alice, { type: 'cancelAll' });
  // Below x = 96.4467, equity of 5 + (x − 100) is at most 1.5% x. The mark approaches that price in
  // the smallest possible steps.
  let mark = 964_600;
  venue.wait(1_000).oracle(mark);
  while (venue.state.liquidations.size === 0 && mark > 964_000) {
    mark -= 1;
    venue.wait(1_000).oracle(mark);
  }
  expect(mark).toBe(964_467);
});
