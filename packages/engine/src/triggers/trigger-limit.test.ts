import { present } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import type { BlockResult } from '../messages/block.ts';
import type { TriggerRequest } from '../messages/command.ts';
import { alice, bob, carol, PERP, Scenario, WIDE_PERP } from '@oddlot/testing/engine/scenario';
import { checkRestarts, waiting } from '@oddlot/testing/engine/waiting';
import { isOracleBeyond, triggerLimit } from './fire-triggers.ts';

const ID = PERP.instrumentId;
const perpOf = ({ state }: Scenario) => present(state.perps.get(ID), 'the perp');

describe('R-trigger: the oracle is compared with the trigger price', () => {
  test.each<[TriggerRequest['kind'], boolean, boolean[]]>([
    // For sells, a stop is reached from above and a take-profit from below; for buys, the
    // directions are reversed.
    ['stopLoss', false, [true, true, false]],
    ['takeProfit', false, [false, true, true]],
    ['stopLoss', true, [false, true, true]],
    ['takeProfit', true, [true, true, false]],
  ])('a %s (buys: %s) compares the oracle with its trigger price', (kind, isBuy, expected) => {
    const perp = perpOf(Scenario.open());
    const trigger: TriggerRequest = { kind, isMarket: true, price: 1_000_000 };
    const found = [999_999, 1_000_000, 1_000_001].map((oracle) =>
      isOracleBeyond({ ...perp, oracle }, { isBuy, trigger }),
    );
    expect(found).toEqual(expected);
  });
});

describe('R-trigger: the limit of a market trigger stays near the mark', () => {
  // A stop sells at 99.2. With a mark of 99.1 and an oracle of 99, the limit is 3% below the mark,
  // or 96.127, rounded up to the tick. With an oracle of 100, 1% below the mark would be 98.109,
  // but 1% below the oracle is 99. For a stop that buys at 100.9, with a mark of 101.1 and an
  // oracle of 100, 1% above the mark is 102.111 and 1% above the oracle 101.
  test.each([
    { isBuy: false, at: 992_000, mark: 991_000, oracle: 990_000, limit: 961_300 },
    { isBuy: false, at: 992_000, mark: 991_000, oracle: 1_000_000, limit: 990_000 },
    { isBuy: false, at: 992_000, mark: 991_000, oracle: 995_000, limit: 985_100 },
    { isBuy: true, at: 1_009_000, mark: 1_011_000, oracle: 1_010_000, limit: 1_041_300 },
    { isBuy: true, at: 1_009_000, mark: 1_011_000, oracle: 1_000_000, limit: 1_010_000 },
  ])(
    'the limit of a trigger (buys: $isBuy) at mark $mark and oracle $oracle is $limit',
    ({ at, isBuy, limit, mark, oracle }) => {
      const perp = { ...perpOf(Scenario.open()), mark, oracle };
      const trigger: TriggerRequest = { kind: 'stopLoss', isMarket: true, price: at };
      expect(triggerLimit(perp, { isBuy, trigger }, 3_000_000)).toBe(limit);
    },
  );
});

describe('R-trigger: a stop triggered by the book alone sells only near the oracle', () => {
  /**
   * Returns a venue in which the oracle stays at 100. An attacker clears the book except for bids
   * of 0.2 at 98.3 and 100 at 94, and an ask at 98.5. The average of (mid price − oracle)
   * approaches the band's limit of −1, and the mark falls with it below 99.2 after 150 × ln 5 =
   * 241.4 s.
   */
  function carried(reduceOnly: boolean): { venue: Scenario; fired: BlockResult; askId: number } {
    const venue = Scenario.open({ perp: WIDE_PERP, funds: 100_000_000_000 });
    venue.one(bob, { isBuy: false, price: 1_000_000, size: 10_000 });
    venue.one(alice, { price: 1_000_000, size: 10_000 });
    venue.place(alice, waiting({ price: 992_000 }, { size: 10_000, reduceOnly }));
    // The trade at 100 must expire before the book determines the mark.
    for (let at = 0; at < 61; at += 20) venue.wait(20_000).oracle(1_000_000);
    const ask = venue.one(carol, { isBuy: false, price: 985_000, size: 10_000 });
    venue.one(carol, { price: 983_000, size: 20 });
    venue.one(carol, { price: 940_000, size: 10_000 });
    for (let at = 0; at < 240; at += 20) venue.wait(20_000).oracle(1_000_000);
    expect(perpOf(venue).mark).toBeGreaterThan(992_000);
    expect(venue.state.triggers.size).toBe(1);
    const fired = venue.wait(2_000).oracle(1_000_000);
    expect(perpOf(venue).mark).toBeLessThanOrEqual(992_000);
    return { venue, fired, askId: ask.orderId ?? 0 };
  }

  const trades = ({ events }: BlockResult): number =>
    events.filter(({ type }) => type === 'tradeExecuted').length;

  test('a stop triggered by the book alone stays armed at 1% from the oracle, whatever the number of attempts', () => {
    const { askId, fired, venue } = carried(true);
    expect(trades(fired)).toBe(0);
    for (let tries = 0; tries < 10; tries++) {
      expect(trades(venue.wait(1_000).oracle(1_000_000))).toBe(0);
    }
    expect(venue.position(alice)).toBe(10_000);
    expect(venue.state.triggers.all()[0]?.firing?.slippageE8).toBe(1_000_000);
    // An honest bid arrives at 99, with an ask just above it.
    venue.cancel(carol, askId);
    venue.one(carol, { isBuy: false, price: 991_000, size: 10_000 });
    venue.one(bob, { price: 990_000, size: 3_000 });
    venue.wait(1_000).oracle(1_000_000);
    expect(venue.position(alice)).toBe(7_000);
    checkRestarts(venue);
  });

  // The mark is at 98.5, between the oracle of 99 and a lower book.
  test('when the oracle follows, the limit moves by one percent after each attempt that fills too little', () => {
    const { venue } = carried(true);
    // A limit of 1% reaches the bid at 98.3, and a limit of 5% reaches 93.575.
    expect(trades(venue.wait(1_000).oracle(990_000))).toBe(1);
    const tries = [1, 2, 3].map(() => {
      const found = trades(venue.wait(1_000).oracle(990_000));
      return [found, venue.state.triggers.all()[0]?.firing?.slippageE8];
    });
    expect(tries).toEqual([
      [0, 3_000_000],
      [0, 4_000_000],
      [0, 5_000_000],
    ]);
    expect(venue.position(alice)).toBe(9_980);
    expect(trades(venue.wait(1_000).oracle(990_000))).toBe(1);
    expect(venue.position(alice)).toBe(0);
  });

  test('an order that could open a position is not filled and ends', () => {
    const { fired, venue } = carried(false);
    expect(trades(fired)).toBe(0);
    expect(venue.state.triggers.size).toBe(0);
    expect(venue.position(alice)).toBe(10_000);
  });
});
