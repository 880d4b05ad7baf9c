import { type Address, instrumentId, microUsdc } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { applyBlock } from '../apply-block.ts';
import { dump, restore } from '../dump/dump.ts';
import { postToBalance } from '../ledger/post.ts';
import type { BlockResult } from '../messages/block.ts';
import type { Deleveraged, LiquidationStep } from '../messages/event.ts';
import { insuranceFund } from '../perp/insurance-fund.ts';
import { accountView } from '../read/read.ts';
import {
  actor,
  alice,
  bob,
  carol,
  PARAMETERS,
  PERP,
  Scenario,
} from '@oddlot/testing/engine/scenario';
import { act } from '@oddlot/testing/engine/waiting';
import { adlBucket, rankPositions } from './adl-rank.ts';

/** One lot at this price is worth 1 USDC. */
const PRICE = 1_000_000;
const ID = PERP.instrumentId;
const FUND = PARAMETERS.insuranceFundAddress;

const steps = ({ events }: BlockResult): LiquidationStep[] =>
  events.filter((event) => event.type === 'liquidationStep');
const names = (result: BlockResult): string[] => steps(result).map(({ step }) => step);
const notices = ({ events }: BlockResult): Deleveraged[] =>
  events.filter((event) => event.type === 'deleveraged');

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

/** Opens a 1,000-lot long at 100 for alice, with a balance of 60 − 0.45 = 59.55; bob is short. */
function held(fundMicroUsdc = 0, isIsolated = false): Scenario {
  const venue = Scenario.open({ accounts: [bob, carol], funds: 1_000_000_000_000 });
  venue.fund(alice, 60_000_000);
  const marginMode = isIsolated ? 'isolated' : 'cross';
  act(venue, alice, { type: 'updateMarginMode', instrumentId: ID, marginMode });
  trade(venue, alice, bob, 1_000);
  setFund(venue, fundMicroUsdc);
  return venue;
}

/** Sets the fund's balance by transferring money to or from carol. */
function setFund(venue: Scenario, amount: number): void {
  const more = BigInt(amount) - venue.balance(FUND);
  postToBalance(venue.state, insuranceFund(venue.state), microUsdc(more));
  postToBalance(venue.state, venue.account(carol), microUsdc(-more));
}

describe('R-insurance-fund: the value of the fund limits its take-overs', () => {
  // At 94.5, equity is 4.55, below two thirds of 9.45, which is 6.3. The bankruptcy price is 94.5 −
  // 0.455 = 94.045. The fund gains 4.55 by taking the position of 945: twice the fund's value must
  // be at least 945, so it needs 472.5 − 4.55.
  test.each([
    { fund: 467_950_000, found: ['market', 'insurance'] },
    { fund: 467_949_999, found: ['market', 'adl'] },
  ])('the fund holds at most twice its value in one instrument: $fund', ({ found, fund }) => {
    const venue = held(fund);
    const result = venue.wait(1_000).oracle(945_000);
    expect(names(result)).toEqual(found);
    expect(steps(result)[1]).toMatchObject({ price: 940_450, mark: 945_000, equity: 4_550_000n });
    expect(venue.balance(alice)).toBe(0n);
    if (found[1] === 'adl') return;
    expect(venue.position(FUND)).toBe(1_000);
    expect(accountView(venue.state, FUND)?.cross.accountValue).toBe(472_500_000n);
    // No other account was deleveraged.
    expect(notices(result)).toEqual([]);
    expect(venue.position(bob)).toBe(-1_000);
  });

  // Three positions of 900 lots at 100 are worth 2,700. Taking over another 945 makes 3,645 = 5 ×
  // 729.
  test.each([
    { fund: 724_450_000, found: ['market', 'insurance'] },
    { fund: 724_449_999, found: ['market', 'adl'] },
  ])(
    'the fund holds at most five times its value in all instruments together: $fund',
    ({ found, fund }) => {
      const venue = held(1_000_000_000_000);
      for (const n of [2, 3, 4]) {
        const id = instrumentId(n);
        venue.block({ type: 'registerPerp', perp: { ...PERP, instrumentId: id, name: `P${n}` } });
        venue.oracle(PRICE, id);
        // The fund has no key, so the test trades for it.
        venue.one(bob, { instrumentId: id, isBuy: false, price: PRICE, size: 900 });
        venue.one(FUND, { instrumentId: id, price: PRICE, size: 900, timeInForce: 'ioc' });
        expect(venue.position(FUND, id)).toBe(900);
      }
      setFund(venue, fund);
      expect(names(venue.wait(1_000).oracle(945_000))).toEqual(found);
    },
  );

  test('a fund with a value of zero or less takes over nothing', () => {
    expect(names(held(0).wait(1_000).oracle(945_000))).toEqual(['market', 'adl']);
    expect(names(held(-5_000_000).wait(1_000).oracle(945_000))).toEqual(['market', 'adl']);
  });

  test('the fund holds the positions it takes over in cross mode, even in isolated-only instruments', () => {
    const venue = Scenario.open({
      accounts: [bob, carol],
      funds: 1_000_000_000_000,
      perp: { ...PERP, onlyIsolated: true },
    });
    venue.fund(alice, 60_000_000);
    trade(venue, alice, bob, 1_000);
    setFund(venue, 10_000_000_000);
    // The isolated position has a margin of 50. At 95.5 equity is 5, below two thirds of 9.55,
    // which is 6.37.
    venue.wait(1_000).oracle(955_000);
    expect(venue.holding(FUND)).toMatchObject({ size: 1_000, isIsolated: false });
    venue.one(carol, { price: 955_000, size: 5_000 });
    venue.wait(10_000).oracle(955_000);
    expect(venue.position(FUND)).toBe(0);
  });
});

