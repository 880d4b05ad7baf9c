import { type Address, timeMs } from '@oddlot/units';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { applyBlock } from '../apply-block.ts';
import { checkCommand } from '../commands/commands.ts';
import { dump, restore } from '../dump/dump.ts';
import type { BlockResult } from '../messages/block.ts';
import type { BuilderTerms } from '../messages/command.ts';
import {
  approve,
  builder,
  charges,
  earned,
  oneThrough,
  revoke,
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
  Scenario,
} from '@oddlot/testing/engine/scenario';
import { act, checkRestarts, sign, waiting } from '@oddlot/testing/engine/waiting';
import { judgeBuilder } from './order-builder.ts';

/** One lot at this price is worth 1 USDC. */
const PRICE = 1_000_000;
/**
 * At this price, 33 lots are worth 33,023,100 micro-USDC, and the fee at 0.007% is 2,311.617. Two
 * fills cost 4,623.234 and three cost 6,934.851; a single fill pays 2,311.
 */
const ODD = 1_000_700;
const other = actor(0xb222d);
const sell = (size: number, price = PRICE): OrderShape => ({ isBuy: false, price, size });
const buy = (size: number, price = PRICE): OrderShape => ({ price, size });

let venue: Scenario;

/** Alice and bob approve up to 0.05% for the builder, whose balance is sufficient. */
beforeEach(() => {
  venue = Scenario.open({ accounts: [alice, bob, carol, builder, other] });
  for (const trader of [alice, bob]) approve(venue, trader, 50);
});

afterEach(() => {
  checkRestarts(venue);
});

function plain(signer: Address, shape: OrderShape): BlockResult {
  return act(venue, signer, { type: 'placeOrders', orders: [order(shape)] });
}

describe('R-builder: a builder is dropped for the first check it fails', () => {
  const f = (feeTenthsBp: number, address = builder): BuilderTerms => ({ address, feeTenthsBp });
  test.each([
    // The builder is not approved, exceeds the cap and lacks a sufficient balance; the first reason
    // is reported.
    ['notApproved', f(101, actor(0xdead)), 'perp', 0],
    ['overCap', f(101), 'perp', 100],
    ['overCap', f(1_001), 'outcome', 1_000],
    ['overApproval', f(100), 'perp', 50],
    ['overApproval', f(1_000), 'outcome', 50],
    ['overApproval', f(51), 'perp', 50],
    ['builderBalance', f(50), 'perp', 0],
    ['builderBalance', f(1), 'outcome', 0],
    // An order without a fee has nothing to drop.
    [undefined, f(0, actor(0xdead)), 'perp', 0],
  ] as const)(
    'the first failed check of a builder is reported: %s',
    (reason, terms, kind, allowedTenthsBp) => {
      setBalance(venue, builder, 99_999_999);
      const { feeTenthsBp } = terms;
      const drop = reason === undefined ? undefined : { reason, feeTenthsBp, allowedTenthsBp };
      expect(judgeBuilder(venue.state, venue.account(alice), terms, kind)).toEqual(drop);
    },
  );

  test('an approved rate between two steps permits the lower step', () => {
    const maxFeeE8 = 10_999;
    act(venue, alice, { type: 'approveBuilder', builder, maxFeeE8, maxFeeText: '0.010999%' });
    expect(judgeBuilder(venue.state, venue.account(alice), f(10), 'perp')).toBeUndefined();
    expect(judgeBuilder(venue.state, venue.account(alice), f(11), 'perp')).toEqual({
      reason: 'overApproval',
      feeTenthsBp: 11,
      allowedTenthsBp: 10,
    });
  });

  test('a builder needs a balance of 100 USDC, which an address without an account cannot have', () => {
    setBalance(venue, builder, 100_000_000);
    expect(judgeBuilder(venue.state, venue.account(alice), f(50), 'perp')).toBeUndefined();
    approve(venue, alice, 50, actor(0xdead));
    const terms = f(50, actor(0xdead));
    expect(judgeBuilder(venue.state, venue.account(alice), terms, 'perp')?.reason).toBe(
      'builderBalance',
    );
  });

  test('a dropped builder fee does not reject the order and is reported at admission and execution', () => {
    const orders = [order(buy(100)), order(buy(100, 990_000))];
    const command = sign(venue, carol, { type: 'placeOrders', orders, builder: f(10) });
    const builderDrop = { reason: 'notApproved', feeTenthsBp: 10, allowedTenthsBp: 0 };
    const admitted = checkCommand(venue.state, command, venue.nowMs);
    expect(admitted).toEqual({ account: carol, builderDrop });
    const outcome = venue.outcome(command);
    expect(outcome).toMatchObject({ account: carol, builderDrop });
    expect(outcome.entries?.map(({ state }) => state)).toEqual(['open', 'open']);
    expect(charges(plain(bob, sell(200, 990_000)))).toEqual([
      [0n, 0n],
      [0n, 0n],
    ]);
  });

  test('a charged fee and a fee of zero are not reported as dropped', () => {
    for (const fee of [50, 0]) {
      const { outcomes } = oneThrough(venue, alice, fee, buy(100));
      expect(outcomes[0]).not.toHaveProperty('builderDrop');
    }
    expect(venue.state.orderBuilders.size).toBe(1);
  });
});

