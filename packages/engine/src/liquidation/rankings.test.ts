import { type Address, microUsdc, present } from '@oddlot/units';
import { expect, test } from 'vitest';
import { applyBlock } from '../apply-block.ts';
import { dump, restore } from '../dump/dump.ts';
import { postToBalance } from '../ledger/post.ts';
import type { BlockResult } from '../messages/block.ts';
import type { Account } from '../state/account.ts';
import type { Perp } from '../state/perp.ts';
import { actor, bob, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import type { RankedPosition } from './adl-rank.ts';
import { Rankings } from './rankings.ts';

const PRICE = 1_000_000;
const LONGS = Array.from({ length: 12 }, (_, at) => actor(0x6000 + at));
const SHORTS = Array.from({ length: 12 }, (_, at) => actor(0x7000 + at));

/**
 * Gives twelve accounts a long and twelve a short position of 100 lots each at 100; the accounts
 * with the least money rank first.
 */
function storm(): Scenario {
  const venue = Scenario.open({ accounts: [bob], funds: 1_000_000_000_000 });
  for (const [at, long] of LONGS.entries()) {
    const short = present(SHORTS[at], 'a short');
    venue.fund(long, 6_000_000);
    venue.fund(short, 50_000_000 + 1_000_000 * at);
    venue.one(short, { isBuy: false, price: PRICE, size: 100 });
    venue.one(long, { price: PRICE, size: 100, timeInForce: 'ioc' });
  }
  return venue;
}

const perpOf = (venue: Scenario): Perp =>
  present(venue.state.perps.get(PERP.instrumentId), 'the perp');
const closed = ({ events }: BlockResult): Address[] =>
  events.flatMap((event) => (event.type === 'deleveraged' ? [event.account] : []));

test('R-adl: a side is ranked once however many take-overs a block has', () => {
  const venue = storm();
  const { holders } = perpOf(venue);
  const walk = holders[Symbol.iterator].bind(holders);
  let walks = 0;
  holders[Symbol.iterator] = () => {
    walks += 1;
    return walk();
  };
  venue.checks = false;
  const result = venue.wait(1_000).oracle(945_000);
  expect(closed(result)).toEqual(SHORTS);
  expect(walks).toBe(1);
});

test('R-determinism: a restored venue deleverages the same positions', () => {
  const venue = storm();
  const copy = restore(JSON.parse(JSON.stringify(dump(venue.state))));
  const result = venue.wait(1_000).oracle(945_000);
  const { commands, timeMs } = present(venue.blocks.at(-1), 'the last block');
  const again = applyBlock(copy, { height: result.height, timeMs: timeMs as never, commands });
  expect(closed(again)).toEqual(SHORTS);
  expect(again.digest).toBe(result.digest);
});

test('R-storms: ADL ranks are fixed at the start of the liquidations, even if they are read later', () => {
  const venue = storm();
  venue.block({ type: 'setPerp', instrumentId: PERP.instrumentId, halted: true, changes: {} });
  venue.wait(1_000).oracle(945_000);
  const perp = perpOf(venue);
  const [first, second] = SHORTS.map((address) => venue.account(address));
  const move = (from: Account, to: Account, amount: bigint): void => {
    postToBalance(venue.state, from, microUsdc(-amount));
    postToBalance(venue.state, to, microUsdc(amount));
  };
  const people = (side: Iterable<RankedPosition>): Address[] =>
    [...side].map(({ account }) => account.address);
  const house = venue.account(bob);
  // An endangered account is ranked too, with the highest leverage.
  move(present(first, 'the first'), house, 55_000_000n);
  const before = new Rankings(venue.state);
  // The second account receives a large sum before the ranking is first read.
  move(house, present(second, 'the second'), 1_000_000_000n);
  expect(people(before.of(perp, false))).toEqual(SHORTS);
  const newRankings = new Rankings(venue.state);
  expect(people(newRankings.of(perp, false))).toEqual([SHORTS[0], ...SHORTS.slice(2), SHORTS[1]]);
});
