import { instrumentId, microUsdc } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import type { BlockResult } from '../messages/block.ts';
import type { LiquidationStep } from '../messages/event.ts';
import { accountView, openOrders } from '../read/read.ts';
import { holdingKey } from '../state/account.ts';
import {
  alice,
  bob,
  carol,
  order,
  PARAMETERS,
  PERP,
  Scenario,
} from '@oddlot/testing/engine/scenario';
import { act, group, waiting } from '@oddlot/testing/engine/waiting';
import { isDeep, isLiquidatable } from './scope.ts';

/** One lot at this price is worth 1 USDC. */
const PRICE = 1_000_000;
const ID = PERP.instrumentId;
const SECOND = instrumentId(2);
const FUND = PARAMETERS.insuranceFundAddress;

const steps = ({ events }: BlockResult): LiquidationStep[] =>
  events.filter((event) => event.type === 'liquidationStep');
const names = (result: BlockResult): string[] => steps(result).map(({ step }) => step);

type Setup = { readonly size: number; readonly funds: number; readonly isIsolated?: boolean };

/** Alice has a signed size at 100 against bob; carol and bob have ample funds. */
function held({ size, funds, isIsolated = false }: Setup): Scenario {
  const venue = Scenario.open({ accounts: [bob, carol], funds: 1_000_000_000_000_000 });
  venue.fund(alice, funds);
  const marginMode = isIsolated ? 'isolated' : 'cross';
  act(venue, alice, { type: 'updateMarginMode', instrumentId: ID, marginMode });
  trade(venue, size);
  return venue;
}

function trade(venue: Scenario, size: number, id = ID): void {
  const shape = { instrumentId: id, price: PRICE, size: Math.abs(size) };
  venue.one(bob, { ...shape, isBuy: size < 0 });
  expect(venue.one(alice, { ...shape, isBuy: size > 0, timeInForce: 'ioc' }).state).toBe('filled');
}

function listSecond(venue: Scenario): void {
  venue.block({ type: 'registerPerp', perp: { ...PERP, instrumentId: SECOND, name: 'B-USDC' } });
  venue.oracle(PRICE, SECOND);
}

