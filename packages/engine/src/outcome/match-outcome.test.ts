import type { Address } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import {
  MARKET_ID,
  marketOf,
  openMarket,
  operate,
  fundsOf,
  sendShares,
  share,
  type ShareOrder,
  sharesOf,
  describeEvents,
} from '@oddlot/testing/engine/outcomes';
import { alice, bob, carol, type Scenario } from '@oddlot/testing/engine/scenario';

/**
 * Returns a venue where all accounts start with 900 USDC, 100 YES and 100 NO, and the taker fee
 * rate is 0.07.
 */
function venueOfHolders(): Scenario {
  const venue = openMarket();
  for (const account of [alice, bob, carol]) operate(venue, account, 'split', 10_000);
  return venue;
}

const buyYes = (price: number, size = 1_000): ShareOrder => ({ price, size });
const sellYes = (price: number, size = 1_000): ShareOrder => ({ sell: true, price, size });
const buyNo = (price: number, size = 1_000): ShareOrder => ({ leg: 'no', price, size });
const sellNo = (price: number, size = 1_000): ShareOrder => ({
  leg: 'no',
  sell: true,
  price,
  size,
});

describe('R-mint-burn: each side of a trade pays or receives the price of its own outcome', () => {
  // The taker’s limit is 0.05 better than needed, and the taker receives the improvement. The fee
  // is 0.07 × 10 × 0.60 × 0.40 = 0.168 for either outcome.
  test.each([
    {
      maker: buyYes(6_000),
      taker: sellYes(5_500),
      trade: 'transfer 10 at 0.6: bob sells yes 0.6 for 0.168, alice buys yes 0.6',
      makerHas: '894, 110 yes, 100 no',
      takerHas: '905.832, 90 yes, 100 no',
      pairs: 30_000,
    },
    {
      maker: buyYes(6_000),
      taker: buyNo(4_500),
      trade: 'mint 10 at 0.6: bob buys no 0.4 for 0.168, alice buys yes 0.6',
      makerHas: '894, 110 yes, 100 no',
      takerHas: '895.832, 100 yes, 110 no',
      pairs: 31_000,
    },
    {
      maker: sellNo(4_000),
      taker: sellYes(5_500),
      trade: 'burn 10 at 0.6: bob sells yes 0.6 for 0.168, alice sells no 0.4',
      makerHas: '904, 100 yes, 90 no',
      takerHas: '905.832, 90 yes, 100 no',
      pairs: 29_000,
    },
    {
      maker: sellNo(4_000),
      taker: buyNo(4_500),
      trade: 'transfer 10 at 0.6: bob buys no 0.4 for 0.168, alice sells no 0.4',
      makerHas: '904, 100 yes, 90 no',
      takerHas: '895.832, 100 yes, 110 no',
      pairs: 30_000,
    },
    {
      maker: sellYes(6_000),
      taker: buyYes(6_500),
      trade: 'transfer 10 at 0.6: bob buys yes 0.6 for 0.168, alice sells yes 0.6',
      makerHas: '906, 90 yes, 100 no',
      takerHas: '893.832, 110 yes, 100 no',
      pairs: 30_000,
    },
    {
      maker: sellYes(6_000),
      taker: sellNo(3_500),
      trade: 'burn 10 at 0.6: bob sells no 0.4 for 0.168, alice sells yes 0.6',
      makerHas: '906, 90 yes, 100 no',
      takerHas: '903.832, 100 yes, 90 no',
      pairs: 29_000,
    },
    {
      maker: buyNo(4_000),
      taker: buyYes(6_500),
      trade: 'mint 10 at 0.6: bob buys yes 0.6 for 0.168, alice buys no 0.4',
      makerHas: '896, 100 yes, 110 no',
      takerHas: '893.832, 110 yes, 100 no',
      pairs: 31_000,
    },
    {
      maker: buyNo(4_000),
      taker: sellNo(3_500),
      trade: 'transfer 10 at 0.6: bob sells no 0.4 for 0.168, alice buys no 0.4',
      makerHas: '896, 100 yes, 110 no',
      takerHas: '903.832, 100 yes, 90 no',
      pairs: 30_000,
    },
  ])(
    'two orders result in the trade: $trade',
    ({ maker, makerHas, pairs, taker, takerHas, trade }) => {
      const venue = venueOfHolders();
      share(venue, alice, maker);
      const result = sendShares(venue, bob, taker);
      expect(describeEvents(result)).toEqual([trade, '#1 filled', '#2 filled']);
      expect(fundsOf(venue, alice)).toBe(makerHas);
      expect(fundsOf(venue, bob)).toBe(takerHas);
      expect(marketOf(venue).pairs).toBe(pairs);
      expect(marketOf(venue).locked).toBe(BigInt(pairs) * 10_000n);
      expect(marketOf(venue).lastTrade).toBe(6_000);
    },
  );

  test.each([
    ['buys of both legs below 1.00', buyYes(5_500), buyNo(4_400)],
    ['sells of both legs above 1.00', sellYes(5_500), sellNo(4_600)],
    ['a YES sell above the YES bid', buyYes(5_500), sellYes(5_600)],
    ['a NO sell above the NO bid', buyNo(4_500), sellNo(4_600)],
  ])('orders that do not cross rest side by side: %s', (_name, first, second) => {
    const venue = venueOfHolders();
    share(venue, alice, first);
    expect(share(venue, bob, second).state).toBe('open');
    expect(marketOf(venue).book.orderCount).toBe(2);
  });
});

