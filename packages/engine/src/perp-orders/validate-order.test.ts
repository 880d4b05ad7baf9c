import { instrumentId, timeMs } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { checkCommand } from '../commands/commands.ts';
import type { RejectReason } from '../messages/reject.ts';
import {
  alice,
  bob,
  order,
  type OrderShape,
  PERP,
  Scenario,
} from '@oddlot/testing/engine/scenario';

const PRICE = 1_000_000;
const TAKEN_ID = '0x000000000000000000000000000000aa';
const id = PERP.instrumentId;

/** An error in an order, caused by the order's fields or by a condition of the venue. */
type Fault = {
  readonly reason: RejectReason;
  readonly shape?: Partial<OrderShape>;
  readonly arrange?: (scenario: Scenario) => void;
  readonly isPoor?: true;
};

const perpOf = (scenario: Scenario) => scenario.state.perps.get(id)!;

/** The faults are in the order of the checks; the first failure is reported. */
const FAULTS: readonly Fault[] = [
  { reason: 'instrumentUnknown', shape: { instrumentId: instrumentId(99) } },
  {
    reason: 'instrumentDelisted',
    arrange: (scenario) => {
      // Only the flag is set, because a real delisting would also close markets that later faults
      // need open.
      scenario.checks = false;
      perpOf(scenario).delisted = true;
    },
  },
  { reason: 'tradingHalted', arrange: (scenario) => (perpOf(scenario).halted = true) },
  { reason: 'oracleStale', arrange: (scenario) => scenario.wait(30_001) },
  { reason: 'sizeBelowMin', shape: { size: -1 } },
  { reason: 'sizeOffLot', shape: { sizeInexact: true } },
  { reason: 'sizeAboveMax', shape: { size: 100_000_001 } },
  { reason: 'priceOutOfRange', shape: { price: -150 } },
  { reason: 'priceOffTick', shape: { priceInexact: true } },
  { reason: 'priceTooFar', shape: { price: 1_800_100 } },
  { reason: 'valueBelowMin', shape: { size: 1 } },
  { reason: 'expiryTooSoon', shape: { timeInForce: 'gtd', expireMs: timeMs(1) } },
  { reason: 'clientOrderIdInvalid', shape: { clientOrderId: 'x' } },
  { reason: 'clientOrderIdDuplicate', shape: { clientOrderId: TAKEN_ID } },
  {
    reason: 'ordersFull',
    arrange: (scenario) => {
      scenario.checks = false;
      scenario.account(alice).liveOrders = 5_000;
    },
  },
  { reason: 'reduceOnlyIncreases', shape: { reduceOnly: true } },
  { reason: 'positionLimit', shape: { size: 10_000_000 } },
  { reason: 'marginInsufficient', isPoor: true },
  { reason: 'postOnlyWouldTrade', shape: { timeInForce: 'alo' } },
];

/** Pairs of faults that exclude each other even though they concern different fields. */
const EXCLUSIVE: readonly (readonly [RejectReason, RejectReason])[] = [
  // A reduce-only order does not increase exposure, so it is never rejected for a stale oracle and
  // needs no margin.
  ['oracleStale', 'reduceOnlyIncreases'],
  ['reduceOnlyIncreases', 'positionLimit'],
  ['reduceOnlyIncreases', 'marginInsufficient'],
  // An order of size −1 does not increase exposure.
  ['oracleStale', 'sizeBelowMin'],
];

/**
 * Returns a venue in which alice has a resting order for 12 lots at 90 USDC, which needs a margin
 * of 12 × 100 / 20 × 0.01 = 0.6 USDC and a fee of 12 × 0.9 × 0.045% = 0.00486 USDC. In the poorly
 * funded case she has exactly that, so one more lot is rejected. Bob offers 20 lots at 100.
 */
function venueWith(faults: readonly Fault[]): Scenario {
  const scenario = Scenario.open({ accounts: [bob] });
  scenario.fund(alice, faults.some(({ isPoor }) => isPoor) ? 604_860 : 1_000_000_000_000);
  const resting = scenario.one(alice, { price: 900_000, size: 12, clientOrderId: TAKEN_ID });
  expect(resting.state).toBe('open');
  scenario.one(bob, { isBuy: false, price: PRICE, size: 20 });
  for (const { arrange } of faults) arrange?.(scenario);
  return scenario;
}

function judge(faults: readonly Fault[]): {
  admitted: string | undefined;
  executed: string | undefined;
} {
  const scenario = venueWith(faults);
  const merged = Object.assign({ price: PRICE, size: 20 }, ...faults.map(({ shape }) => shape));
  const orders = [order(merged as OrderShape)];
  const command = { type: 'placeOrders', authority: scenario.authority(alice), orders } as const;
  const admitted = checkCommand(scenario.state, command, scenario.nowMs).reject?.reason;
  return { admitted, executed: scenario.outcome(command).entries?.[0]?.reject?.reason };
}