describe('R-liquidation (2): the closing order', () => {
  // 1,000 lots are 10 units. Cross: 60 − 0.45 = 59.55. Isolated: 50. Cross long at 95.5: 59.55 − 45
  // = 14.55, risk 14.325: safe. At 95: 9.55 against 14.25. Bankruptcy 95 − 0.955 = 94.045; the band
  // ends at 90.25. Sold at 94.5: 4.55 of 59.55 remain, fee min(4.725, 4.55). Short, mirrored: at
  // 105 9.55 against 15.75, bankruptcy 105.955, bought at 105.5: 4.55 remain, fee min(5.275, 4.55).
  // Isolated long at 96: 10 against 14.4; bankruptcy 95; sold at 95.5: 5 remain, fee min(4.775, 5).
  // Isolated short at 104: 10 against 15.6; bankruptcy 105; bought at 104.5: 5 remain, fee 5.225 →
  // 5.
  test.each([
    { size: 1_000, isIsolated: false, mark: 950_000, limit: 940_450, at: 945_000, fee: 4_550_000n },
    {
      size: -1_000,
      isIsolated: false,
      mark: 1_050_000,
      limit: 1_059_550,
      at: 1_055_000,
      fee: 4_550_000n,
    },
    { size: 1_000, isIsolated: true, mark: 960_000, limit: 950_000, at: 955_000, fee: 4_775_000n },
    {
      size: -1_000,
      isIsolated: true,
      mark: 1_040_000,
      limit: 1_050_000,
      at: 1_045_000,
      fee: 5_000_000n,
    },
  ])(
    '$size, isolated $isIsolated: limit $limit, fee $fee',
    ({ at, fee, limit, mark, ...setup }) => {
      const venue = held({ ...setup, funds: 60_000_000 });
      const { isIsolated, size } = setup;
      const outside = isIsolated ? 9_550_000n : 0n;
      venue.one(carol, { isBuy: size > 0, price: at, size: 1_000 });
      const before = { fund: venue.balance(FUND), treasury: venue.state.treasury };
      const result = venue.wait(1_000).oracle(mark);
      expect(steps(result)).toMatchObject([
        { step: 'market', mark, price: limit, marginMode: isIsolated ? 'isolated' : 'cross' },
      ]);
      expect(venue.position(alice)).toBe(0);
      expect(result.events.find((event) => event.type === 'tradeExecuted')).toMatchObject({
        taker: { account: alice, fee },
        maker: { account: carol },
      });
      const left = (isIsolated ? 5_000_000n : 4_550_000n) - fee;
      expect(venue.balance(alice)).toBe(outside + left);
      // The fee goes to the fund; carol pays 0.015% as a maker, part of which may go to the fund.
      const makerFee = (BigInt(at) * 1_000n * 15_000n) / 100_000_000n;
      const gained = venue.balance(FUND) - before.fund + (venue.state.treasury - before.treasury);
      expect(gained).toBe(fee + makerFee);
      expect(venue.balance(FUND) - before.fund).toBeGreaterThanOrEqual(fee);
      // R-fee-tiers: it adds no volume.
      expect(venue.account(carol).volume.days).toEqual([]);
    },
  );

  // 2,000,000 lots are 20,000 units in tier 3: maintenance 10% less 765 units × mark = 1,235 x,
  // with the fee 1,335 x. The balance is 401,000 − 900. Long at 85.7: 114,100 against 114,409.5,
  // bankruptcy 79.995; 5% below the mark is 81.415. Short at 112.5: 150,100 against 150,187.5,
  // bankruptcy 120.005; 5% above the mark is 118.125.
  test.each([
    { size: 2_000_000, mark: 857_000, limit: 814_150 },
    { size: -2_000_000, mark: 1_125_000, limit: 1_181_250 },
  ])('never further than 5% from the mark: $limit', ({ limit, mark, size }) => {
    const venue = held({ size, funds: 401_000_000_000 });
    const result = venue.wait(1_000).oracle(mark);
    expect(steps(result)).toMatchObject([{ step: 'market', mark, price: limit }]);
  });

  test('R-rounding: the fee rounds up once per order, for any number of fills', () => {
    const venue = held({ size: 1_003, funds: 70_000_000 });
    // 3 fills with fractional fees: 0.5% of each would round up three times.
    for (const size of [333, 333, 337]) {
      venue.one(carol, { price: 950_100, size });
      venue.one(carol, { price: 950_000, size: 10 });
    }
    // At 94.4: 69.54865 − 56.168 = 13.38065 against 14.202.
    const result = venue.wait(1_000).oracle(944_000);
    const trades = result.events.filter((event) => event.type === 'tradeExecuted');
    expect(trades).toHaveLength(3);
    const paid = trades.reduce((sum, { taker }) => sum + taker.fee, 0n);
    // 1,003 × 950,100 × 0.5% = 4,764,751.5.
    expect(paid).toBe(4_764_752n);
  });

  test('repeats every second while the ratio is at most 1', () => {
    const venue = held({ size: 1_000, funds: 60_000_000 });
    // At 95.2: 11.55 against 14.28, above two thirds of 9.52: it waits for a better book.
    expect(names(venue.wait(1_000).oracle(952_000))).toEqual(['market']);
    // An empty book is recorded once; no further order is sent to it.
    expect(names(venue.wait(1_000).block())).toEqual([]);
    venue.one(carol, { price: 950_000, size: 400 });
    expect(venue.position(alice)).toBe(1_000);
    expect(names(venue.wait(999).block())).toEqual([]);
    expect(names(venue.wait(1).block())).toEqual(['market']);
    expect(venue.position(alice)).toBe(600);
    // A deposit ends it.
    venue.fund(alice, 50_000_000);
    expect(names(venue.wait(1_000).block())).toEqual([]);
    expect(venue.state.liquidations.size).toBe(0);
  });
});

describe('R-liquidation (3): two thirds of maintenance', () => {
  // 1,000 lots at 94.9: maintenance 9.49, two thirds 6.326666…. Equity 59.55 − 51 = 8.55 stays in
  // the market. At 94.67: 59.55 − 53.3 = 6.25, two thirds of 9.467 are 6.311: taken over. At
  // 94.677: 6.32 against 6.3118: stays. At 94.676: 6.31 against 6.311733…: taken over.
  test.each([
    { mark: 949_000, found: ['market'] },
    { mark: 946_770, found: ['market'] },
    { mark: 946_760, found: ['market', 'adl'] },
    { mark: 946_700, found: ['market', 'adl'] },
  ])('at $mark: $found', ({ found, mark }) => {
    const venue = held({ size: 1_000, funds: 60_000_000 });
    expect(names(venue.wait(1_000).oracle(mark))).toEqual(found);
  });
});

