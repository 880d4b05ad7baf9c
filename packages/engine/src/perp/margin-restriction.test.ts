import { type Address, instrumentId } from '@oddlot/units';
import { beforeEach, describe, expect, test } from 'vitest';
import { withdrawable } from '../perp/free-margin.ts';
import type { CommandResult } from '../messages/block.ts';
import { approve, builder, oneThrough } from '@oddlot/testing/engine/builders';
import {
  alice,
  bob,
  carol,
  type OrderShape,
  PARAMETERS,
  PERP,
  Scenario,
} from '@oddlot/testing/engine/scenario';
import { act, checkRestarts, group, waiting } from '@oddlot/testing/engine/waiting';
import {
  restrictingPerp,
  crossScope,
  isNearMark,
  availableValue,
  unpricedDeduction,
} from './margin-restriction.ts';

/** One lot at this price is worth 1 USDC, and one coin is 100 lots. */
const PRICE = 1_000_000;
const A = PERP.instrumentId;
const B = instrumentId(2);
const FUND = PARAMETERS.insuranceFundAddress;
const usdc = (amount: number): number => Math.round(amount * 1_000_000);

let venue: Scenario;

/**
 * Opens two markets at 100, without fees. Market B always has current prices, and bob and carol
 * have ample funds.
 */
function open(funds: number): void {
  const perp = { ...PERP, takerFeeE8: 0, makerFeeE8: 0 };
  venue = Scenario.open({ accounts: [bob, carol, builder], funds: usdc(1_000_000), perp });
  venue.block({ type: 'registerPerp', perp: { ...perp, instrumentId: B, name: 'B-USDC' } });
  venue.oracle(PRICE, B);
  venue.fund(alice, usdc(funds));
}

function trade(trader: Address, lots: number, id = A): void {
  const shape = { instrumentId: id, price: PRICE, size: Math.abs(lots) };
  venue.one(carol, { ...shape, isBuy: lots < 0 });
  const { state } = venue.one(trader, { ...shape, isBuy: lots > 0, timeInForce: 'ioc' });
  expect(state).toBe('filled');
}

function goStale(): void {
  venue.wait(30_001).oracle(PRICE, B);
}

function halt(halted = true): void {
  venue.block({ type: 'setPerp', instrumentId: A, halted, changes: {} });
}

function isolate(trader: Address, id: typeof A): void {
  act(venue, trader, { type: 'updateMarginMode', instrumentId: id, marginMode: 'isolated' });
}

const scope = () => crossScope(venue.account(alice));
const isRestricted = (): boolean => restrictingPerp(venue.state, scope()) !== undefined;
const first = ({ outcomes }: { outcomes: readonly CommandResult[] }) => outcomes[0]?.reject;

function order(shape: OrderShape): string {
  const entry = venue.one(alice, shape);
  return entry.reject?.reason ?? entry.state;
}

describe('R-oracle-stale: positions without a valid price reduce the value of a margin account', () => {
  // At 100, 10 coins are worth 1,000, so 2,000 is subtracted. Initial margin at 20× is 50.
  test.each([
    { funds: 2_050, restricted: false },
    { funds: 2_049.999999, restricted: true },
  ])('an account with $funds is margin-restricted: $restricted', ({ restricted, funds }) => {
    open(funds);
    trade(alice, 1_000);
    expect(isRestricted()).toBe(false);
    goStale();
    expect(unpricedDeduction(venue.state, scope())).toBe(BigInt(usdc(2_000)));
    expect(availableValue(venue.state, scope())).toBe(BigInt(usdc(funds - 2_000)));
    expect(isRestricted()).toBe(restricted);
    // Trading resumes with the next price.
    venue.oracle(PRICE);
    expect(isRestricted()).toBe(false);
    checkRestarts(venue);
  });

  // In the halted market, the mark follows the oracle from 100 to 120 or to 80: the deduction is 2
  // × 10 × 120 or 2 × 10 × 100.
  test.each([
    { mark: 1_200_000, share: 2_400 },
    { mark: 800_000, share: 2_000 },
  ])(
    'a halted position is deducted at the higher of the mark and the last valid mark: $mark',
    ({ mark, share }) => {
      open(10_000);
      trade(alice, 1_000);
      halt();
      venue.wait(1_000).oracle(mark);
      expect(unpricedDeduction(venue.state, scope())).toBe(BigInt(usdc(share)));
      // A restart preserves the last valid mark.
      expect(venue.state.perps.get(A)).toMatchObject({ mark, lastValidMark: PRICE });
      checkRestarts(venue);
    },
  );

  // The value of 5,000 is reduced by 2,000 and by 10% of 1,000.
  test('an unrestricted account can withdraw money beyond the deduction', () => {
    open(5_000);
    trade(alice, 1_000);
    goStale();
    expect(withdrawable(venue.state, venue.account(alice))).toBe(BigInt(usdc(2_900)));
    expect(order({ instrumentId: B, price: PRICE, size: 100 })).toBe('open');
  });

  test('the insurance fund is never margin-restricted', () => {
    open(1_000);
    venue.fund(FUND, usdc(100));
    trade(FUND, 1_000);
    goStale();
    expect(unpricedDeduction(venue.state, crossScope(venue.account(FUND)))).toBe(0n);
    expect(restrictingPerp(venue.state, crossScope(venue.account(FUND)))).toBeUndefined();
  });

  // With a balance of 60, alice is long 10 coins in a halted market and short 1 in B. The halted
  // market's oracle moves to 120, and the resulting unrealised profit of 200 does not count. With B
  // at 145, her equity of 60 − 45 is therefore compared with 1.5% of 1,300 = 19.50.
  test('R-ratio: a profit without a valid price does not count for liquidation', () => {
    open(60);
    trade(alice, 1_000);
    trade(alice, -100, B);
    halt();
    venue.wait(1_000).oracle(1_200_000);
    const { events } = venue.wait(1_000).oracle(1_450_000, B);
    expect(events.filter(({ type }) => type === 'liquidationStep')).not.toEqual([]);
  });
});

