import type { Address } from '@oddlot/units';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkCommand } from '../commands/commands.ts';
import type { BlockResult } from '../messages/block.ts';
import type { Grouping, OrderRequest } from '../messages/command.ts';
import {
  approve,
  builder,
  charges,
  earned,
  oneThrough,
  revoke,
  send,
  setBalance,
  through,
} from '@oddlot/testing/engine/builders';
import {
  actor,
  alice,
  bob,
  carol,
  order,
  type OrderShape,
  PERP,
  Scenario,
} from '@oddlot/testing/engine/scenario';
import { act, checkRestarts, sign, orderResults, waiting } from '@oddlot/testing/engine/waiting';

/**
 * One lot at this price is worth 1 USDC. This file tests builder fees on every path an order can
 * take.
 */
const PRICE = 1_000_000;
/** At this price, 33 lots pay 2,311.617 micro-USDC at 0.007%. */
const ODD = 1_000_700;
const { instrumentId } = PERP;
const dave = actor(0xda7e);
const sell = (size: number, price = PRICE): OrderShape => ({ isBuy: false, price, size });
const buy = (size: number, price = PRICE): OrderShape => ({ price, size });

let venue: Scenario;

/** Alice approves up to 0.05% for the builder, whose balance is sufficient. */
beforeEach(() => {
  venue = Scenario.open({ accounts: [alice, bob, carol, builder] });
  approve(venue, alice, 50);
});
afterEach(() => {
  checkRestarts(venue);
});

function plain(signer: Address, shape: OrderShape): BlockResult {
  return act(venue, signer, { type: 'placeOrders', orders: [order(shape)] });
}

function amend(orderId: number, price: number, size: number): BlockResult {
  return act(venue, alice, { type: 'modifyOrder', instrumentId, target: { orderId }, price, size });
}

function isolate(signer: Address): void {
  act(venue, signer, { type: 'updateMarginMode', instrumentId, marginMode: 'isolated' });
}

// At 20×, 100 lots need 5 USDC in margin, 0.045 for the taker fee, and 0.01 for the builder at
// 0.01%.
describe.each(['cross', 'isolated'])(
  'R-initial, R-isolated: required margin with a builder (%s)',
  (mode) => {
    test.each([
      { why: 'approved', approved: 10, balance: 100_000_000, required: 5_055_000n },
      { why: 'short of money, for now', approved: 10, balance: 0, required: 5_055_000n },
      { why: 'not allowed so much', approved: 9, balance: 100_000_000, required: 5_045_000n },
    ])(
      'an order with a builder that is $why requires $required',
      ({ approved, balance, required }) => {
        setBalance(venue, builder, balance);
        venue.fund(dave, Number(required) - 1);
        approve(venue, dave, approved);
        if (mode === 'isolated') isolate(dave);
        const terms = { address: builder, feeTenthsBp: 10 };
        const place = { type: 'placeOrders', orders: [order(buy(100))], builder: terms } as const;
        const reject = { reason: 'marginInsufficient', required, available: required - 1n };
        const command = sign(venue, dave, place);
        expect(checkCommand(venue.state, command, venue.nowMs).reject).toEqual(reject);
        expect(venue.outcome(command).entries).toMatchObject([{ state: 'rejected', reject }]);
        venue.fund(dave, 1);
        const again = sign(venue, dave, place);
        expect(checkCommand(venue.state, again, venue.nowMs).reject).toBeUndefined();
        expect(venue.outcome(again).entries).toMatchObject([{ state: 'open' }]);
      },
    );
  },
);

describe('R-fill-check: a fill must cover its builder fee', () => {
  // A maker pays 0.015 to the exchange and 0.01 to the builder, and must have 5 USDC left for
  // margin.
  test.each([
    { left: 5_025_000, change: () => undefined, ends: 'filled', why: 'enough for both' },
    { left: 5_024_999, change: () => undefined, ends: 'cancelled', why: 'too little' },
    { left: 5_024_999, change: () => revoke(venue, dave), ends: 'filled', why: 'one fee less' },
  ])('a maker with $why is $ends', ({ left, change, ends }) => {
    venue.fund(dave, 5_055_000);
    approve(venue, dave, 10);
    oneThrough(venue, dave, 10, buy(100));
    send(venue, dave, 5_055_000 - left);
    change();
    const { events } = plain(bob, sell(100));
    const ended = events.find(
      (event) => event.type === 'orderUpdated' && event.order.account === dave,
    );
    expect(ended).toMatchObject({ status: ends });
  });
});