describe('R-liquidation: an isolated position’s liquidation does not affect its owner’s other assets', () => {
  test('the remaining margin of an isolated position goes to the fund, and the balance stays unchanged', () => {
    const venue = held(10_000_000_000, true);
    const before = { alice: venue.balance(alice), fund: venue.balance(FUND) };
    expect(before.alice).toBe(9_550_000n);
    // At 95.5 equity is 5 and the bankruptcy price 95.
    const result = venue.wait(1_000).oracle(955_000);
    expect(steps(result)[1]).toMatchObject({ step: 'insurance', price: 950_000 });
    expect(venue.balance(alice)).toBe(before.alice);
    expect(venue.holding(alice)).toMatchObject({ size: 0, isolatedMargin: 0n });
    // The fund bought at 95, and at the mark the position is worth 5 more.
    expect(venue.balance(FUND)).toBe(before.fund);
    expect(accountView(venue.state, FUND)?.cross.accountValue).toBe(before.fund + 5_000_000n);
  });

  test('with negative equity the bankruptcy price is beyond the mark, and the fund bears the difference', () => {
    const venue = held(10_000_000_000, true);
    // At 90 the position has 50 − 100 = −50, so its bankruptcy price is again 95. The fund pays 95
    // for lots that are worth 90.
    venue.wait(1_000).oracle(900_000);
    expect(venue.balance(alice)).toBe(9_550_000n);
    expect(accountView(venue.state, FUND)?.cross.accountValue).toBe(9_950_000_000n);
  });

  test('the fund gains at most one price unit per lot from rounding', () => {
    const venue = Scenario.open({ accounts: [bob, carol], funds: 1_000_000_000_000 });
    venue.fund(alice, 60_000_001);
    trade(venue, alice, bob, 999);
    setFund(venue, 10_000_000_000);
    venue.wait(1_000).oracle(944_000);
    expect(venue.position(alice)).toBe(0);
    expect(venue.balance(alice)).toBe(0n);
    // The equity is 60.000001 − 0.44955 − 55.944 = 3.606451, so the price of 94.4 − 0.361006… =
    // 94.038993… rounds up to 94.0390. The fund gains (94.4 − 94.039) × 9.99 = 3.60639, and it
    // receives the remaining 0.000061.
    const gained = accountView(venue.state, FUND)!.cross.accountValue - 10_000_000_000n;
    expect(gained).toBe(3_606_451n);
  });
});