describe('R-oracle-stale: a margin-restricted account cannot move money out of its margin', () => {
  /**
   * The cross account has a balance of 1,000 and is long 10 of A, which is stale. The isolated
   * position is long 1 of B with a margin of 5.
   */
  beforeEach(() => {
    open(1_005);
    isolate(alice, B);
    trade(alice, 1_000);
    trade(alice, 100, B);
    goStale();
    expect(isRestricted()).toBe(true);
    expect(venue.balance(alice)).toBe(BigInt(usdc(1_000)));
  });

  test('a margin-restricted account cannot transfer or withdraw', () => {
    const ends = { destination: bob, from: 'perp', to: 'perp', token: 0 } as const;
    const send = { type: 'sendToken', ...ends, amountMicroUsdc: usdc(1) } as const;
    expect(first(act(venue, alice, send))).toBeDefined();
    const own = { ...send, destination: alice, to: 'outcome' } as const;
    expect(first(act(venue, alice, own))).toBeDefined();
    const withdraw = { type: 'withdraw', destination: bob, amountMicroUsdc: usdc(2) } as const;
    expect(first(act(venue, alice, withdraw))).toBeDefined();
    venue.oracle(PRICE);
    expect(first(act(venue, alice, send))).toBeUndefined();
  });

  test('a margin-restricted account cannot open or reverse positions', () => {
    const stale = { reason: 'oracleStale', instrumentId: A };
    expect(venue.one(alice, { instrumentId: B, price: PRICE, size: 100 }).reject).toEqual(stale);
    const turn = { type: 'reversePosition', instrumentId: B } as const;
    expect(first(act(venue, alice, turn))).toEqual(stale);
    const trigger = waiting({ price: 900_000 }, { instrumentId: B, reduceOnly: false, size: 200 });
    expect(group(venue, alice, 'none', trigger).entries?.[0]?.reject).toEqual(stale);
  });

  test('a margin-restricted account cannot add isolated margin, but can remove it', () => {
    const move = { type: 'updateIsolatedMargin', instrumentId: B, isBuy: true } as const;
    const add = { ...move, amountMicroUsdc: usdc(1) };
    expect(first(act(venue, alice, add))?.reason).toBe('balanceInsufficient');
    // The position in B has 5 and needs 10 (10% of its value), so nothing is free yet.
    venue.oracle(1_300_000, B);
    // Of the position's value, 5 + 30 − 13 = 22 would be free, limited to its margin of 5.
    expect(first(act(venue, alice, { ...move, amountMicroUsdc: -usdc(5) }))).toBeUndefined();
    expect(venue.balance(alice)).toBe(BigInt(usdc(1_005)));
    venue.fund(alice, usdc(10));
    expect(venue.balance(alice)).toBe(BigInt(usdc(1_015)));
  });

  test('a margin-restricted account cannot lower its leverage, whether isolated or cross', () => {
    const type = 'updateLeverage';
    const lower = { type, instrumentId: B, leverage: 10 } as const;
    expect(first(act(venue, alice, lower))?.reason).toBe('marginInsufficient');
    const cross = { type, instrumentId: A, leverage: 10 } as const;
    expect(first(act(venue, alice, cross))?.reason).toBe('marginInsufficient');
    // Higher leverage does not release any margin.
    expect(first(act(venue, alice, { ...cross, leverage: 40 }))).toBeUndefined();
    expect(isRestricted()).toBe(true);
  });
});