test('both limits: liquidated at a ratio of 1, not yet taken over at two thirds', () => {
  const at = (equity: bigint) => ({
    equity: microUsdc(equity),
    maintenance: microUsdc(9n),
    risk: microUsdc(12n),
    notional: microUsdc(900n),
  });
  expect([13n, 12n].map((equity) => isLiquidatable(at(equity)))).toEqual([false, true]);
  expect([6n, 5n].map((equity) => isDeep(at(equity)))).toEqual([false, true]);
  expect(isLiquidatable({ ...at(-5n), notional: microUsdc(0n) })).toBe(false);
});

describe('R-liquidation (1): orders first', () => {
  test('resting orders and triggers that could open are cancelled, reducing triggers stay', () => {
    const venue = held({ size: 1_000, funds: 70_000_000 });
    venue.one(alice, { isBuy: false, price: 1_100_000, size: 500, reduceOnly: true });
    venue.one(alice, { price: 900_000, size: 100 });
    group(venue, alice, 'none', waiting({ price: 700_000 }));
    group(venue, alice, 'none', waiting({ price: 600_000 }, { reduceOnly: false }));
    const result = venue.wait(1_000).oracle(943_000);
    expect(names(result)[0]).toBe('cancel');
    const cancelled = result.events.filter(
      (event) => event.type === 'orderUpdated' && event.cancelCause === 'liquidation',
    );
    expect(cancelled).toHaveLength(3);
    expect(openOrders(venue.state, alice)).toEqual([]);
  });

  test('the reserve of isolated orders returns to cross, and may be sufficient', () => {
    const venue = held({ size: 1_000, funds: 70_000_000 });
    listSecond(venue);
    act(venue, alice, { type: 'updateMarginMode', instrumentId: SECOND, marginMode: 'isolated' });
    // 69.55 of equity, 50 of which are margin. 300 lots reserve 15 + 0.135.
    venue.one(alice, { instrumentId: SECOND, price: PRICE, size: 300 });
    expect(venue.balance(alice)).toBe(54_415_000n);
    // At 96: 14.415 against 14.4, safe. At 95.9: 13.415 against 14.385; with the reserve 28.55.
    expect(names(venue.wait(1_000).oracle(960_000))).toEqual([]);
    expect(names(venue.wait(1_000).oracle(959_000))).toEqual(['cancel']);
    expect(venue.position(alice)).toBe(1_000);
    expect(venue.balance(alice)).toBe(69_550_000n);
    expect(venue.state.liquidations.size).toBe(0);
  });

  test('isolated opening orders are also cancelled when another order has the reserve', () => {
    const venue = held({ size: 1_000, funds: 70_000_000 });
    listSecond(venue);
    act(venue, alice, { type: 'updateMarginMode', instrumentId: SECOND, marginMode: 'isolated' });
    venue.one(alice, { instrumentId: SECOND, price: PRICE, size: 300 });
    // It is at most as large as the buy, so it needs no reserve.
    venue.one(alice, { instrumentId: SECOND, isBuy: false, price: 1_010_000, size: 300 });
    expect(venue.balance(alice)).toBe(54_415_000n);
    expect(names(venue.wait(1_000).oracle(959_000))).toEqual(['cancel']);
    expect(openOrders(venue.state, alice)).toEqual([]);
  });

  test('an endangered isolated position leaves cross orders unchanged', () => {
    const venue = held({ size: 1_000, funds: 200_000_000, isIsolated: true });
    listSecond(venue);
    venue.one(alice, { instrumentId: SECOND, price: 900_000, size: 100 });
    const opening = venue.one(alice, { price: 900_000, size: 100 });
    const result = venue.wait(1_000).oracle(960_000);
    expect(names(result)).toEqual(['cancel', 'market']);
    const left = openOrders(venue.state, alice).map(({ orderId }) => orderId);
    expect(left).toHaveLength(1);
    expect(left).not.toContain(opening.orderId);
  });

  test('R-hedge: an endangered isolated leg leaves the triggers of the other leg unchanged', () => {
    const venue = Scenario.open({ accounts: [bob, carol], funds: 1_000_000_000_000 });
    venue.fund(alice, 500_000_000);
    act(venue, alice, { type: 'updatePositionMode', mode: 'hedge' });
    act(venue, alice, { type: 'updateMarginMode', instrumentId: ID, marginMode: 'isolated' });
    trade(venue, 1_000);
    const opens = { isBuy: true, reduceOnly: false } as const;
    const above = { kind: 'stopLoss', price: 1_300_000 } as const;
    const below = { kind: 'stopLoss', price: 700_000 } as const;
    group(venue, alice, 'none', waiting(above, opens));
    group(venue, alice, 'none', waiting(below, { isBuy: false, reduceOnly: false }));
    expect(venue.state.triggers.size).toBe(2);
    venue.wait(1_000).oracle(960_000);
    // The trigger that would open the long leg is cancelled, that of the short leg remains.
    const waits = [...venue.state.triggers.all()].map(({ request }) => request.isBuy);
    expect(waits).toEqual([false]);
  });
});