function canMeet(first: Fault, second: Fault): boolean {
  const isExclusive = EXCLUSIVE.some(
    (pair) => pair.includes(first.reason) && pair.includes(second.reason),
  );
  const fields = Object.keys(first.shape ?? {});
  return !isExclusive && !Object.keys(second.shape ?? {}).some((field) => fields.includes(field));
}

describe('an order is rejected with the first check it fails', () => {
  for (const [at, first] of FAULTS.entries()) {
    test(`${first.reason} is reported before all later faults`, () => {
      const isBookFault = first.reason === 'postOnlyWouldTrade';
      const single = { admitted: isBookFault ? undefined : first.reason, executed: first.reason };
      expect(judge([first])).toEqual(single);
      for (const second of FAULTS.slice(at + 1)) {
        if (!canMeet(first, second)) continue;
        const both = { admitted: first.reason, executed: first.reason };
        expect({ second: second.reason, ...judge([first, second]) }).toEqual({
          second: second.reason,
          ...both,
        });
      }
    });
  }

  const SAME_FIELD: readonly [string, Partial<OrderShape>, RejectReason][] = [
    ['a negative size off the lot grid', { size: -5, sizeInexact: true }, 'sizeBelowMin'],
    ['a size between 0 and a lot', { size: 0, sizeInexact: true }, 'sizeOffLot'],
    ['a size above the maximum off the grid', { size: 2e8, sizeInexact: true }, 'sizeOffLot'],
    ['a size above every limit', { size: 2e8 }, 'sizeAboveMax'],
    ['a price between 0 and a unit', { price: 0, priceInexact: true }, 'priceOffTick'],
    ['a price of 0', { price: 0 }, 'priceOutOfRange'],
    ['a price off the tick and outside the band', { price: 1_900_050 }, 'priceOffTick'],
    ['a price above what arithmetic holds', { price: 9_000_000_100 }, 'priceOutOfRange'],
    ['a worthless order outside the band', { price: 100, size: 1 }, 'priceTooFar'],
    ['a size above the limit of the tiers, unpaid', { size: 10_000_000 }, 'positionLimit'],
  ];
  test.each(SAME_FIELD)(
    'an order that fails several checks of one field is rejected for the first: %s',
    (_, shape, reason) => {
      expect(judge([{ reason, shape }])).toEqual({ admitted: reason, executed: reason });
    },
  );
});

describe('R-sizes: limits are inclusive', () => {
  // At an oracle of 100, the band of ±80% is 20 to 180.
  test.each([
    [200_000, true],
    [199_900, false],
    [1_800_000, true],
    [1_800_100, false],
  ])('an order at price %i is accepted: %s', (price, isAccepted) => {
    const entry = Scenario.open().one(alice, { price, size: 60 });
    expect(entry.reject?.reason).toBe(isAccepted ? undefined : 'priceTooFar');
  });

  // At 1.0000 USDC, 10 lots are worth 10 USDC; one tick lower they are worth 9.999.
  test.each([
    [1_000_000, undefined],
    [999_900, 'valueBelowMin'],
  ])('the minimum value of an order is checked for ten lots at %i', (price, reason) => {
    expect(Scenario.open().one(alice, { price, size: 10 }).reject?.reason).toBe(reason);
  });

  test('maxMarketOrderSize limits ioc and market orders, and maxLimitOrderSize all others', () => {
    const tight = { ...PERP, maxMarketOrderSize: 50, maxLimitOrderSize: 80 };
    const scenario = Scenario.open({ perp: tight });
    for (const timeInForce of ['ioc', 'market'] as const) {
      expect(scenario.one(alice, { price: PRICE, size: 50, timeInForce }).state).toBe('cancelled');
      const above = scenario.one(alice, { price: PRICE, size: 51, timeInForce });
      expect(above.reject).toMatchObject({ reason: 'sizeAboveMax', max: 50 });
    }
    for (const timeInForce of ['gtc', 'alo'] as const) {
      expect(scenario.one(alice, { price: PRICE, size: 80, timeInForce }).state).toBe('open');
      const above = scenario.one(alice, { price: PRICE, size: 81, timeInForce });
      expect(above.reject).toMatchObject({ reason: 'sizeAboveMax', max: 80 });
    }
  });

  test('R-exact: a size whose value could exceed the safe integers is rejected', () => {
    const tiers = [{ ...PERP.tiers[0]!, maxSize: 1_000_000_000_000 }];
    const huge = { ...PERP, maxLimitOrderSize: 1_000_000_000_000, tiers };
    const scenario = Scenario.open({ perp: huge, oracle: 5_000_000_000 });
    // The band ends at 9 × 10^9 units with a headroom of 16, so (2^53 − 1) / (144 × 10^9) = 62,549,
    // rounded down.
    const above = scenario.one(alice, { price: 5_000_000_000, size: 62_550 });
    expect(above.reject).toMatchObject({ reason: 'sizeAboveMax', max: 62_549 });
    const below = scenario.one(alice, { price: 5_000_000_000, size: 62_549 });
    expect(below.reject?.reason).toBe('marginInsufficient');
  });

  test('an order that closes a whole position can be worth less than the minimum', () => {
    const scenario = Scenario.open();
    scenario.one(bob, { isBuy: false, price: PRICE, size: 12 });
    scenario.one(alice, { price: PRICE, size: 12 });
    scenario.one(bob, { isBuy: true, price: PRICE, size: 10 });
    scenario.one(alice, { isBuy: false, price: PRICE, size: 10, timeInForce: 'ioc' });
    expect(scenario.position(alice)).toBe(2);
    const sell = { isBuy: false, price: PRICE } as const;
    expect(scenario.one(alice, { ...sell, size: 1 }).reject?.reason).toBe('valueBelowMin');
    expect(scenario.one(alice, { ...sell, size: 3 }).reject?.reason).toBe('valueBelowMin');
    expect(scenario.one(alice, { price: PRICE, size: 2 }).reject?.reason).toBe('valueBelowMin');
    const part = scenario.one(alice, { ...sell, size: 1, reduceOnly: true });
    expect(part.reject?.reason).toBe('valueBelowMin');
    expect(scenario.one(alice, { ...sell, size: 2 }).state).toBe('open');
    // A reduce-only order is reduced to the position, so a larger size closes it as well.
    const clipped = scenario.one(alice, { ...sell, size: 3, reduceOnly: true });
    expect(clipped).toMatchObject({ state: 'open', clipped: { from: 3, to: 2 } });
  });
});