test('R-oracle-stale: margin is not removable from an isolated position while its market is stale', () => {
  open(5_000);
  isolate(alice, A);
  trade(alice, 100);
  const move = { type: 'updateIsolatedMargin', instrumentId: A, isBuy: true } as const;
  expect(first(act(venue, alice, { ...move, amountMicroUsdc: usdc(300) }))).toBeUndefined();
  goStale();
  // Of the margin of 305, 305 − 200 − 10% of 100 = 95 is free.
  const off = { ...move, amountMicroUsdc: -usdc(95.000001) };
  expect(first(act(venue, alice, off))?.reason).toBe('marginNotFree');
  expect(first(act(venue, alice, { ...move, amountMicroUsdc: -usdc(95) }))).toBeUndefined();
  // The cross account has no position in A, so it is not restricted.
  expect(isRestricted()).toBe(false);
});

describe('a rejected margin-restricted account is given the cause', () => {
  test('a rejection names the restricting market and says whether it is stale or halted', () => {
    open(100);
    trade(alice, 1_000);
    halt();
    const shape = { instrumentId: B, price: PRICE, size: 100 };
    const { reject } = venue.one(alice, shape);
    expect(reject).toEqual({ reason: 'tradingHalted', instrumentId: A });
    halt(false);
    goStale();
    expect(venue.one(alice, shape).reject).toEqual({ reason: 'oracleStale', instrumentId: A });
  });

  test('R-delist: a market waiting for a price for another closing hour also restricts accounts', () => {
    open(100);
    trade(alice, 1_000);
    venue.block({ type: 'setPerp', instrumentId: A, delisted: true, changes: {} });
    venue.wait(3_600_000).oracle(PRICE, B);
    expect(venue.state.perps.get(A)?.closing?.isWaiting).toBe(true);
    const { reject } = venue.one(alice, { instrumentId: B, price: PRICE, size: 100 });
    expect(reject).toEqual({ reason: 'tradingHalted', instrumentId: A });
    checkRestarts(venue);
  });
});

