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

/** Gives alice a signed size at 100 against bob; carol and bob have ample funds. */
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

describe('R-liquidation (2): the closing order is limited by the bankruptcy price and the band', () => {
  // 1,000 lots are 10 units. A cross account has 60 − 0.45 = 59.55, an isolated position 50. A
  // cross long position at 95.5 has 59.55 − 45 = 14.55 with a risk of 14.325 and is safe. At 95 it
  // has 9.55 with a risk of 14.25. Its bankruptcy price is 95 − 0.955 = 94.045, and the band ends
  // at 90.25. Sold at 94.5, 4.55 of 59.55 remain, and the fee is min(4.725, 4.55). The short
  // position at 105 has 9.55 with a risk of 15.75 and a bankruptcy price of 105.955; bought at
  // 105.5, 4.55 remain, and the fee is min(5.275, 4.55). The isolated long at 96 has 10 with a risk
  // of 14.4 and a bankruptcy price of 95; sold at 95.5, 5 remain, and the fee is min(4.775, 5). The
  // isolated short at 104 has 10 with a risk of 15.6 and a bankruptcy price of 105; bought at
  // 104.5, 5 remain, and the fee of 5.225 is limited to 5.
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
    'the closing order of $size lots (isolated: $isIsolated) has limit $limit and fee $fee',
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
      // The fee goes to the fund; carol pays 0.015% as a maker, part of which can go to the fund.
      const makerFee = (BigInt(at) * 1_000n * 15_000n) / 100_000_000n;
      const gained = venue.balance(FUND) - before.fund + (venue.state.treasury - before.treasury);
      expect(gained).toBe(fee + makerFee);
      expect(venue.balance(FUND) - before.fund).toBeGreaterThanOrEqual(fee);
      // A liquidation does not add volume (R-fee-tiers).
      expect(venue.account(carol).volume.days).toEqual([]);
    },
  );

  // 2,000,000 lots are 20,000 units in tier 3, where maintenance is 10% less 765 units × mark =
  // 1,235 x, or 1,335 x with the fee. The balance is 401,000 − 900. The long position at 85.7 has
  // 114,100 with a risk of 114,409.5 and a bankruptcy price of 79.995; 5% below the mark is 81.415.
  // The short position at 112.5 has 150,100 with a risk of 150,187.5 and a bankruptcy price of
  // 120.005; 5% above the mark is 118.125.
  test.each([
    { size: 2_000_000, mark: 857_000, limit: 814_150 },
    { size: -2_000_000, mark: 1_125_000, limit: 1_181_250 },
  ])('a closing order is limited to 5% from the mark: $limit', ({ limit, mark, size }) => {
    const venue = held({ size, funds: 401_000_000_000 });
    const result = venue.wait(1_000).oracle(mark);
    expect(steps(result)).toMatchObject([{ step: 'market', mark, price: limit }]);
  });

  test('R-rounding: the liquidation fee rounds up once per order, whatever the number of fills', () => {
    const venue = held({ size: 1_003, funds: 70_000_000 });
    // The three fills have fractional fees, so 0.5% of each would be rounded up three times.
    for (const size of [333, 333, 337]) {
      venue.one(carol, { price: 950_100, size });
      venue.one(carol, { price: 950_000, size: 10 });
    }
    // At 94.4, equity is 69.54865 − 56.168 = 13.38065 and risk 14.202.
    const result = venue.wait(1_000).oracle(944_000);
    const trades = result.events.filter((event) => event.type === 'tradeExecuted');
    expect(trades).toHaveLength(3);
    const paid = trades.reduce((sum, { taker }) => sum + taker.fee, 0n);
    // The exact fee is 1,003 × 950,100 × 0.5% = 4,764,751.5.
    expect(paid).toBe(4_764_752n);
  });

  test('a closing order is retried every second while the ratio is at most 1', () => {
    const venue = held({ size: 1_000, funds: 60_000_000 });
    // At 95.2, equity is 11.55 with a risk of 14.28. That is above two thirds of 9.52, so the
    // liquidation waits for a better book.
    expect(names(venue.wait(1_000).oracle(952_000))).toEqual(['market']);
    // The empty book is recorded once, and no further order is sent.
    expect(names(venue.wait(1_000).block())).toEqual([]);
    venue.one(carol, { price: 950_000, size: 400 });
    expect(venue.position(alice)).toBe(1_000);
    expect(names(venue.wait(999).block())).toEqual([]);
    expect(names(venue.wait(1).block())).toEqual(['market']);
    expect(venue.position(alice)).toBe(600);
    // A deposit ends the liquidation.
    venue.fund(alice, 50_000_000);
    expect(names(venue.wait(1_000).block())).toEqual([]);
    expect(venue.state.liquidations.size).toBe(0);
  });
});