describe('R-reserve: a resting order reserves its maximum cost', () => {
  test.each([
    // The reserve is 0.60 × 10 plus the fee at the limit, 0.168.
    ['buy yes 0.60', buyYes(6_000), '893.832 + 6.168 reserved, 100 yes, 100 no'],
    ['buy no 0.40', buyNo(4_000), '895.832 + 4.168 reserved, 100 yes, 100 no'],
    // The reserve is 0.01 × 10 + 0.07 × 10 × 0.01 × 0.99.
    ['buy yes 0.01', buyYes(100), '899.89307 + 0.10693 reserved, 100 yes, 100 no'],
    ['sell yes 0.60', sellYes(6_000), '900, 100 yes (10 offered), 100 no'],
    ['sell no 0.40', sellNo(4_000), '900, 100 yes, 100 no (10 offered)'],
  ])(
    'the order %s reserves its money or shares until it is cancelled',
    (_name, order, reserved) => {
      const venue = venueOfHolders();
      const { orderId = 0 } = share(venue, alice, order);
      expect(fundsOf(venue, alice)).toBe(reserved);
      const cancels = [{ instrumentId: MARKET_ID, orderId }];
      const authority = venue.authority(alice);
      venue.block({ type: 'cancelOrders', authority, cancels });
      expect(fundsOf(venue, alice)).toBe('900, 100 yes, 100 no');
    },
  );

  test('a fill releases its excess reserve, and the remainder of the order keeps the reserve it needs', () => {
    const venue = venueOfHolders();
    // At 0.50, 40 shares need 20 plus a maximum fee of 0.7.
    share(venue, alice, buyYes(5_000, 4_000));
    expect(fundsOf(venue, alice)).toBe('879.3 + 20.7 reserved, 100 yes, 100 no');
    share(venue, bob, sellYes(4_000, 1_000));
    // Makers pay no fee: 30 shares remain, with a reserve of 15 plus a fee of 0.525.
    expect(fundsOf(venue, alice)).toBe('879.475 + 15.525 reserved, 110 yes, 100 no');
    // Bob buys 30 at 0.50 with a limit of NO 0.60 and rests with 10, which reserve 6 + 0.07 × 10 ×
    // 0.24. He paid 15 plus a fee of 0.525 for the 30 shares, after receiving 5 less 0.175.
    share(venue, bob, buyNo(6_000, 4_000));
    expect(fundsOf(venue, alice)).toBe('880, 140 yes, 100 no');
    expect(fundsOf(venue, bob)).toBe('883.132 + 6.168 reserved, 90 yes, 130 no');
  });
});

describe('R-book: orders of both outcomes share one priority', () => {
  test('sells of YES and buys of NO at one level trade in order of acceptance', () => {
    const venue = venueOfHolders();
    share(venue, alice, buyNo(4_000, 500));
    share(venue, carol, sellYes(6_000, 500));
    share(venue, alice, sellYes(6_000, 500));
    share(venue, carol, buyNo(4_000, 500));
    share(venue, carol, sellYes(5_900, 500));
    expect(describeEvents(sendShares(venue, bob, buyYes(6_100, 2_200)))).toEqual([
      'transfer 5 at 0.59: bob buys yes 0.59 for 0.084665, carol sells yes 0.59',
      '#5 filled',
      'mint 5 at 0.6: bob buys yes 0.6 for 0.084, alice buys no 0.4',
      '#1 filled',
      'transfer 5 at 0.6: bob buys yes 0.6 for 0.084, carol sells yes 0.6',
      '#2 filled',
      'transfer 5 at 0.6: bob buys yes 0.6 for 0.084, alice sells yes 0.6',
      '#3 filled',
      'mint 2 at 0.6: bob buys yes 0.6 for 0.0336, carol buys no 0.4',
      '#4 open 3',
      '#6 filled',
    ]);
  });

  test('buys of YES and sells of NO at one level trade in order of acceptance', () => {
    const venue = venueOfHolders();
    share(venue, alice, sellNo(4_000, 500));
    share(venue, carol, buyYes(6_000, 500));
    share(venue, carol, sellNo(3_900, 500));
    expect(describeEvents(sendShares(venue, bob, sellYes(6_000, 1_500)))).toEqual([
      'burn 5 at 0.61: bob sells yes 0.61 for 0.083265, carol sells no 0.39',
      '#3 filled',
      'burn 5 at 0.6: bob sells yes 0.6 for 0.084, alice sells no 0.4',
      '#1 filled',
      'transfer 5 at 0.6: bob sells yes 0.6 for 0.084, carol buys yes 0.6',
      '#2 filled',
      '#4 filled',
    ]);
  });
});