describe('R-adl: deleveraging closes the highest-ranked positions first', () => {
  const SHORTS = [1, 2, 3, 4].map((n) => actor(0x5000 + n));

  /**
   * Opens a 1,000-lot long at 100 for alice. Four accounts are short 250 lots each, with entry
   * prices of 100, 102, 100 and 98. The third has 50 USDC and the others have 100, less a fee of
   * 0.015% of their sales.
   */
  function four(): Scenario {
    const venue = Scenario.open({ accounts: [bob, carol], funds: 1_000_000_000_000 });
    venue.fund(alice, 60_000_000);
    const setups = [
      { price: 1_000_000, funds: 100_000_000 },
      { price: 1_020_000, funds: 100_000_000 },
      { price: 1_000_000, funds: 50_000_000 },
      { price: 980_000, funds: 100_000_000 },
    ];
    for (const [at, { funds, price }] of setups.entries()) {
      venue.fund(SHORTS[at]!, funds);
      // Bob buys from the four accounts, so that alice can buy from bob at 100.
      trade(venue, bob, SHORTS[at]!, 250, price);
    }
    trade(venue, alice, bob, 1_000);
    expect(venue.position(bob)).toBe(0);
    return venue;
  }

  // At a mark of 94.5, each short of 2.5 units is worth 236.25. Account 1 has uPnl 13.75, entry 250
  // and equity 100 − 0.0375 + 13.75 = 113.7125: 13.75 / 250 × 236.25 / 113.7125 = 0.114269….
  // Account 2 has uPnl 18.75, entry 255 and equity 118.71175: 18.75 / 255 × 236.25 / 118.71175 =
  // 0.146332…. Account 3 has uPnl 13.75, entry 250 and equity 63.7125: 0.203944…. Account 4 has
  // uPnl 8.75, entry 245 and equity 108.71325: 0.077612….
  test('positions are ranked by share of profit times leverage', () => {
    const venue = four();
    venue.block({ type: 'setPerp', instrumentId: ID, halted: true, changes: {} });
    venue.wait(1_000).oracle(945_000);
    // If there were no valid mark, the profit would not count (R-ratio).
    venue.state.perps.get(ID)!.lastValidMark = 945_000;
    const ranked = rankPositions(venue.state, venue.state.perps.get(ID)!, false);
    expect(ranked.map(({ account }) => SHORTS.indexOf(account.address) + 1)).toEqual([3, 2, 1, 4]);
    const shares = ranked.map(({ denominator, numerator }) => (numerator * 10_000n) / denominator);
    expect(shares).toEqual([2_039n, 1_463n, 1_142n, 776n]);
    expect(ranked.map((_, rank) => adlBucket(rank, ranked.length))).toEqual([4, 3, 2, 1]);
  });

  test('positions are deleveraged by rank at the bankruptcy price, without a fee and without flipping', () => {
    const venue = four();
    const before = SHORTS.map((address) => venue.balance(address));
    const result = venue.wait(1_000).oracle(945_000);
    // Alice has 59.55 − 55 = 4.55, so the bankruptcy price is 94.045.
    expect(notices(result).map(({ account }) => SHORTS.indexOf(account) + 1)).toEqual([3, 2, 1, 4]);
    for (const notice of notices(result))
      expect(notice).toMatchObject({ size: 250, price: 940_450 });
    // Account 1 realises (100 − 94.045) × 2.5; account 2 realises 2 more per unit, and account 4
    // realises 2 less.
    const gains = SHORTS.map((address, at) => venue.balance(address) - before[at]!);
    expect(gains).toEqual([14_887_500n, 19_887_500n, 14_887_500n, 9_887_500n]);
    expect(SHORTS.map((address) => venue.position(address))).toEqual([0, 0, 0, 0]);
    expect(venue.balance(alice)).toBe(0n);
  });

  test('only the necessary part of the last position is deleveraged', () => {
    const venue = four();
    // Carol first buys 100 lots from alice at 94.1, so alice has 900 left.
    venue.one(carol, { price: 941_000, size: 100 });
    const result = venue.wait(1_000).oracle(945_000);
    expect(notices(result).map(({ size }) => size)).toEqual([250, 250, 250, 150]);
    expect(SHORTS.map((address) => venue.position(address))).toEqual([0, 0, 0, -100]);
  });

  test('positions with equal rank are ordered by notional and address', () => {
    const venue = Scenario.open({ accounts: [bob, carol], funds: 1_000_000_000_000 });
    const people = [0x5003, 0x5001, 0x5002].map(actor);
    // At the entry price, every account has rank 0. Their sizes are 100, 100 and 200.
    for (const [at, person] of people.entries()) {
      venue.fund(person, 1_000_000_000);
      trade(venue, bob, person, at === 2 ? 200 : 100);
    }
    const ranked = rankPositions(venue.state, venue.state.perps.get(ID)!, false);
    expect(ranked.map(({ account }) => account.address)).toEqual([
      actor(0x5002),
      actor(0x5001),
      actor(0x5003),
    ]);
  });

  test('an account left below zero by a deleveraging is closed too, and the fund pays its deficit', () => {
    const venue = Scenario.open({ accounts: [carol], funds: 1_000_000_000_000 });
    venue.fund(alice, 60_000_000);
    venue.fund(bob, 60_000_000);
    act(venue, alice, { type: 'updateMarginMode', instrumentId: ID, marginMode: 'isolated' });
    trade(venue, alice, bob, 1_000);
    // Bob is short from 100 with 59.85, and loses 50 of it elsewhere.
    postToBalance(venue.state, venue.account(bob), microUsdc(-50_000_000));
    postToBalance(venue.state, venue.account(carol), microUsdc(50_000_000));
    const before = accountView(venue.state, FUND)!.cross.accountValue + venue.state.treasury;
    // At 90 alice has 50 − 100 and closes at 95 with bob, who therefore gains 50 instead of 100.
    const result = venue.wait(1_000).oracle(900_000);
    expect(names(result)).toEqual(['adl']);
    expect(notices(result)).toMatchObject([{ account: bob, size: 1_000, price: 950_000 }]);
    expect([venue.position(alice), venue.position(bob), venue.position(FUND)]).toEqual([0, 0, 0]);
    expect(venue.balance(bob)).toBe(59_850_000n);
    expect(accountView(venue.state, FUND)!.cross.accountValue + venue.state.treasury).toBe(before);
  });

  test('the fund is exempt from deleveraging, but an endangered account is not', () => {
    const venue = four();
    venue.fund(FUND, 1_000_000_000);
    trade(venue, bob, FUND, 100);
    // The third account loses 63 of its 63.7125 elsewhere, so it has 0.7125 with a risk of 1.5% of
    // 236.25.
    venue.block({ type: 'setPerp', instrumentId: ID, halted: true, changes: {} });
    const third = venue.account(SHORTS[2]!);
    postToBalance(venue.state, third, microUsdc(-63_000_000));
    postToBalance(venue.state, venue.account(carol), microUsdc(63_000_000));
    venue.wait(1_000).oracle(945_000);
    const perp = venue.state.perps.get(ID)!;
    perp.lastValidMark = 945_000;
    const order = (): number[] =>
      rankPositions(venue.state, perp, false).map(
        ({ account }) => SHORTS.indexOf(account.address) + 1,
      );
    expect(order()).toEqual([3, 2, 1, 4]);
    // The fourth account has a gain but no equity, so it ranks first. Without a gain, it would rank
    // last.
    const fourth = venue.account(SHORTS[3]!);
    postToBalance(venue.state, fourth, microUsdc(-108_713_250));
    postToBalance(venue.state, venue.account(carol), microUsdc(108_713_250));
    expect(order()).toEqual([4, 3, 2, 1]);
    venue.holding(SHORTS[3]!).cost = microUsdc(-236_250_000n);
    venue.state.markEpoch += 1;
    postToBalance(venue.state, fourth, microUsdc(-8_750_000));
    expect(order()).toEqual([3, 2, 1, 4]);
  });

  test('ADL quintiles range from 4 for the first rank to 0 for the last', () => {
    expect(adlBucket(0, 1)).toBe(4);
    expect([0, 1, 2, 3, 4].map((rank) => adlBucket(rank, 5))).toEqual([4, 3, 2, 1, 0]);
    expect([0, 9, 10, 49].map((rank) => adlBucket(rank, 50))).toEqual([4, 4, 3, 0]);
  });
});