describe('R-fill-check: a margin-restricted account can only close near the mark', () => {
  /**
   * Opens longs for alice, 10 in the stale market A and 10 in B at this leverage, so that her
   * orders in B can only reduce.
   */
  function restricted(leverage: number): void {
    open(1_000);
    approve(venue, alice, 100);
    act(venue, alice, { type: 'updateLeverage', instrumentId: B, leverage });
    trade(alice, 1_000, B);
    trade(alice, 1_000);
    goStale();
    expect(isRestricted()).toBe(true);
  }

  // The bound is the lesser of 0.5% and 5% / leverage. For a price of 100, this is 0.5 at 5× and
  // 10×, 0.25 at 20×, and 0.1 at 50×.
  const BOUNDS = [
    { leverage: 5, price: 995_000 },
    { leverage: 10, price: 995_000 },
    { leverage: 20, price: 997_500 },
    { leverage: 50, price: 999_000 },
  ];

  test.each(BOUNDS)(
    'as a taker at $leverage×, a restricted account closes near the mark: $price',
    ({ leverage, price }) => {
      restricted(leverage);
      venue.one(bob, { instrumentId: B, price: price - 100, size: 1_000 });
      const sell = { instrumentId: B, isBuy: false, price: 900_000, size: 100 };
      expect(order({ ...sell, timeInForce: 'ioc' })).toBe('cancelled');
      venue.one(bob, { instrumentId: B, price, size: 100 });
      expect(order({ ...sell, timeInForce: 'ioc' })).toBe('filled');
      expect(venue.position(alice, B)).toBe(900);
    },
  );

  test.each(BOUNDS)(
    'as a maker at $leverage×, a restricted account closes near the mark: $price',
    ({ leverage, price }) => {
      restricted(leverage);
      const rests = { instrumentId: B, isBuy: false, size: 100 };
      const [near, far] = [price, price - 100].map((each) =>
        venue.one(alice, { ...rests, price: each, reduceOnly: true }),
      );
      // The order that is too far from the mark is cancelled, and the buyer continues with the next
      // order.
      const buy = { instrumentId: B, price: PRICE, size: 200, timeInForce: 'ioc' as const };
      expect(venue.one(bob, buy)).toMatchObject({ filled: 100 });
      expect([near?.state, far?.state]).toEqual(['open', 'open']);
      expect(venue.position(alice, B)).toBe(900);
      expect(venue.account(alice).liveOrders).toBe(0);
    },
  );

  // The allowed loss is 0.25% of 100, which is 0.25. A builder fee of 0.1%, which is 0.09985 at
  // 99.85, leaves 0.15 for the price.
  test('the builder fee counts towards the allowed loss of a restricted close', () => {
    restricted(20);
    const sell = { instrumentId: B, isBuy: false, price: 900_000, size: 100 };
    venue.one(bob, { instrumentId: B, price: 998_400, size: 100 });
    const refused = oneThrough(venue, alice, 100, { ...sell, timeInForce: 'ioc' });
    expect(refused.outcomes[0]?.entries?.[0]?.state).toBe('cancelled');
    venue.one(bob, { instrumentId: B, price: 998_500, size: 100 });
    const filled = oneThrough(venue, alice, 100, { ...sell, timeInForce: 'ioc' });
    expect(filled.outcomes[0]?.entries?.[0]?.state).toBe('filled');
  });

  test('closes in the stale market itself must be near the current mark', () => {
    restricted(20);
    const sell = { isBuy: false, price: 900_000, size: 100, timeInForce: 'ioc' as const };
    // Carol is short against alice and is not restricted.
    venue.one(carol, { price: 997_400, size: 100, reduceOnly: true });
    expect(order(sell)).toBe('cancelled');
    venue.one(carol, { price: 997_500, size: 100, reduceOnly: true });
    expect(order(sell)).toBe('filled');
    expect(venue.position(alice)).toBe(900);
  });

  test('the bound of a restricted close is exact to the micro-USDC', () => {
    restricted(20);
    const holding = venue.holding(alice, B);
    const fill = { signedSize: -1, price: 997_500, builderFee: 0n as never };
    expect(isNearMark(holding, fill)).toBe(true);
    expect(isNearMark(holding, { ...fill, price: 997_499 })).toBe(false);
    expect(isNearMark(holding, { ...fill, builderFee: 1n as never })).toBe(false);
    // A better price compensates for a builder fee.
    const better = { ...fill, price: 1_000_001, builderFee: 2_501n as never };
    expect(isNearMark(holding, better)).toBe(true);
  });

  test('a cross order placed before the restriction is cancelled when its fill would open a position', () => {
    open(1_000);
    trade(alice, 1_000);
    const { orderId } = venue.one(alice, { instrumentId: B, price: PRICE, size: 100 });
    goStale();
    expect(isRestricted()).toBe(true);
    const sold = venue.one(bob, { instrumentId: B, isBuy: false, price: PRICE, size: 100 });
    expect(sold).toMatchObject({ state: 'open', filled: 0 });
    expect(venue.state.pool.find(orderId ?? 0)).toBe(-1);
  });
});

describe('R-oracle-stale: a restricted account’s isolated orders fill only from their reserve', () => {
  test('a restricted account’s isolated orders can fill in other markets from their reserve', () => {
    open(1_000);
    isolate(alice, B);
    trade(alice, 1_000);
    // At 20×, 100 lots need a margin of 5.
    venue.one(alice, { instrumentId: B, price: PRICE, size: 100 });
    goStale();
    expect(isRestricted()).toBe(true);
    venue.one(bob, { instrumentId: B, isBuy: false, price: PRICE, size: 100 });
    expect(venue.position(alice, B)).toBe(100);
    expect(venue.holding(alice, B).isolatedMargin).toBe(BigInt(usdc(5)));
    expect(venue.balance(alice)).toBe(BigInt(usdc(995)));
  });

  // The mark has risen to 110, so 100 lots need 5.50, but only 5 are reserved.
  test('a restricted account’s isolated orders fail if their reserve is insufficient', () => {
    open(1_000);
    isolate(alice, B);
    trade(alice, 1_000);
    venue.one(alice, { instrumentId: B, price: PRICE, size: 100 });
    goStale();
    venue.wait(1_000).oracle(1_100_000, B);
    venue.one(bob, { instrumentId: B, isBuy: false, price: PRICE, size: 100 });
    expect(venue.position(alice, B)).toBe(0);
    expect(venue.balance(alice)).toBe(BigInt(usdc(1_000)));
  });

  // No account has a position in A. Alice bids for 10 and sells 5: her worst-case exposure stays at
  // 10, so the order is accepted, but its fill would open a short position.
  test('no fill increases exposure in a stale market, including the first one', () => {
    open(1_000);
    venue.one(alice, { price: 990_000, size: 1_000 });
    venue.one(bob, { price: 995_000, size: 500 });
    goStale();
    expect(order({ isBuy: false, price: 995_000, size: 500 })).not.toBe('filled');
    expect([venue.position(alice), venue.position(bob)]).toEqual([0, 0]);
  });
});
