import { expect, test } from 'vitest';
import { approve, builder, revoke, through } from '@oddlot/testing/engine/builders';
import {
  later,
  openMarket,
  operate,
  fundsOf,
  share,
  shareOrder,
  type ShareOrder,
  describeEvents,
} from '@oddlot/testing/engine/outcomes';
import { alice, bob, type Scenario } from '@oddlot/testing/engine/scenario';
import { checkRestarts } from '@oddlot/testing/engine/waiting';

/**
 * The orders for tests of builder fees (R-builder). The builder fee is 1% of the notional at the
 * price of the outcome, in addition to the taker fee.
 */

const bid: ShareOrder = { price: 6_000, size: 1_000 };
const mints: ShareOrder = { leg: 'no', price: 4_000, size: 1_000 };

function builtVenue(options: Parameters<typeof openMarket>[0] = {}): Scenario {
  const venue = openMarket(options);
  venue.fund(builder, 100_000_000);
  for (const account of [alice, bob]) approve(venue, account, 1_000);
  return venue;
}

function send(venue: Scenario, account: typeof alice, order: ShareOrder) {
  return through(venue, account, 1_000, [shareOrder(order)]);
}

function earned(venue: Scenario): bigint {
  return venue.state.builderRewards.get(builder)?.earned ?? 0n;
}

test('each side of a mint pays its own builder at the price of its outcome', () => {
  const venue = builtVenue();
  send(venue, alice, bid);
  // The reserve is 6.00, a maximum taker fee of 0.168, and a builder fee of 0.06.
  expect(fundsOf(venue, alice)).toBe('993.772 + 6.228 reserved');
  send(venue, bob, mints);
  expect(fundsOf(venue, alice)).toBe('993.94, 10 yes');
  expect(fundsOf(venue, bob)).toBe('995.792, 10 no');
  expect(earned(venue)).toBe(60_000n + 40_000n);
});

test('a sell pays its builder from the proceeds', () => {
  const venue = builtVenue();
  operate(venue, bob, 'split', 1_000);
  share(venue, alice, bid);
  send(venue, bob, { ...bid, sell: true });
  // Bob has 990 and receives 6.00 less fees of 0.168 and 0.06.
  expect(fundsOf(venue, bob)).toBe('995.772, 10 no');
});

test('an approval revoked before the fill drops the builder fee and releases its reserve', () => {
  const venue = builtVenue();
  send(venue, alice, bid);
  revoke(venue, alice);
  share(venue, bob, mints);
  expect(fundsOf(venue, alice)).toBe('994, 10 yes');
  expect(earned(venue)).toBe(0n);
});

test('R-reserve: a buy that fills as a taker and later as a maker leaves no reserve', () => {
  const venue = builtVenue();
  // At 0.001%, the fee on 1.8611 is 18.611 micro-USDC per role; the two uncharged fractions add up
  // to one more micro-USDC.
  const half: ShareOrder = { price: 3_700, size: 503 };
  operate(venue, bob, 'split', 1_006);
  share(venue, bob, { ...half, sell: true });
  through(venue, alice, 1, [shareOrder({ ...half, size: 1_006 })]);
  share(venue, bob, { ...half, sell: true });
  expect(venue.account(alice).outcomeReserved).toBe(0n);
  expect(fundsOf(venue, alice)).not.toContain('reserved');
  expect(earned(venue)).toBe(36n);
});

test('R-reserve: a buy that fills in several parts as a taker leaves no reserve', () => {
  const venue = builtVenue();
  const half: ShareOrder = { price: 3_700, size: 503 };
  operate(venue, bob, 'split', 1_006);
  share(venue, bob, { ...half, sell: true });
  share(venue, bob, { ...half, sell: true });
  through(venue, alice, 1, [shareOrder({ ...half, size: 1_006 })]);
  expect(venue.account(alice).outcomeReserved).toBe(0n);
  expect(earned(venue)).toBe(37n);
});

test('a queued order keeps its builder, even after a restart', () => {
  const venue = builtVenue({ orderDelayMs: 250 });
  share(venue, alice, { ...bid, size: 500 });
  send(venue, bob, mints);
  expect(fundsOf(venue, bob)).toBe('995.792 + 4.208 reserved');
  expect(describeEvents(later(venue, 250))).toEqual([
    'mint 5 at 0.6: bob buys no 0.4 for 0.084, alice buys yes 0.6',
    '#1 filled',
    '#2 open 5',
  ]);
  expect(earned(venue)).toBe(20_000n);
  expect(fundsOf(venue, bob)).toBe('995.792 + 2.104 reserved, 5 no');
  share(venue, alice, { ...bid, size: 500 });
  later(venue, 250);
  // As a maker, bob pays the builder but no taker fee.
  expect(earned(venue)).toBe(40_000n);
  expect(fundsOf(venue, bob)).toBe('995.876, 10 no');
  checkRestarts(venue);
});

test('R-gate: a queued buy is checked again at its release, and a sell always passes', () => {
  const venue = openMarket({ orderDelayMs: 250 });
  operate(venue, bob, 'split', 1_000);
  share(venue, alice, { ...bid, size: 2_000 });
  share(venue, bob, mints);
  share(venue, bob, { ...bid, sell: true });
  venue.block({ type: 'setGate', channel: 1, mode: 'closed' });
  expect(describeEvents(later(venue, 250))).toEqual([
    'refused gated',
    'transfer 10 at 0.6: bob sells yes 0.6 for 0.168, alice buys yes 0.6',
    '#1 open 10',
    '#2 filled',
  ]);
  expect(fundsOf(venue, bob)).toBe('995.832, 10 no');
  // Splits add risk, and merges do not.
  expect(operate(venue, alice, 'split', 100).reject?.reason).toBe('gated');
  expect(operate(venue, bob, 'merge', 1).reject?.reason).toBe('pairsInsufficient');
});