describe('R-hedge: the common part of a cross pair', () => {
  // Long 1,000 and short 600, 82 − 0.45 − 0.27 = 81.28. At 84.6: −154 + 92.4 = −61.6: 19.68, risk
  // 1.5% of 1,353.6 = 20.304. Netting the pair leaves 400 lots: risk 5.076.
  test('closes at the mark, without a fee, before any order is sent', () => {
    const venue = Scenario.open({ accounts: [bob, carol], funds: 1_000_000_000_000 });
    venue.fund(alice, 82_000_000);
    act(venue, alice, { type: 'updatePositionMode', mode: 'hedge' });
    trade(venue, 1_000);
    trade(venue, -600);
    act(venue, alice, { type: 'updateLeverage', instrumentId: ID, leverage: 50 });
    expect(venue.balance(alice)).toBe(81_280_000n);
    const result = venue.wait(1_000).oracle(846_000);
    expect(result.events.filter((event) => event.type === 'tradeExecuted')).toEqual([]);
    expect(steps(result)).toMatchObject([
      {
        step: 'cancel',
        positions: [{ size: 1_000 }, { size: -600 }],
        mark: 846_000,
        price: 846_000,
        equity: 19_680_000n,
      },
    ]);
    const size = (leg: 0 | 1) => venue.account(alice).holdings.get(holdingKey(ID, leg))?.size;
    expect([size(0), size(1)]).toEqual([400, 0]);
    // Realised: 600 lots lost 92.4 and gained the same amount.
    expect(venue.balance(alice)).toBe(81_280_000n);
    expect(accountView(venue.state, alice)?.cross.accountValue).toBe(19_680_000n);
    expect(venue.state.liquidations.size).toBe(0);
    expect(venue.state.perps.get(ID)?.openInterest).toBe(400);
  });
});