describe('R-isolated: the builder fee is paid from the reserve or the released margin', () => {
  beforeEach(() => {
    isolate(alice);
  });

  test('an isolated taker pays margin and both fees from its reserve', () => {
    plain(bob, sell(100));
    expect(charges(oneThrough(venue, alice, 10, buy(100)))).toEqual([[10_000n, 0n]]);
    expect(venue.holding(alice)).toMatchObject({ isolatedMargin: 5_000_000n, feesPaid: 55_000n });
    expect(venue.balance(alice)).toBe(1_000_000_000n - 5_055_000n);
  });

  test('an isolated maker’s fill releases the reserve that its lower fee does not need', () => {
    oneThrough(venue, alice, 10, buy(100));
    expect(venue.holding(alice).reserved).toBe(5_055_000n);
    expect(charges(plain(bob, sell(100)))).toEqual([[0n, 10_000n]]);
    expect(venue.holding(alice)).toMatchObject({ isolatedMargin: 5_000_000n, reserved: 0n });
    expect(venue.balance(alice)).toBe(1_000_000_000n - 5_025_000n);
  });

  test('the reserve of an isolated order rounds up', () => {
    // The reserve is 1.65 in margin, 0.0231 for the immediate loss, and 0.052% of 33,023,100, which
    // is 17,172.012.
    oneThrough(venue, alice, 7, buy(33, ODD));
    expect(venue.holding(alice).reserved).toBe(1_650_000n + 23_100n + 17_173n);
  });

  test('an isolated close pays the builder fee from released margin, and a shortfall from the remaining margin', () => {
    plain(bob, sell(200));
    plain(alice, buy(200));
    const add = { type: 'updateIsolatedMargin', instrumentId, isBuy: true } as const;
    act(venue, alice, { ...add, amountMicroUsdc: 2_000_000 });
    expect(venue.holding(alice).isolatedMargin).toBe(12_000_000n);
    const before = venue.balance(alice);
    plain(bob, buy(100));
    expect(charges(oneThrough(venue, alice, 10, sell(100)))).toEqual([[10_000n, 0n]]);
    expect(venue.balance(alice)).toBe(before + 6_000_000n - 55_000n);
    // At 94, 50 lots lose 3 USDC, and their value of 47 USDC incurs fees of 0.02115 and 0.0047.
    plain(bob, buy(50, 940_000));
    expect(charges(oneThrough(venue, alice, 10, sell(50, 940_000)))).toEqual([[4_700n, 0n]]);
    expect(venue.balance(alice)).toBe(before + 6_000_000n - 55_000n);
    expect(venue.holding(alice).isolatedMargin).toBe(3_000_000n - 25_850n);
  });
});

describe('R-modify: an amended order keeps its builder', () => {
  test('an amended order keeps its builder and the uncharged fraction of each role', () => {
    const hit = (): [bigint, bigint][] => charges(plain(bob, sell(33, ODD)));
    oneThrough(venue, alice, 7, buy(132, ODD));
    expect(hit()).toEqual([[0n, 2_311n]]);
    const take = (): [bigint, bigint][] => {
      amend(1, 990_000, 132);
      plain(bob, sell(33, ODD));
      return charges(amend(1, ODD, 132));
    };
    expect(take()).toEqual([[2_311n, 0n]]);
    expect(hit()).toEqual([[0n, 2_312n]]);
    expect(take()).toEqual([[2_312n, 0n]]);
    expect(venue.state.orderBuilders.size).toBe(0);
  });

  test('an order amended without a price change keeps its builder, even if the builder fails a check in between', () => {
    isolate(alice);
    oneThrough(venue, alice, 10, buy(100));
    amend(1, PRICE, 200);
    expect(venue.holding(alice).reserved).toBe(10_110_000n);
    revoke(venue, alice);
    // The builder cannot charge now, so the order does not reserve money for it.
    amend(1, PRICE, 100);
    expect(venue.holding(alice).reserved).toBe(5_045_000n);
    approve(venue, alice, 10);
    expect(charges(plain(bob, sell(100)))).toEqual([[0n, 10_000n]]);
  });

  test('amending an order to its filled size or less ends its builder', () => {
    oneThrough(venue, alice, 10, buy(100));
    plain(bob, sell(50));
    expect(orderResults(amend(1, PRICE, 50))).toEqual(['1 cancelled amendedBelowFilled']);
    expect(venue.state.orderBuilders.size).toBe(0);
  });
});

