import { timeMs } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { OrderPool, SIDE_BUY } from '../book/order-pool.ts';
import type { BlockResult } from '../messages/block.ts';
import type { MarkUpdated } from '../messages/event.ts';
import { createPerp, type Perp } from '../state/perp.ts';
import {
  alice,
  bob,
  order,
  PARAMETERS,
  PERP,
  Scenario,
  START_MS,
  WIDE_PERP,
} from '@oddlot/testing/engine/scenario';
import { emaAfter, markPrice } from './mark-price.ts';

const ORACLE = 1_000_000;
const NOW = START_MS;

type Candidates = {
  readonly bid?: number;
  readonly ask?: number;
  readonly trade?: readonly [price: number, ageMs: number];
  readonly external?: readonly [price: number, ageMs: number];
  /** The moving average in 10^-6 price units. */
  readonly ema?: number;
};

function perpWith(oracle: number, candidates: Candidates): Perp {
  const pool = new OrderPool();
  const perp = createPerp(PERP, pool, PARAMETERS.liquidationFeeE8);
  for (const [isBuy, price] of [
    [true, candidates.bid],
    [false, candidates.ask],
  ] as const) {
    if (price === undefined) continue;
    const slot = pool.allocate(isBuy ? 1 : 2);
    pool.price[slot] = price;
    pool.remaining[slot] = 1;
    pool.instrument[slot] = PERP.instrumentId;
    pool.flags[slot] = isBuy ? SIDE_BUY : 0;
    perp.book.insert(slot);
  }
  perp.oracle = oracle;
  perp.ema = candidates.ema ?? 0;
  [perp.lastTrade, perp.lastTradeMs] = [
    candidates.trade?.[0] ?? 0,
    NOW - (candidates.trade?.[1] ?? 0),
  ];
  const { external } = candidates;
  [perp.external, perp.externalMs] = [external?.[0] ?? 0, NOW - (external?.[1] ?? 0)];
  return perp;
}

const markOf = (candidates: Candidates, oracle = ORACLE): number =>
  markPrice(perpWith(oracle, candidates), NOW, 30_000);

describe('R-mark: the mark is the median of three prices, within a band', () => {
  const book = { bid: 1_001_200, ask: 1_001_600, ema: 2_000_000_000 };
  test.each<[string, Candidates, number]>([
    ['nothing but the oracle', {}, 1_000_000],
    ['A 1,002,000; B of bid, ask, oracle 1,001,200; C the oracle', book, 1_001_200],
    ['B is the trade between bid and ask', { ...book, trade: [1_001_400, 0] }, 1_001_400],
    ['a trade of 60 s ago counts', { ...book, trade: [1_001_400, 60_000] }, 1_001_400],
    ['an older one is the oracle', { ...book, trade: [1_001_400, 60_001] }, 1_001_200],
    ['B stays within bid and ask', { ...book, trade: [1_300_000, 0] }, 1_001_600],
    ['C between A and B', { ...book, external: [1_001_800, 0] }, 1_001_800],
    ['C of 30 s ago counts', { ...book, external: [1_001_800, 30_000] }, 1_001_800],
    ['an older C is the oracle', { ...book, external: [1_001_800, 30_001] }, 1_001_200],
    ['a lone bid has no say', { bid: 1_001_600, ema: 2_000_000_000 }, 1_000_000],
    ['a lone ask has no say', { ask: 996_000, ema: -2_000_000_000 }, 1_000_000],
    ['A alone does not carry it', { ema: 2_000_000_000 }, 1_000_000],
  ])('the mark is the median of its three prices: %s', (_, candidates, expected) => {
    expect(markOf(candidates)).toBe(expected);
  });

  // The band is (1/50 − 1% − 0.5% − 0.045%) / (2 + 1% + 0.5% + 1/50) = 0.223587%.
  test('the mark is clamped to the band around the oracle on both sides', () => {
    const high = { bid: 1_030_000, ask: 1_040_000, ema: 9_000_000_000 } as const;
    expect(markOf({ ...high, external: [1_050_000, 0] })).toBe(1_002_236);
    const low = { bid: 960_000, ask: 970_000, ema: -9_000_000_000 } as const;
    expect(markOf({ ...low, external: [950_000, 0] })).toBe(997_764);
  });

  // B and C are on either side of A, so A is the median; A is the oracle plus a fraction of a unit.
  test.each([
    [500_000, 1_000_001],
    [499_999, 1_000_000],
    [-500_000, 1_000_000],
    [-500_001, 999_999],
  ])('the mark rounds half up: %i millionths of a unit', (ema, expected) => {
    const sign = Math.sign(ema);
    const bid = ORACLE + 2 * sign;
    expect(markOf({ ema, bid, ask: bid + 1 })).toBe(expected);
  });

  test('the mark is at least one unit', () => {
    expect(markOf({ bid: 1, ask: 2 }, 1)).toBe(1);
  });
});