describe('R-liquidation (3): positions are taken over below two thirds of maintenance margin', () => {
  // For 1,000 lots at 94.9, maintenance margin is 9.49 and two thirds of it 6.326666…. Equity of
  // 59.55 − 51 = 8.55 stays in the market. At 94.67, equity of 59.55 − 53.3 = 6.25 is below two
  // thirds of 9.467, which is 6.311, so the position is taken over. At 94.677, equity of 6.32 is
  // above 6.3118; at 94.676, equity of 6.31 is below 6.311733….
  test.each([
    { mark: 949_000, found: ['market'] },
    { mark: 946_770, found: ['market'] },
    { mark: 946_760, found: ['market', 'adl'] },
    { mark: 946_700, found: ['market', 'adl'] },
  ])('a mark of $mark causes the liquidation steps $found', ({ found, mark }) => {
    const venue = held({ size: 1_000, funds: 60_000_000 });
    expect(names(venue.wait(1_000).oracle(mark))).toEqual(found);
  });
});

test('an account at a ratio of 1 is liquidated but not taken over at two thirds of maintenance margin', () => {
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

describe('R-liquidation (1): the account’s orders are cancelled first', () => {
  test('a liquidation cancels orders and triggers that could open positions but keeps reducing triggers', () => {
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

  test('cancelling isolated orders returns their reserve, which can end the liquidation', () => {
    const venue = held({ size: 1_000, funds: 70_000_000 });
    listSecond(venue);
    act(venue, alice, { type: 'updateMarginMode', instrumentId: SECOND, marginMode: 'isolated' });
    // Of the equity of 69.55, 50 is margin; 300 lots reserve 15 + 0.135.
    venue.one(alice, { instrumentId: SECOND, price: PRICE, size: 300 });
    expect(venue.balance(alice)).toBe(54_415_000n);
    // At 96, 14.415 exceeds the risk of 14.4. At 95.9, 13.415 is below 14.385, but with the reserve
    // it is 28.55.
    expect(names(venue.wait(1_000).oracle(960_000))).toEqual([]);
    expect(names(venue.wait(1_000).oracle(959_000))).toEqual(['cancel']);
    expect(venue.position(alice)).toBe(1_000);
    expect(venue.balance(alice)).toBe(69_550_000n);
    expect(venue.state.liquidations.size).toBe(0);
  });

  test('isolated opening orders without their own reserve are cancelled too', () => {
    const venue = held({ size: 1_000, funds: 70_000_000 });
    listSecond(venue);
    act(venue, alice, { type: 'updateMarginMode', instrumentId: SECOND, marginMode: 'isolated' });
    venue.one(alice, { instrumentId: SECOND, price: PRICE, size: 300 });
    // The sell is not larger than the buy, so it needs no reserve.
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
    // The trigger that would open the long leg is cancelled; the short leg's trigger remains.
    const waits = [...venue.state.triggers.all()].map(({ request }) => request.isBuy);
    expect(waits).toEqual([false]);
  });
});

describe('R-hedge: the common size of a cross pair is closed first', () => {
  // With 1,000 lots long and 600 short, the balance is 82 − 0.45 − 0.27 = 81.28. At 84.6, PnL is
  // −154 + 92.4 = −61.6, so equity is 19.68 and risk is 1.5% of 1,353.6 = 20.304. Netting the pair
  // leaves 400 lots with a risk of 5.076.
  test('a hedge pair is closed at the mark without a fee before any order is sent', () => {
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
    // One 600-lot leg lost 92.4, and the other gained as much.
    expect(venue.balance(alice)).toBe(81_280_000n);
    expect(accountView(venue.state, alice)?.cross.accountValue).toBe(19_680_000n);
    expect(venue.state.liquidations.size).toBe(0);
    expect(venue.state.perps.get(ID)?.openInterest).toBe(400);
  });
});

describe('R-liquidation: positions are closed in order of size', () => {
  /**
   * Opens longs for alice, 2,000 lots of the first perp and 1,000 of the second, with a balance of
   * 160 − 1.35 = 158.65.
   */
  function two(): Scenario {
    const venue = held({ size: 2_000, funds: 160_000_000 });
    listSecond(venue);
    trade(venue, 1_000, SECOND);
    return venue;
  }

  test('a liquidation closes the largest position first, and only as many as necessary', () => {
    const venue = two();
    venue.one(carol, { price: 930_000, size: 2_000 });
    venue.one(carol, { instrumentId: SECOND, price: 930_000, size: 1_000 });
    // With the first perp at 94 and the second at 100, equity is 158.65 − 120 = 38.65 and risk 1.5%
    // of 2,880 = 43.2. Sold at 93, 18.65 less the fee of 9.3 leaves 9.35 with a risk of 15, so the
    // second position is closed too.
    const result = venue.wait(1_000).oracle(940_000);
    expect(steps(result).map(({ positions }) => positions[0]?.instrumentId)).toEqual([ID, SECOND]);
    const other = two();
    other.one(carol, { price: 940_000, size: 2_000 });
    other.one(carol, { instrumentId: SECOND, price: 930_000, size: 1_000 });
    // Sold at 94, 38.65 less 9.4 leaves 29.25 with a risk of 15, so the second position stays.
    expect(steps(other.wait(1_000).oracle(940_000))).toHaveLength(1);
    expect([other.position(alice), other.position(alice, SECOND)]).toEqual([0, 1_000]);
  });

  // Without a valid price, twice the value of the 20 coins is subtracted. The account is then
  // margin-restricted and closes within min(0.5%, 5% / 20) = 0.25% of the mark (R-fill-check),
  // whatever its bankruptcy price. Halted at 93.5, equity is 158.65 − 130 = 28.65 and risk 43.05;
  // the second position's bankruptcy price is 99.0017… and its limit 99.75. Sold there, 26.15 less
  // 4.9875 remain with a risk of 28.05. In the stale case the account was safe at 94.5, and the
  // second perp falls to 98.5: equity is 48.65 − 15 = 33.65 and risk 43.125. Its limit is 98.5 −
  // 0.2462 = 98.2538; sold at 98.26, 31.25 less 4.913 remain with a risk of 28.35.
  test.each([
    { why: 'halted', mark: 935_000, bid: 997_500, left: 21_162_500n },
    { why: 'stale', mark: 945_000, bid: 982_600, left: 26_337_000n },
  ])(
    'R-halt, R-oracle-stale: positions in a $why market wait, and others are closed',
    ({ bid, left, mark, why }) => {
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
      // The second position is sold; the first one waits and still counts towards the margin.
      expect([venue.position(alice), venue.position(alice, SECOND)]).toEqual([2_000, 0]);
      expect(accountView(venue.state, alice)?.cross.accountValue).toBe(left);
      expect(names(venue.wait(1_000).block())).toEqual([]);
      expect(venue.state.liquidations.size).toBe(1);
      venue.block({ type: 'setPerp', instrumentId: ID, halted: false, changes: {} });
      venue.wait(1_000).oracle(mark);
      expect(venue.position(alice)).toBe(0);
    },
  );
});

describe('a position above 100,000 USDC is closed in two parts', () => {
  // The position has 200,000 lots at 100 with a balance of 10,200 − 90; 20% is 40,000 lots.
  test('the unfilled part of the first order is retried, and a larger order is sent only after 30 s', () => {
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

  test('a position of exactly 100,000 USDC is closed in one order', () => {
    const venue = held({ size: 100_000, funds: 5_100_000_000 });
    venue.one(carol, { price: 960_000, size: 200_000 });
    venue.wait(1_000).oracle(962_000);
    expect(venue.position(alice)).toBe(0);
  });
});

// The isolated position of 1,000 lots at 20× has a margin of 50. At 96 it is in liquidation, and
// the book is empty.
test('a position that was closed and reopened with cross margin is a new position', () => {
  const venue = held({ size: 1_000, funds: 2_000_000_000, isIsolated: true });
  venue.wait(1_000).oracle(960_000);
  expect(venue.state.liquidations.size).toBe(1);
  // Within the second, alice closes at a good price, switches to cross margin and reopens.
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