describe('R-builder: each side of a fill pays its own order’s builder', () => {
  test('a taker pays the builder fee in addition to the exchange fee', () => {
    venue.one(bob, sell(100));
    const { events } = oneThrough(venue, alice, 10, buy(100));
    // The fees are 0.045% and 0.01% on 100 USDC.
    const trade = events.find((event) => event.type === 'tradeExecuted');
    expect(trade).toMatchObject({
      taker: { fee: 45_000n, builderFee: { builder, feeTenthsBp: 10, amount: 10_000n } },
      maker: { fee: 15_000n },
    });
    expect(trade?.maker).not.toHaveProperty('builderFee');
    expect(venue.balance(alice)).toBe(1_000_000_000n - 55_000n);
    expect(venue.holding(alice).feesPaid).toBe(55_000n);
    expect(venue.state.treasury).toBe(60_000n);
    expect(earned(venue)).toBe(10_000n);
  });

  test('a maker pays the builder fee at the price of the fill', () => {
    oneThrough(venue, bob, 10, sell(100, 1_010_000));
    expect(charges(plain(alice, buy(100, 1_020_000)))).toEqual([[0n, 10_100n]]);
    expect(venue.holding(bob).feesPaid).toBe(15_150n + 10_100n);
    expect(venue.balance(bob)).toBe(1_000_000_000n - 25_250n);
  });

  test('both sides of a fill pay their builders', () => {
    approve(venue, alice, 50, other);
    oneThrough(venue, bob, 20, sell(100));
    const result = through(venue, alice, 50, [order(buy(100))], other);
    expect(charges(result)).toEqual([[50_000n, 20_000n]]);
    expect([earned(venue), earned(venue, other)]).toEqual([20_000n, 50_000n]);
  });

  test('a builder can be the counterparty of a charged fill but cannot charge itself', () => {
    venue.one(builder, sell(100));
    expect(charges(oneThrough(venue, alice, 10, buy(100)))).toEqual([[10_000n, 0n]]);
    expect(approve(venue, builder, 10).reject?.reason).toBe('builderIsSelf');
  });
});

