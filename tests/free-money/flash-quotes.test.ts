import { expect, test } from 'vitest';
import type { History, Person, Routine } from './history.ts';
import { play } from './play.ts';

/**
 * R-funding, R-mark: bids rest for 10 ms around each sample and never trade. Quotes far from the
 * price create a mid that moves the average in the mark. The gain is therefore bounded by the
 * premium cap, or by the mark band if that is narrower.
 */

const RESTS = { perp: 0, timeInForce: 'gtc', reduceOnly: false, leadMs: 10, every: 1 } as const;
const ROUTINES: readonly Routine[] = [
  { ...RESTS, kind: 'rest', who: 1, isBuy: true, away: -100, share: 1 },
  { ...RESTS, kind: 'rest', who: 2, isBuy: false, away: 790, share: 1 },
  { ...RESTS, kind: 'flash', who: 1, isBuy: true, away: 11, share: 8 },
];

test.each([
  { band: 'wider than the cap', maxLeverage: 20, percent: 0.11875 },
  { band: 'of 0.2236%', maxLeverage: 50, percent: 0.0217 },
])(
  'R-funding: with a mark band $band, an hour of flash quotes gains at most $percent% of open interest',
  (terms) => {
    const { finding, funding } = play(historyOf(terms.maxLeverage));
    expect(finding).toBeUndefined();
    expect(funding.hours).toBe(1);
    expect(Number(funding.worstE10) / 1e8).toBeLessThanOrEqual(terms.percent);
  },
);

function historyOf(maxLeverage: number): History {
  const person: Person = { usdc: 20_000, isHedged: false, isIsolated: [false], leverage: [10] };
  return {
    opening: {
      perps: [{ maxLeverage, mmrE8: 1_000_000 }],
      owners: [person, person, person],
      others: [person],
      fundUsdc: 0,
    },
    steps: [
      { kind: 'deal', buyer: 3, seller: 0, perp: 0, away: 0, share: 30 },
      {
        kind: 'stretch',
        seconds: 3_605,
        pushMs: 1_000,
        walk: { seed: 1, step: 0, gapEvery: 0 },
        routines: ROUTINES,
        acts: [],
      },
    ],
  };
}