test('R-sizes: an order can close the position that existed when its action began', () => {
  const scenario = Scenario.open();
  scenario.one(bob, { isBuy: false, price: PRICE, size: 100 });
  scenario.one(alice, { price: PRICE, size: 20 });
  scenario.oracle(200_000);
  const orders = [
    order({ price: PRICE / 5, size: 60, timeInForce: 'ioc' }),
    order({ isBuy: false, price: PRICE / 4, size: 20, reduceOnly: true }),
    order({ isBuy: false, price: PRICE / 4, size: 19, reduceOnly: true }),
  ];
  scenario.one(bob, { isBuy: false, price: 200_000, size: 60 });
  const authority = scenario.authority(alice);
  const both = { type: 'placeOrders', authority, orders: orders.slice(0, 2) } as const;
  expect(checkCommand(scenario.state, both, scenario.nowMs).reject).toBeUndefined();
  // The order for 20 lots, worth 5 USDC, closed the whole position, and the order for 19 did not.
  expect(scenario.place(alice, ...orders)).toMatchObject([
    { state: 'filled' },
    { state: 'open' },
    { state: 'rejected', reject: { reason: 'valueBelowMin' } },
  ]);
});

describe('R-oracle-stale: a stale oracle blocks orders that increase exposure', () => {
  test('orders are rejected before the first price', () => {
    const scenario = Scenario.open();
    const second = { ...PERP, instrumentId: instrumentId(2), name: 'NEW-USDC' };
    scenario.block({ type: 'registerPerp', perp: second });
    const entry = scenario.one(alice, { instrumentId: instrumentId(2), price: PRICE, size: 20 });
    expect(entry.reject).toEqual({ reason: 'oracleStale', instrumentId: 2 });
    const closing = { instrumentId: instrumentId(2), price: PRICE, size: 20, reduceOnly: true };
    expect(scenario.one(alice, closing).reject?.reason).toBe('priceTooFar');
  });

  test('an oracle older than 30 s rejects orders that increase exposure', () => {
    const scenario = Scenario.open();
    scenario.one(bob, { isBuy: false, price: PRICE, size: 100 });
    scenario.one(alice, { price: PRICE, size: 50 });
    scenario.wait(30_000);
    expect(scenario.one(alice, { price: 900_000, size: 20 }).state).toBe('open');
    scenario.wait(1);
    expect(scenario.one(alice, { price: 900_000, size: 20 }).reject?.reason).toBe('oracleStale');
    // With a position of 50 and at most 20 to buy, the worst case is 70; selling 120 makes it 70
    // again.
    const flip = { isBuy: false, price: 1_100_000 } as const;
    expect(scenario.one(alice, { ...flip, size: 121 }).reject?.reason).toBe('oracleStale');
    expect(scenario.one(alice, { ...flip, size: 120 }).state).toBe('open');
    expect(scenario.one(alice, { ...flip, size: 50, reduceOnly: true }).state).toBe('open');
    scenario.oracle(PRICE);
    expect(scenario.one(alice, { price: 900_000, size: 20 }).state).toBe('open');
  });
});