describe('R-deficit: the fund pays before the treasury', () => {
  test('a deficit is paid by the fund, then by the treasury, and finally by taking the fund below zero', () => {
    for (const { fund, treasury, left } of [
      { fund: 8_000_000n, treasury: 9_000_000n, left: [3_000_000n, 9_000_000n] },
      { fund: 2_000_000n, treasury: 9_000_000n, left: [0n, 6_000_000n] },
      { fund: 2_000_000n, treasury: 1_000_000n, left: [-2_000_000n, 0n] },
      { fund: -2_000_000n, treasury: 1_000_000n, left: [-6_000_000n, 0n] },
    ]) {
      const venue = Scenario.open();
      setFund(venue, Number(fund));
      postToBalance(venue.state, venue.account(carol), microUsdc(venue.state.treasury - treasury));
      venue.state.treasury = microUsdc(treasury);
      // Bob is 5 USDC below zero without positions.
      const lost = venue.balance(bob) + 5_000_000n;
      postToBalance(venue.state, venue.account(bob), microUsdc(-lost));
      postToBalance(venue.state, venue.account(carol), microUsdc(lost));
      venue.block();
      expect(venue.balance(bob)).toBe(0n);
      expect([venue.balance(FUND), venue.state.treasury]).toEqual(left);
    }
  });
});

test('R-order-of-events: deficits in one block are paid in order of address, even in a restored venue', () => {
  const venue = Scenario.open({ accounts: [carol, bob, alice] });
  for (const [address, left] of [
    [alice, -3_000_000n],
    [bob, -5_000_000n],
  ] as const) {
    const lost = venue.balance(address) - left;
    postToBalance(venue.state, venue.account(address), microUsdc(-lost));
    postToBalance(venue.state, venue.account(carol), microUsdc(lost));
  }
  const copy = restore(JSON.parse(JSON.stringify(dump(venue.state))));
  const result = venue.block();
  const block = { height: result.height, timeMs: result.timeMs, commands: [] };
  expect(applyBlock(copy, block).digest).toBe(result.digest);
  expect([venue.balance(alice), venue.balance(bob), venue.balance(FUND)]).toEqual([
    0n,
    0n,
    -8_000_000n,
  ]);
});
