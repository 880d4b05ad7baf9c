import { type InstrumentId, instrumentId, timeMs } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { applyBlock } from '../apply-block.ts';
import { checkCommand } from '../commands/commands.ts';
import { dump, restore, type StateDump } from '../dump/dump.ts';
import { LIMITS } from '../messages/limits.ts';
import { nextDueMs } from '../read/read-health.ts';
import {
  decide,
  fundOutcome,
  later,
  MARKET,
  MARKET_ID,
  marketOf,
  openMarket,
  operate,
  fundsOf,
  setPhase,
  share,
  describeEvents,
} from '@oddlot/testing/engine/outcomes';
import { actor, alice, bob, carol, type Scenario, START_MS } from '@oddlot/testing/engine/scenario';
import { checkRestarts } from '@oddlot/testing/engine/waiting';

describe('R-settlement: holders of shares are paid', () => {
  /** Alice has 10 YES that cost 6.00, Bob has 10 NO that cost 4.00, and Carol has 3.33 of each. */
  function holders(): Scenario {
    const venue = openMarket({ takerFeeE8: 0 });
    share(venue, alice, { price: 6_000, size: 1_000 });
    share(venue, bob, { leg: 'no', price: 4_000, size: 1_000 });
    operate(venue, carol, 'split', 333);
    setPhase(venue, 'closed');
    return venue;
  }

  test.each([
    [10_000, [10, 0, 3.33, 0], '1004', '996'],
    [0, [0, 10, 0, 3.33], '994', '1006'],
    [5_000, [5, 5, 1.665, 1.665], '999', '1001'],
    [3_333, [3.333, 6.667, 1.109889, 2.220111], '997.333', '1002.667'],
    [1, [0.001, 9.999, 0.000333, 3.329667], '994.001', '1005.999'],
  ])(
    'a pair of YES and NO pays exactly 1.00 at f = %d / 10,000',
    (fraction, [toAlice, toBob, yes, no], aliceHas, bobHas) => {
      const venue = holders();
      expect(describeEvents(decide(venue, fraction))).toEqual([
        'closed to resolved',
        `alice: 10 yes pay ${toAlice}`,
        `bob: 10 no pay ${toBob}`,
        `carol: 3.33 yes pay ${yes}`,
        `carol: 3.33 no pay ${no}`,
      ]);
      expect(fundsOf(venue, alice)).toBe(aliceHas);
      expect(fundsOf(venue, bob)).toBe(bobHas);
      expect(fundsOf(venue, carol)).toBe('1000');
      expect(venue.state.outcomes.settled.get(MARKET_ID)).toMatchObject({
        fraction,
        slug: 'market',
      });
      expect(venue.state.outcomes.markets.size).toBe(0);
    },
  );

  test('a holder’s settlement event includes the cost of the shares', () => {
    const rows = decide(holders(), 10_000).events.filter(({ type }) => type === 'sharesSettled');
    expect(rows).toMatchObject([
      { leg: 'yes', cost: 6_000_000n, amount: 10_000_000n, fraction: 10_000 },
      { leg: 'no', cost: 4_000_000n, amount: 0n },
      { leg: 'yes', cost: 1_665_000n },
      { leg: 'no', cost: 1_665_000n },
    ]);
  });

  test.each([
    ['an unknown market', { instrumentId: instrumentId(100_009) }, 'instrumentUnknown'],
    ['above 1', { fraction: 10_001 }, 'definitionInvalid'],
    ['below 0', { fraction: -1 }, 'definitionInvalid'],
    ['part of a price unit', { fraction: 3_333, fractionInexact: true }, 'fractionInexact'],
    ['just above 1', { fraction: 10_000, fractionInexact: true }, 'definitionInvalid'],
  ] as const)('an invalid resolution is rejected: %s', (_name, change, reason) => {
    const venue = holders();
    const command = {
      type: 'resolveMarket',
      instrumentId: MARKET_ID,
      fraction: 0,
      oracleOutcome: null,
      evidence: null,
      ...change,
    } as const;
    const admitted = checkCommand(venue.state, command, venue.nowMs);
    expect(venue.outcome(command)).toEqual(admitted);
    expect(admitted.reject?.reason).toBe(reason);
  });

  test('a market can be resolved only once and only while closed', () => {
    const venue = openMarket({ startMs: timeMs(START_MS + 60_000) });
    const refusal = () => decide(venue, 0).outcomes[0]?.reject;
    const from = (phase: string) => ({ reason: 'phaseChangeInvalid', from: phase, to: 'resolved' });
    expect(refusal()).toMatchObject(from('upcoming'));
    setPhase(venue, 'open');
    expect(refusal()).toMatchObject(from('open'));
    setPhase(venue, 'halted');
    expect(refusal()).toMatchObject(from('halted'));
    setPhase(venue, 'closed');
    expect(refusal()).toBeUndefined();
    expect(refusal()).toEqual({ reason: 'alreadyResolved', instrumentId: MARKET_ID });
    // The id and the slug cannot be reused.
    const market = { ...MARKET, startMs: timeMs(START_MS) };
    const again = (change: object) =>
      venue.outcome({ type: 'registerMarket', market: { ...market, ...change } }).reject?.reason;
    expect(again({})).toBe('slugUsed');
    expect(again({ slug: 'new', instrumentId: MARKET_ID })).toBe('instrumentIdUsed');
  });
});