describe('R-ema: the average approaches its sample exponentially', () => {
  test('a sample of 1000 for 150 s moves the average from 0 to 632.120507, as in the rulebook', () => {
    expect(emaAfter(0, 1_000_000_000, 150)).toBe(632_120_507);
  });

  // The product 151 × 28,537,883 = 4,309,220,333 is just above 2^32 = 4,294,967,296; 150 × is below
  // it.
  test.each([
    [150, 0],
    [151, 1],
    [-1, -1],
    [-150, -1],
    [-151, -2],
  ])(
    'each step of the average rounds towards minus infinity: a sample of %i moves it by %i',
    (sample, step) => {
      expect(emaAfter(0, sample, 1)).toBe(step);
    },
  );

  test('the average reaches a lower sample exactly and stays slightly below a higher one', () => {
    expect(emaAfter(1_000, 0, 100_000)).toBe(0);
    // The average stops moving when the distance is 150 or less.
    expect(emaAfter(0, 1_000, 100_000)).toBe(850);
  });

  test('many seconds in one step have the same effect as that many single steps', () => {
    let value = 0;
    for (let i = 0; i < 40; i++) value = emaAfter(value, -123_456_789, 1);
    expect(emaAfter(0, -123_456_789, 40)).toBe(value);
  });
});

function marks(result: BlockResult): number[] {
  return result.events
    .filter((event): event is MarkUpdated => event.type === 'markUpdated')
    .map(({ mark }) => mark);
}

/**
 * Returns a venue with a book quoted at 1,003,000 and 1,005,000, so the mid price is 4,000 above
 * the oracle.
 */
function withBook(): Scenario {
  const scenario = Scenario.open({ perp: WIDE_PERP });
  scenario.one(alice, { price: 1_003_000, size: 20 });
  scenario.one(bob, { isBuy: false, price: 1_005_000, size: 20 });
  return scenario;
}
const emaOf = (scenario: Scenario) => scenario.state.perps.get(PERP.instrumentId)!.ema;