describe('R-liquidation: several positions', () => {
  /** Long 2,000 of the first perp and 1,000 of the second, 160 − 1.35 = 158.65. */
  function two(): Scenario {
    const venue = held({ size: 2_000, funds: 160_000_000 });
    listSecond(venue);
    trade(venue, 1_000, SECOND);
    return venue;
  }

  test('closes the largest notional first, and only as many as necessary', () => {
    const venue = two();
    venue.one(carol, { price: 930_000, size: 2_000 });
    venue.one(carol, { instrumentId: SECOND, price: 930_000, size: 1_000 });
    // The first perp is at 94, the second at 100: 158.65 − 120 = 38.65, risk 1.5% of 2,880 = 43.2. Sold at 93: 18.65,
    // less the fee of 9.3: 9.35 against 15 is insufficient, so the second closes too.
    const result = venue.wait(1_000).oracle(940_000);
    expect(steps(result).map(({ positions }) => positions[0]?.instrumentId)).toEqual([ID, SECOND]);
    const other = two();
    other.one(carol, { price: 940_000, size: 2_000 });
    other.one(carol, { instrumentId: SECOND, price: 930_000, size: 1_000 });
    // Sold at 94: 38.65 less 9.4: 29.25 against 15. The second stays.
    expect(steps(other.wait(1_000).oracle(940_000))).toHaveLength(1);
    expect([other.position(alice), other.position(alice, SECOND)]).toEqual([0, 1_000]);
  });

  // Without a valid price, twice the value of the 20 coins is subtracted: the scope is margin-restricted and closes
  // within min(0.5%, 5% / 20) = 0.25% of the mark (R-fill-check), at any bankruptcy price. Halted at 93.5: 158.65 −
  // 130 = 28.65 against 43.05; the second's bankruptcy price is 99.0017…, its limit 99.75. Sold there: 26.15 less
  // 4.9875 against 28.05. Stale at 94.5, which was safe: the second falls to 98.5: 48.65 − 15 = 33.65 against 43.125.
  // Its limit is 98.5 − 0.2462 = 98.2538; sold at 98.26: 31.25 less 4.913 against 28.35.
  test.each([
    { why: 'halted', mark: 935_000, bid: 997_500, left: 21_162_500n },
    { why: 'stale', mark: 945_000, bid: 982_600, left: 26_337_000n },
  ])('R-halt, R-oracle-stale: a $why market waits', ({ bid, left, mark, why }) => {
    const venue = two();
    venue.one(carol, { price: 940_000, size: 2_000 });
    venue.one(carol, { instrumentId: SECOND, price: bid, size: 1_000 });
    venue.one(carol, { instrumentId: SECOND, price: bid - 100, size: 1_000 });
    if (why === 'halted') {
      venue.block({ type: 'setPerp', instrumentId: ID, halted: true, changes: {} });
      venue.wait(1_000).oracle(mark);
    } else {
      expect(names(venue.oracle(mark))).toEqual([]);
      venue.wait(30_001).oracle(985_000, SECOND);
    }
    // The second is sold; the first still counts and waits.
    expect([venue.position(alice), venue.position(alice, SECOND)]).toEqual([2_000, 0]);
    expect(accountView(venue.state, alice)?.cross.accountValue).toBe(left);
    expect(names(venue.wait(1_000).block())).toEqual([]);
    expect(venue.state.liquidations.size).toBe(1);
    venue.block({ type: 'setPerp', instrumentId: ID, halted: false, changes: {} });
    venue.wait(1_000).oracle(mark);
    expect(venue.position(alice)).toBe(0);
  });
});

describe('a position above 100,000 USDC', () => {
  // 200,000 lots at 100 with 10,200 − 90; 20% are 40,000 lots.
  test('the unfilled rest of the first part is retried, and a larger part only after 30 s', () => {
    const venue = held({ size: 200_000, funds: 10_200_000_000 });
    venue.one(carol, { price: 962_000, size: 25_000 });
    venue.wait(1_000).oracle(965_000);
    expect(venue.position(alice)).toBe(175_000);
    venue.one(carol, { price: 962_000, size: 300_000 });
    venue.wait(1_000).oracle(965_000);
    expect(venue.position(alice)).toBe(160_000);
    venue.wait(1_000).oracle(965_000);
    expect(venue.position(alice)).toBe(160_000);
    venue.wait(27_999).oracle(965_000);
    expect(venue.position(alice)).toBe(160_000);
    venue.wait(1_000).oracle(965_000);
    expect(venue.position(alice)).toBe(0);
  });

  test('exactly 100,000 closes in one order', () => {
    const venue = held({ size: 100_000, funds: 5_100_000_000 });
    venue.one(carol, { price: 960_000, size: 200_000 });
    venue.wait(1_000).oracle(962_000);
    expect(venue.position(alice)).toBe(0);
  });
});

// Isolated at 20×: 50 of margin on 1,000 lots. At 96 it is in liquidation and the book is empty.
test('a position that closed and returned under cross margin is a new position', () => {
  const venue = held({ size: 1_000, funds: 2_000_000_000, isIsolated: true });
  venue.wait(1_000).oracle(960_000);
  expect(venue.state.liquidations.size).toBe(1);
  // Within the second she closes at a good price, switches to cross and opens again.
  venue.one(carol, { price: 970_000, size: 1_000 });
  venue.one(alice, { isBuy: false, price: 970_000, size: 1_000, reduceOnly: true });
  expect(venue.position(alice)).toBe(0);
  act(venue, alice, { type: 'updateMarginMode', instrumentId: ID, marginMode: 'cross' });
  venue.one(carol, { isBuy: false, price: 960_000, size: 1_000 });
  venue.place(alice, order({ price: 960_000, size: 1_000 }));
  venue.one(carol, { price: 955_000, size: 5_000 });
  expect(names(venue.wait(1_000).block())).toEqual([]);
  expect(venue.position(alice)).toBe(1_000);
  expect(venue.state.liquidations.size).toBe(0);
});