describe('R-rounding: builder fees for several fills round down once per order', () => {
  test('a taker that fills against three makers pays the same builder fee as for one fill', () => {
    for (const maker of [bob, carol, bob]) venue.one(maker, sell(33, ODD));
    expect(charges(oneThrough(venue, alice, 7, buy(99, ODD)))).toEqual([
      [2_311n, 0n],
      [2_312n, 0n],
      [2_311n, 0n],
    ]);
    expect(earned(venue)).toBe(6_934n);
  });

  test('a maker that is filled three times pays the same builder fee as for one fill', () => {
    oneThrough(venue, alice, 7, buy(99, ODD));
    const fills = [1, 2, 3].map(() => charges(plain(bob, sell(33, ODD))));
    expect(fills).toEqual([[[0n, 2_311n]], [[0n, 2_312n]], [[0n, 2_311n]]]);
    expect(venue.state.orderBuilders.size).toBe(0);
  });

  test('an order that takes liquidity and rests afterwards rounds the builder fee for each role separately', () => {
    venue.one(bob, sell(33, ODD));
    expect(charges(oneThrough(venue, alice, 7, buy(99, ODD)))).toEqual([[2_311n, 0n]]);
    const fills = [1, 2].map(() => charges(plain(bob, sell(33, ODD))));
    expect(fills).toEqual([[[0n, 2_311n]], [[0n, 2_312n]]]);
  });

  test('a builder fee below one micro-USDC is not shown and is charged with the next fill', () => {
    // At this price a lot is worth 0.05 USDC, so the fee at 0.001% is half a micro-USDC.
    venue.wait(1_000).oracle(50_000);
    plain(carol, sell(201, 50_000));
    plain(bob, buy(200, 50_000));
    plain(bob, sell(200, 50_000));
    const result = oneThrough(venue, alice, 1, buy(200, 50_000));
    expect(charges(result)).toEqual([
      [0n, 0n],
      [100n, 0n],
    ]);
    const [first] = result.events.filter((event) => event.type === 'tradeExecuted');
    expect(first).toMatchObject({ size: 1, maker: { account: carol } });
    expect(first?.taker).not.toHaveProperty('builderFee');
  });
});

describe('R-builder: a builder is checked again at each fill', () => {
  // Three fills cost 2,311.617 each; the fractions left uncharged are charged with the third.
  test.each([
    ['a revoked approval', () => revoke(venue, alice), () => approve(venue, alice, 7)],
    ['a lowered approval', () => approve(venue, alice, 6), () => approve(venue, alice, 7)],
    [
      'a builder without money',
      () => setBalance(venue, builder, 99_999_999),
      () => setBalance(venue, builder, 100_000_000),
    ],
  ])('%s suspends the fee of a resting order until it is restored', (_, end, begin) => {
    oneThrough(venue, alice, 7, buy(99, ODD));
    const fill = (): [bigint, bigint][] => charges(plain(bob, sell(33, ODD)));
    expect(fill()).toEqual([[0n, 2_311n]]);
    end();
    expect(fill()).toEqual([[0n, 0n]]);
    begin();
    expect(fill()).toEqual([[0n, 2_312n]]);
    expect(venue.holding(alice).feesPaid).toBe(14_861n + 4_623n);
  });

  test.each([
    ['notApproved', carol, 10, 0n],
    ['overApproval', alice, 51, 0n],
    ['overCap', bob, 101, 0n],
    // A low balance is only temporary: the builder charges again once its balance is sufficient.
    ['builderBalance', alice, 10, 10_000n],
  ])(
    'a builder that fails with %s at acceptance is checked again when the order fills',
    (reason, trader, fee, charged) => {
      setBalance(venue, builder, 99_999_999);
      const { outcomes } = oneThrough(venue, trader, fee, buy(100));
      expect(outcomes[0]).toMatchObject({ builderDrop: { reason }, entries: [{ state: 'open' }] });
      setBalance(venue, builder, 100_000_000);
      approve(venue, trader, 1_000);
      expect(charges(plain(trader === carol ? bob : carol, sell(100)))).toEqual([[0n, charged]]);
    },
  );
});

describe('R-determinism: the digest includes builder fees', () => {
  test.each([
    ['an order that rests', () => [order(buy(100))]],
    ['an order that waits', () => [waiting({ price: 900_000 }, { reduceOnly: false })]],
  ])('the builder of %s and its fee are in the digest', (_, orders) => {
    approve(venue, alice, 50, other);
    const before = JSON.stringify(dump(venue.state));
    const digest = (terms: BuilderTerms): string => {
      const state = restore(JSON.parse(before));
      const command = { type: 'placeOrders', orders: orders(), builder: terms } as const;
      const commands = [{ ...command, authority: venue.authority(alice, venue.nowMs + 1_000) }];
      const height = state.height + 1;
      return applyBlock(state, { height, timeMs: timeMs(venue.nowMs), commands }).digest;
    };
    const digests = [
      digest({ address: builder, feeTenthsBp: 10 }),
      digest({ address: builder, feeTenthsBp: 11 }),
      digest({ address: other, feeTenthsBp: 10 }),
      digest({ address: other, feeTenthsBp: 0 }),
    ];
    expect(new Set(digests).size).toBe(4);
  });
});
