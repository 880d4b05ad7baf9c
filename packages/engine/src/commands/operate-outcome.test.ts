import { instrumentId } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { checkCommand } from './commands.ts';
import type { OperateOutcomeCommand } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import {
  decide,
  MARKET,
  MARKET_ID,
  marketOf,
  openMarket,
  operate,
  fundsOf,
  setPhase,
  share,
  sharesOf,
} from '@oddlot/testing/engine/outcomes';
import { alice, bob, type Scenario } from '@oddlot/testing/engine/scenario';

const OTHER_ID = instrumentId(100_001);

function twoMarkets(): Scenario {
  const venue = openMarket();
  venue.block({ type: 'registerMarket', market: { ...MARKET, slug: 'other' } });
  return venue;
}

function send(
  venue: Scenario,
  kind: 'split' | 'merge',
  ...entries: OperateOutcomeCommand['entries']
) {
  const command = {
    type: 'operateOutcome',
    authority: venue.authority(alice),
    kind,
    entries,
  } as const;
  const admitted = checkCommand(venue.state, command, venue.nowMs);
  const outcome = venue.outcome(command);
  expect(admitted).toEqual(outcome);
  return outcome;
}

describe('R-split-merge: splits and merges convert between USDC and pairs', () => {
  test('a split locks 1.00 per pair and books each outcome at 0.50; a merge returns the money', () => {
    const venue = openMarket();
    expect(operate(venue, alice, 'split', 1_234)).toEqual({ account: alice });
    expect(fundsOf(venue, alice)).toBe('987.66, 12.34 yes, 12.34 no');
    expect(sharesOf(venue, alice)).toMatchObject({
      yes: { cost: 6_170_000n },
      no: { cost: 6_170_000n },
    });
    expect(marketOf(venue)).toMatchObject({ pairs: 1_234, locked: 12_340_000n, lastTrade: 0 });
    const updatedMs = venue.wait(1).nowMs;
    operate(venue, alice, 'merge', 1_234);
    expect(fundsOf(venue, alice)).toBe('1000');
    expect(sharesOf(venue, alice)).toMatchObject({ yes: { updatedMs }, no: { updatedMs } });
    expect(marketOf(venue)).toMatchObject({ pairs: 0, locked: 0n });
  });

  test('a merge closes each outcome at 0.50, regardless of its cost', () => {
    const venue = openMarket({ takerFeeE8: 0 });
    share(venue, alice, { price: 7_000, size: 1_000 });
    share(venue, bob, { leg: 'no', price: 3_000, size: 1_000 });
    share(venue, alice, { leg: 'no', price: 2_000, size: 1_000 });
    share(venue, bob, { leg: 'no', sell: true, price: 2_000, size: 1_000 });
    const [event] = venue.block({
      type: 'operateOutcome',
      authority: venue.authority(alice),
      kind: 'merge',
      entries: [{ instrumentId: MARKET_ID, size: 400 }],
    }).events;
    // The merge realises a PnL of 4 × (0.50 − 0.70) and 4 × (0.50 − 0.20).
    expect(event).toMatchObject({ type: 'sharesOperated', realised: [-800_000n, 1_200_000n] });
    expect(sharesOf(venue, alice)).toMatchObject({
      yes: { size: 600, cost: 4_200_000n },
      no: { size: 600, cost: 1_200_000n },
    });
  });

  test('a split or merge executes either all of its entries or none', () => {
    const venue = twoMarkets();
    const first = { instrumentId: MARKET_ID, size: 60_000 };
    expect(send(venue, 'split', first, { ...first, instrumentId: OTHER_ID })).toMatchObject({
      rejectIndex: 1,
      reject: {
        reason: 'balanceInsufficient',
        required: 600_000_000n,
        available: 400_000_000n,
      },
    });
    expect(fundsOf(venue, alice)).toBe('1000');
    expect(send(venue, 'split', { ...first, size: 40_000 }, first).reject).toBeUndefined();
    expect(fundsOf(venue, alice)).toBe('0, 1000 yes, 1000 no');
    expect(send(venue, 'merge', { ...first, size: 99_999 }, { ...first, size: 2 })).toMatchObject({
      rejectIndex: 1,
      reject: { reason: 'pairsInsufficient', required: 2, available: 1 },
    });
  });

  test.each([
    ['a perp', { instrumentId: instrumentId(1), size: 1 }, 'outcomeUnknown'],
    ['no market', { instrumentId: OTHER_ID, size: 1 }, 'instrumentUnknown'],
    ['no size', { instrumentId: MARKET_ID, size: 0 }, 'sizeBelowMin'],
    ['part of a lot', { instrumentId: MARKET_ID, size: 0, sizeInexact: true }, 'sizeOffLot'],
    ['too much', { instrumentId: MARKET_ID, size: 1e12 + 1 }, 'sizeAboveMax'],
  ] as const)('an operation with %s is rejected', (_name, entry, reason) => {
    for (const kind of ['split', 'merge'] as const) {
      expect(send(openMarket(), kind, entry)).toMatchObject({ reject: { reason } });
    }
  });

  test('shares in open sells cannot be merged, and money reserved by buys cannot be split', () => {
    const venue = openMarket();
    operate(venue, alice, 'split', 1_000);
    share(venue, alice, { leg: 'no', sell: true, price: 9_000, size: 900 });
    expect(operate(venue, alice, 'merge', 101).reject?.reason).toBe('pairsInsufficient');
    expect(operate(venue, alice, 'merge', 100).reject).toBeUndefined();
    share(venue, alice, { price: 5_000, size: 100_000 });
    expect(operate(venue, alice, 'split', 47_350 + 1).reject?.reason).toBe('balanceInsufficient');
    expect(operate(venue, alice, 'split', 47_350).reject).toBeUndefined();
    expect(fundsOf(venue, alice)).toBe('0 + 517.5 reserved, 482.5 yes, 482.5 no (9 offered)');
  });

  test('splits need an open market, and merges are possible until resolution', () => {
    const venue = openMarket();
    operate(venue, alice, 'split', 1_000);
    const refusals: (string | undefined)[] = [];
    const tryBoth = () => {
      refusals.push(operate(venue, alice, 'split', 1).reject?.reason);
      refusals.push(operate(venue, alice, 'merge', 1).reject?.reason);
    };
    setPhase(venue, 'halted');
    tryBoth();
    setPhase(venue, 'closed');
    tryBoth();
    decide(venue, 0);
    tryBoth();
    expect(refusals).toEqual([
      'tradingHalted',
      undefined,
      'marketClosed',
      undefined,
      'marketResolved',
      'marketResolved',
    ]);
  });
});

test('R-transfer: money reserved by a resting buy cannot be sent and is listed in the rejection', () => {
  const venue = openMarket({ takerFeeE8: 0, funds: 10_000_000 });
  share(venue, alice, { price: 4_000, size: 1_000 });
  const send = (amountMicroUsdc: number): Reject | undefined =>
    venue.outcome({
      type: 'sendToken',
      authority: venue.authority(alice),
      destination: bob,
      token: 0,
      amountMicroUsdc,
      from: 'outcome',
      to: 'outcome',
    }).reject;
  // Of the 10 USDC, 4 are reserved for 10 shares at 0.40.
  expect(send(6_000_001)).toEqual({
    reason: 'balanceInsufficient',
    required: 6_000_001n,
    available: 6_000_000n,
    reservedBy: [{ what: 'orders', amount: 4_000_000n }],
  });
  expect(send(6_000_000)).toBeUndefined();
});