describe('R-mark: marks are computed at fixed intervals and at each price', () => {
  test('marks are computed at least every second, but not in every block', () => {
    const scenario = withBook();
    scenario.wait(999);
    expect(marks(scenario.block())).toEqual([]);
    scenario.wait(1);
    // One step is 4 × 10^9 × 28,537,883 / 2^32 = 26,577,974.6, so A is 26.577974 above the oracle.
    expect(marks(scenario.block())).toEqual([1_000_027]);
    expect(emaOf(scenario)).toBe(26_577_974);
    expect(marks(scenario.block())).toEqual([]);
  });

  test('marks are computed at each oracle price, and the average only for whole seconds', () => {
    const scenario = withBook();
    scenario.wait(400);
    expect(marks(scenario.oracle(1_001_000))).toEqual([1_001_000]);
    expect(emaOf(scenario)).toBe(0);
  });

  test('the average repeats its last sample for seconds without a block', () => {
    const scenario = withBook();
    scenario.wait(10_900);
    scenario.block();
    let ema = 0;
    for (let i = 0; i < 10; i++)
      ema += Number(((4_000_000_000n - BigInt(ema)) * 28_537_883n) >> 32n);
    expect(emaOf(scenario)).toBe(ema);
    // The previous 900 ms still count.
    scenario.wait(100);
    scenario.oracle(ORACLE);
    expect(emaOf(scenario)).toBeGreaterThan(ema);
  });

  test('R-ema: the average equals the sample after 1,500 s but not after 1,499 s', () => {
    for (const [seconds, isSample] of [
      [1_500, true],
      [1_499, false],
    ] as const) {
      const scenario = withBook();
      scenario.wait(seconds * 1_000);
      scenario.oracle(ORACLE);
      expect(emaOf(scenario) === 4_000_000_000).toBe(isSample);
    }
  });

  test('R-ema: the sample is clamped to the band and is 0 when a side is empty', () => {
    const scenario = Scenario.open({ perp: WIDE_PERP });
    scenario.one(alice, { price: 1_300_000, size: 20 });
    scenario.wait(1_500_000);
    scenario.oracle(ORACLE);
    expect(emaOf(scenario)).toBe(0);
    scenario.one(bob, { isBuy: false, price: 1_500_000, size: 20 });
    scenario.wait(1_500_000);
    scenario.oracle(ORACLE);
    expect(emaOf(scenario)).toBe(10_000_000_000);
  });

  test('the last trade counts towards the mark for 60 s', () => {
    const scenario = withBook();
    scenario.one(bob, { isBuy: false, price: 1_004_000, size: 12 });
    scenario.one(alice, { price: 1_004_000, size: 12 });
    const push = () => {
      const prices = [{ instrumentId: PERP.instrumentId, oracle: ORACLE, external: 1_006_000 }];
      const observedMs = timeMs(scenario.nowMs);
      return marks(scenario.block({ type: 'pushOracle', prices, observedMs }));
    };
    scenario.wait(60_000);
    // A is below 1,004,000 and C above it, so the median is B, the trade.
    expect(push()).toEqual([1_004_000]);
    scenario.wait(1);
    // B is the median of bid, ask and oracle.
    expect(push()).toEqual([1_003_000]);
  });

  test('R-order-of-events: orders in a block do not move the mark in that block', () => {
    const scenario = withBook();
    scenario.wait(1_000);
    const orders = [order({ price: 1_004_900, size: 20 })];
    const authority = scenario.authority(alice);
    expect(marks(scenario.block({ type: 'placeOrders', authority, orders }))).toEqual([1_000_027]);
  });
});

describe('R-oracle-stale: the mark does not move while the oracle is stale', () => {
  test('the mark of a stale market does not move until the next price', () => {
    const scenario = withBook();
    scenario.wait(30_001);
    expect(marks(scenario.block())).toEqual([]);
    expect(emaOf(scenario)).toBe(0);
    scenario.wait(999);
    // After 31 steps towards 4,000, the average is 746.837173, as calculated by an independent
    // script.
    expect(marks(scenario.oracle(ORACLE))).toEqual([1_000_747]);
    expect(emaOf(scenario)).toBe(746_837_173);
  });

  test('observations up to 5 s ahead count as current; those further ahead or too old are skipped', () => {
    const scenario = Scenario.open();
    const push = (oracle: number, aheadMs: number) =>
      scenario.block({
        type: 'pushOracle',
        prices: [{ instrumentId: PERP.instrumentId, oracle }],
        observedMs: timeMs(scenario.nowMs + aheadMs),
      });
    expect(marks(push(1_001_000, 5_000))).toEqual([1_001_000]);
    expect(marks(push(1_002_000, 5_001))).toEqual([]);
    expect(marks(push(1_003_000, -1))).toEqual([]);
    expect(scenario.state.perps.get(PERP.instrumentId)).toMatchObject({
      oracle: 1_001_000,
      oracleMs: scenario.nowMs,
    });
  });

  test('a price that arrives too late moves the oracle but not the mark', () => {
    const scenario = Scenario.open();
    scenario.wait(60_000);
    const prices = [{ instrumentId: PERP.instrumentId, oracle: 1_200_000 }];
    const observedMs = timeMs(scenario.nowMs - 30_001);
    expect(marks(scenario.block({ type: 'pushOracle', prices, observedMs }))).toEqual([]);
    const perp = scenario.state.perps.get(PERP.instrumentId)!;
    expect([perp.oracle, perp.mark]).toEqual([1_200_000, ORACLE]);
  });
});
