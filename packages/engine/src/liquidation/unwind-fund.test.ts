import { type Address, instrumentId, timeMs } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { dump, restore } from '../dump/dump.ts';
import type { BlockResult } from '../messages/block.ts';
import { bob, carol, PARAMETERS, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { act } from '@oddlot/testing/engine/waiting';

/** One lot at this price is worth 1 USDC. */
const PRICE = 1_000_000;
const ID = PERP.instrumentId;
const FUND = PARAMETERS.insuranceFundAddress;

function trade(
  venue: Scenario,
  buyer: Address,
  seller: Address,
  size: number,
  price = PRICE,
): void {
  venue.one(seller, { isBuy: false, price, size });
  expect(venue.one(buyer, { price, size, timeInForce: 'ioc' }).state).toBe('filled');
}

describe('R-insurance-fund: the fund unwinds its positions near the mark', () => {
  /** Opens a long position of this many lots at 100 for the fund, bought from bob. */
  function holding(size: number, bid?: number): Scenario {
    const venue = Scenario.open({ accounts: [bob, carol], funds: 1_000_000_000_000 });
    venue.fund(FUND, 1_000_000_000_000);
    if (bid !== undefined) venue.one(carol, { price: bid, size: 1_000_000 });
    trade(venue, FUND, bob, size);
    return venue;
  }

  // A tenth of 200,000 lots is 20,000; for 50,000 lots, 10,000 USDC is more than a tenth.
  test.each([
    { size: 200_000, sold: [20_000, 18_000, 16_200] },
    { size: 50_000, sold: [10_000, 10_000, 10_000] },
    { size: 4_000, sold: [4_000, 0, 0] },
  ])(
    'the fund sells the larger of a tenth and 10,000 USDC of $size lots every 10 s',
    ({ size, sold }) => {
      const venue = holding(size, 999_000);
      const before = venue.balance(FUND);
      let left = size;
      for (const part of sold) {
        venue.block();
        left -= part;
        expect(venue.position(FUND)).toBe(left);
        venue.wait(9_999).oracle(PRICE);
        expect(venue.position(FUND)).toBe(left);
        venue.wait(1);
      }
      // There is no fee, so the fund lost only 0.1% of the value sold.
      const lost = BigInt(sold.reduce((sum, part) => sum + part, 0)) * 1_000n;
      const makerShare = venue.balance(FUND) - before + lost;
      expect(makerShare).toBeGreaterThanOrEqual(0n);
    },
  );

  const offered = ({ events }: BlockResult, id = ID): number[] =>
    events.flatMap((event) => {
      if (event.type !== 'orderUpdated') return [];
      const { account, instrumentId: traded, price } = event.order;
      return account === FUND && traded === id ? [price] : [];
    });

  // The maintenance margin of the first tier is 1%.
  test('each attempt without a fill moves the price 0.1% further, up to half the maintenance margin', () => {
    const venue = holding(4_000);
    const prices = Array.from({ length: 7 }, () => offered(venue.wait(10_000).oracle(PRICE)));
    expect(prices.flat()).toEqual([999_000, 998_000, 997_000, 996_000, 995_000, 995_000, 995_000]);
    // A bid at that price is filled, and one below it is not.
    venue.one(carol, { price: 994_900, size: 10_000 });
    venue.wait(10_000).oracle(PRICE);
    expect(venue.position(FUND)).toBe(4_000);
    venue.one(carol, { price: 995_000, size: 10_000 });
    venue.wait(10_000).oracle(PRICE);
    expect(venue.position(FUND)).toBe(0);
  });

  test('a bid 1% away from the mark is not filled immediately', () => {
    const venue = Scenario.open({ accounts: [bob, carol], funds: 1e12, oracle: 1_200_000 });
    venue.fund(FUND, 1_000_000_000_000);
    trade(venue, bob, FUND, 4_000, 1_200_000);
    venue.one(carol, { isBuy: false, price: 1_211_900, size: 4_000 });
    venue.wait(10_000).oracle(1_200_000);
    expect(venue.position(FUND)).toBe(-4_000);
    // Another account offers at 0.2% from the mark, which the second attempt reaches.
    venue.one(bob, { isBuy: false, price: 1_202_400, size: 4_000 });
    const { events } = venue.wait(10_000).oracle(1_200_000);
    const sold = events.flatMap((event) => (event.type === 'tradeExecuted' ? [event.price] : []));
    expect(sold).toEqual([1_202_400]);
  });

  // The order is for 10,000 of 100,000 lots, so 5,000 are half of it.
  test.each([
    { filled: 5_000, next: 999_000 },
    { filled: 4_999, next: 997_000 },
  ])(
    'unwinding restarts at the narrowest band if half of the order filled: $filled of 10,000',
    ({ filled, next }) => {
      const venue = holding(100_000);
      expect(offered(venue.wait(10_000).oracle(PRICE))).toEqual([999_000]);
      venue.one(carol, { price: 998_000, size: filled });
      const tried = venue.wait(10_000).oracle(PRICE);
      expect(offered(tried)).toEqual([998_000]);
      expect(venue.position(FUND)).toBe(100_000 - filled);
      expect(offered(venue.wait(10_000).oracle(PRICE))).toEqual([next]);
    },
  );

  test('each position of the fund has its own band, which restarts when the position is reversed', () => {
    const venue = holding(20_000);
    const second = instrumentId(2);
    venue.block({ type: 'registerPerp', perp: { ...PERP, instrumentId: second, name: 'B-USDC' } });
    venue.oracle(PRICE, second);
    const tick = (): BlockResult => {
      const observedMs = timeMs(venue.wait(10_000).nowMs);
      const prices = [ID, second].map((each) => ({ instrumentId: each, oracle: PRICE }));
      return venue.block({ type: 'pushOracle', prices, observedMs });
    };
    tick();
    tick();
    venue.one(bob, { instrumentId: second, isBuy: false, price: PRICE, size: 20_000 });
    venue.one(FUND, { instrumentId: second, price: PRICE, size: 20_000, timeInForce: 'ioc' });
    const both = tick();
    expect([offered(both), offered(both, second)]).toEqual([[996_000], [999_000]]);
    // Carol shorts 30,000 lots with an isolated margin of 1,500; at 106 the fund takes the position
    // over and is short 10,000.
    act(venue, carol, { type: 'updateMarginMode', instrumentId: ID, marginMode: 'isolated' });
    trade(venue, bob, carol, 30_000);
    venue.wait(10_000);
    const turned = venue.oracle(1_060_000);
    expect(venue.position(FUND)).toBe(-10_000);
    expect(offered(turned)).toEqual([1_061_060]);
  });

  test('unwinding pauses in a halted or stale market without counting an attempt', () => {
    const venue = holding(4_000);
    venue.one(carol, { price: 999_000, size: 10_000 });
    venue.block({ type: 'setPerp', instrumentId: ID, halted: true, changes: {} });
    venue.wait(10_000).oracle(PRICE);
    expect(venue.position(FUND)).toBe(4_000);
    venue.block({ type: 'setPerp', instrumentId: ID, halted: false, changes: {} });
    venue.wait(30_001).block();
    expect(venue.position(FUND)).toBe(4_000);
    venue.wait(10_000).oracle(PRICE);
    expect(venue.position(FUND)).toBe(0);
  });

  test('R-determinism: the current band of each position is in the dump', () => {
    const venue = holding(4_000);
    for (let tries = 0; tries < 4; tries++) venue.wait(10_000).oracle(PRICE);
    expect(dump(venue.state).fundUnwindBands).toEqual([[ID, 500_000]]);
    const copy = new Scenario();
    Object.assign(copy.state, restore(JSON.parse(JSON.stringify(dump(venue.state)))));
    copy.wait(venue.nowMs - copy.nowMs);
    const results = [venue, copy].map((each) => each.wait(10_000).oracle(PRICE));
    expect(results.map((each) => offered(each))).toEqual([[995_000], [995_000]]);
    expect(results[0]?.digest).toBe(results[1]?.digest);
  });

  test('R-determinism: the fund unwinds its largest position first, even in a restored venue', () => {
    const venue = holding(20_000);
    const second = instrumentId(2);
    venue.block({ type: 'registerPerp', perp: { ...PERP, instrumentId: second, name: 'B-USDC' } });
    venue.oracle(PRICE, second);
    venue.one(bob, { instrumentId: second, isBuy: false, price: PRICE, size: 19_000 });
    venue.one(FUND, { instrumentId: second, price: PRICE, size: 19_000, timeInForce: 'ioc' });
    venue.block();
    for (const id of [ID, second]) {
      venue.one(carol, { instrumentId: id, price: 1_100_000, size: 100_000, timeInForce: 'alo' });
    }
    const copy = new Scenario();
    Object.assign(copy.state, restore(JSON.parse(JSON.stringify(dump(venue.state)))));
    copy.wait(venue.nowMs - copy.nowMs);
    for (const each of [venue, copy]) each.wait(10_000);
    // The second position is now the larger one, at 20,900 compared with 20,000.
    const results = [venue, copy].map((each) => each.oracle(1_100_000, second));
    expect(results[0]?.digest).toBe(results[1]?.digest);
    const sold = results[0]!.events.flatMap((event) =>
      event.type === 'tradeExecuted' ? [event.instrumentId] : [],
    );
    expect(sold[0]).toBe(second);
  });
});