describe('R-event-sets: the fractions of an exclusive event sum to one', () => {
  const IDS = [0, 1, 2].map((n) => instrumentId(100_000 + n));
  test.each<[string, readonly (readonly [number, boolean])[]]>([
    [
      'one YES, the others NO',
      [
        [10_000, true],
        [0, true],
        [0, true],
      ],
    ],
    [
      'a second YES',
      [
        [10_000, true],
        [10_000, false],
        [0, true],
      ],
    ],
    [
      'any above nothing after a YES',
      [
        [10_000, true],
        [1, false],
      ],
    ],
    [
      'the last must be YES',
      [
        [0, true],
        [0, true],
        [9_999, false],
        [0, false],
        [10_000, true],
      ],
    ],
    [
      'fractions',
      [
        [2_500, true],
        [7_501, false],
        [5_000, true],
        [2_499, false],
        [2_500, true],
      ],
    ],
  ])('fractions of an exclusive event must sum to 1: %s', (_name, results) => {
    const venue = openMarket({ event: { mutuallyExclusive: true } });
    for (const slug of ['b', 'c']) {
      venue.block({ type: 'registerMarket', market: { ...MARKET, slug } });
    }
    setPhase(venue, 'closed', ...IDS);
    let next = 0;
    for (const [fraction, isTaken] of results) {
      const reject = decide(venue, fraction, IDS[next] as InstrumentId).outcomes[0]?.reject;
      expect(reject).toEqual(isTaken ? undefined : { reason: 'fractionsOff' });
      if (isTaken) next += 1;
    }
    checkRestarts(venue);
  });

  test('fractions for markets with different grids are summed in one unit', () => {
    const venue = openMarket({ event: { mutuallyExclusive: true } });
    const fine = { ...MARKET, slug: 'b', szDecimals: 0, priceTick: 10_000 };
    venue.block({ type: 'registerMarket', market: fine });
    setPhase(venue, 'closed', ...IDS.slice(0, 2));
    expect(decide(venue, 2_500, IDS[0]).outcomes[0]?.reject).toBeUndefined();
    expect(decide(venue, 7_500, IDS[1]).outcomes[0]?.reject?.reason).toBe('fractionsOff');
    expect(decide(venue, 750_000, IDS[1]).outcomes[0]?.reject).toBeUndefined();
  });

  test('fractions in other events can have any sum', () => {
    const venue = openMarket();
    venue.block({ type: 'registerMarket', market: { ...MARKET, slug: 'b' } });
    setPhase(venue, 'closed', ...IDS.slice(0, 2));
    for (const id of IDS.slice(0, 2)) {
      expect(decide(venue, 10_000, id).outcomes[0]?.reject).toBeUndefined();
    }
  });
});

test('many holders are paid in batches, and the venue keeps running in between', () => {
  const venue = openMarket({ orderDelayMs: 10_000 });
  const other = instrumentId(100_001);
  venue.block({ type: 'registerMarket', market: { ...MARKET, slug: 'other' } });
  venue.checks = false;
  const count = LIMITS.settlementsPerBlock + 300;
  const holders = Array.from({ length: count }, (_, n) => actor(0x5e771e00 + n));
  for (let n = 0; n < count; n += 100) {
    const some = holders.slice(n, n + 100);
    venue.block(
      ...some.map(
        (account) =>
          ({
            type: 'creditFaucet',
            account,
            subAccount: 'outcome',
            amountMicroUsdc: 10_000_000,
          }) as const,
      ),
    );
    venue.block(
      ...some.map(
        (account) =>
          ({
            type: 'operateOutcome',
            authority: venue.authority(account),
            kind: 'split',
            entries: [{ instrumentId: MARKET_ID, size: 1_000 }],
          }) as const,
      ),
    );
  }
  venue.checks = true;
  const last = holders.at(-1) ?? alice;
  // An account that is paid later has a queued sell.
  share(venue, alice, { price: 6_000, size: 1_000 });
  expect(share(venue, last, { sell: true, price: 6_000, size: 1_000 }).state).toBe('queued');
  setPhase(venue, 'closed');
  const paid = describeEvents(decide(venue, 2_500)).filter((line) => line.includes('pay'));
  expect(paid).toHaveLength(2 * (LIMITS.settlementsPerBlock - 1));
  expect(nextDueMs(venue.state)).toBe(venue.nowMs);
  const middle = venue.blocks.length;
  const restored = restore(JSON.parse(JSON.stringify(dump(venue.state))) as StateDump);
  expect(dump(restored)).toEqual(dump(venue.state));
  // An account that has not been paid yet cannot act in the market; other markets continue.
  expect(marketOf(venue).phase).toBe('resolved');
  const before = venue.block(
    {
      type: 'operateOutcome',
      authority: venue.authority(last),
      kind: 'merge',
      entries: [{ instrumentId: MARKET_ID, size: 1 }],
    },
    { type: 'setTrading', instrumentIds: [other], to: 'closed' },
  );
  expect(before.outcomes[0]?.reject?.reason).toBe('marketResolved');
  expect(venue.state.outcomes.markets.has(MARKET_ID)).toBe(false);
  expect(fundsOf(venue, last)).toBe('10');
  decide(venue, 0, other);
  expect(describeEvents(later(venue, 10_000))).toEqual(['refused marketResolved']);
  fundOutcome(venue, last, 1_000_000);
  expect(fundsOf(venue, last)).toBe('11');
  // A venue that is restarted in between gets the same result.
  for (const { commands, timeMs: at } of venue.blocks.slice(middle)) {
    applyBlock(restored, { height: restored.height + 1, timeMs: timeMs(at), commands });
  }
  expect(dump(restored)).toEqual(dump(venue.state));
});