describe('R-outcome-fee: the fee is rate × size × p × (1 − p), rounded up once per order', () => {
  test('100 shares at 0.30 with a rate of 0.07 cost a fee of 1.47 USDC for either outcome', () => {
    const venue = venueOfHolders();
    share(venue, alice, sellYes(3_000, 10_000));
    expect(describeEvents(sendShares(venue, bob, buyYes(3_000, 10_000)))[0]).toContain('for 1.47,');
    share(venue, alice, buyNo(7_000, 10_000));
    expect(describeEvents(sendShares(venue, bob, buyYes(3_000, 10_000)))[0]).toContain('for 1.47,');
    expect(venue.state.treasury).toBe(2_940_000n);
  });

  test('partial fills of an outcome order cost the same rounded fee as one fill', () => {
    // A lot at 0.50 costs 0.01 × 0.07 × 0.25 = 175 micro-USDC at a rate of 0.07. At a rate of
    // 0.0000601, a fill of 100 lots costs 15.025, so three fills cost 46 in total, not 48.
    const venue = openMarket({ takerFeeE8: 6_010, minOrderSize: 1 });
    operate(venue, alice, 'split', 10_000);
    for (let n = 0; n < 3; n++) share(venue, alice, sellYes(5_000, 100));
    const trades = describeEvents(sendShares(venue, bob, buyYes(5_000, 300)));
    expect(trades.filter((line) => line.startsWith('transfer'))).toEqual([
      'transfer 1 at 0.5: bob buys yes 0.5 for 0.000016, alice sells yes 0.5',
      'transfer 1 at 0.5: bob buys yes 0.5 for 0.000015, alice sells yes 0.5',
      'transfer 1 at 0.5: bob buys yes 0.5 for 0.000015, alice sells yes 0.5',
    ]);
    expect(venue.state.treasury).toBe(46n);
  });

  test('a market without a fee charges nothing', () => {
    const venue = openMarket({ takerFeeE8: 0 });
    share(venue, alice, buyYes(6_000));
    expect(describeEvents(sendShares(venue, bob, buyNo(4_000)))[0]).toBe(
      'mint 10 at 0.6: bob buys no 0.4, alice buys yes 0.6',
    );
  });
});

describe('R-stp: an order does not trade with other orders of its own account', () => {
  test.each([
    ['transfer', sellYes(6_000), buyYes(6_000)],
    ['mint', buyNo(4_000), buyYes(6_000)],
    ['burn', sellYes(6_000), sellNo(4_000)],
    ['transfer of NO', buyNo(4_000), sellNo(4_000)],
  ])(
    'an incoming order cancels a resting order of the same account instead of trading with it: %s',
    (_kind, resting, incoming) => {
      const venue = venueOfHolders();
      share(venue, alice, resting);
      expect(describeEvents(sendShares(venue, alice, incoming))).toEqual([
        '#1 cancelled selfTrade',
        '#2 open 10',
      ]);
      expect(venue.state.treasury).toBe(0n);
    },
  );

  test('after cancelling an order of the same account, matching continues with the next order', () => {
    const venue = venueOfHolders();
    share(venue, alice, buyNo(4_000));
    share(venue, carol, buyNo(4_000));
    expect(describeEvents(sendShares(venue, alice, buyYes(6_000, 1_500)))).toEqual([
      '#1 cancelled selfTrade',
      'mint 10 at 0.6: alice buys yes 0.6 for 0.168, carol buys no 0.4',
      '#2 filled',
      '#3 open 5',
    ]);
  });
});

test('an outcome position keeps its cost, realised PnL and fees until it is empty', () => {
  const venue = openMarket();
  const of = (account: Address) => sharesOf(venue, account)?.yes;
  share(venue, alice, buyNo(4_000, 3_000));
  share(venue, bob, buyYes(6_000, 3_000));
  expect(of(bob)).toMatchObject({ size: 3_000, cost: 18_000_000n, feesPaid: 504_000n });
  // A third of the shares, which had cost 6.00, is sold for 7.00.
  share(venue, carol, buyYes(7_000));
  share(venue, bob, sellYes(7_000));
  expect(of(bob)).toMatchObject({
    size: 2_000,
    cost: 12_000_000n,
    realised: 1_000_000n,
    feesPaid: 651_000n,
  });
  share(venue, carol, buyYes(5_000, 2_000));
  share(venue, bob, sellYes(5_000, 2_000));
  expect(of(bob)).toMatchObject({ size: 0, cost: 0n, realised: -1_000_000n });
  share(venue, carol, sellYes(5_000));
  share(venue, bob, buyYes(5_000));
  expect(of(bob)).toMatchObject({ size: 1_000, cost: 5_000_000n, realised: 0n });
});