describe('R-trigger: a waiting order keeps its builder until it fires', () => {
  /** Alice is long 100 lots. */
  beforeEach(() => {
    plain(bob, sell(100));
    plain(alice, buy(100));
  });
  const stop = (isMarket: boolean): OrderRequest =>
    waiting({ price: 950_000, isMarket }, { price: 940_000 });

  test('a waiting order’s builder charges its fee when a market order fires', () => {
    through(venue, alice, 10, [stop(true)]);
    plain(carol, buy(100, 940_000));
    expect(charges(venue.wait(1_000).oracle(940_000))).toEqual([[9_400n, 0n]]);
  });

  test('a waiting order’s builder stays with a limit order that fires and rests', () => {
    through(venue, alice, 10, [stop(false)]);
    expect(charges(venue.wait(1_000).oracle(940_000))).toEqual([]);
    expect(charges(plain(carol, buy(100, 940_000)))).toEqual([[0n, 9_400n]]);
  });

  test('a waiting order’s builder is checked when the order fires, so that a later approval counts', () => {
    revoke(venue, alice);
    const { outcomes } = through(venue, alice, 10, [stop(false)]);
    expect(outcomes[0]?.builderDrop?.reason).toBe('notApproved');
    approve(venue, alice, 10);
    venue.wait(1_000).oracle(940_000);
    expect(charges(plain(carol, buy(100, 940_000)))).toEqual([[0n, 9_400n]]);
  });

  test('a builder that is dropped when its order fires is not restored', () => {
    expect(through(venue, alice, 10, [stop(false)]).outcomes[0]).not.toHaveProperty('builderDrop');
    revoke(venue, alice);
    venue.wait(1_000).oracle(940_000);
    approve(venue, alice, 10);
    expect(charges(plain(carol, buy(100, 940_000)))).toEqual([[0n, 0n]]);
  });
});

describe('R-grouping: all orders of a group have the builder of the action', () => {
  function grouped(grouping: Grouping, ...orders: readonly OrderRequest[]): void {
    const terms = { address: builder, feeTenthsBp: 10 };
    act(venue, alice, { type: 'placeOrders', orders, grouping, builder: terms });
  }
  const profit = waiting({ kind: 'takeProfit', price: 1_050_000, isMarket: false });
  const loss = waiting({ price: 950_000 });

  test('an action’s builder charges for a parent and its child', () => {
    grouped('normal', order(buy(100)), { ...profit, price: 1_050_000 }, loss);
    expect(charges(plain(bob, sell(100)))).toEqual([[0n, 10_000n]]);
    plain(carol, buy(100, 1_060_000));
    expect(charges(venue.wait(1_000).oracle(1_060_000))).toEqual([[10_600n, 0n]]);
    expect(earned(venue)).toBe(20_600n);
  });

  test('an action’s builder charges for orders attached to a position', () => {
    plain(bob, sell(100));
    plain(alice, buy(100));
    grouped('position', { ...profit, price: 1_050_000 }, loss);
    plain(carol, buy(100, 940_000));
    expect(charges(venue.wait(1_000).oracle(940_000))).toEqual([[9_400n, 0n]]);
  });
});

describe('the venue’s own orders and self-trades pay no builder fee', () => {
  test('R-stp: a resting order of the same account is cancelled together with its builder', () => {
    oneThrough(venue, alice, 10, sell(100));
    const result = oneThrough(venue, alice, 10, buy(100));
    expect(orderResults(result)).toEqual(['1 cancelled selfTrade', '2 open 100']);
    expect([...venue.state.orderBuilders.keys()]).toEqual([2]);
    expect(earned(venue)).toBe(0n);
  });

  test('R-liquidation: a liquidated account pays no builder fee, while its counterparty pays its own', () => {
    for (const trader of [dave, carol]) {
      venue.fund(trader, 60_000_000);
      approve(venue, trader, 20);
    }
    plain(bob, sell(1_000));
    expect(charges(oneThrough(venue, dave, 10, buy(1_000)))).toEqual([[100_000n, 0n]]);
    oneThrough(venue, dave, 10, buy(100, 900_000));
    oneThrough(venue, carol, 20, buy(1_000, 945_000));
    const result = venue.wait(1_000).oracle(950_000);
    expect(orderResults(result)).toContain('3 cancelled liquidation');
    expect(charges(result)).toEqual([[0n, 189_000n]]);
    expect(venue.position(dave)).toBe(0);
    expect(venue.state.orderBuilders.size).toBe(0);
  });
});
