import { patienceMs } from '@oddlot/testing/host';
import { expect, test } from 'vitest';
import { freshSeed } from '../support/fresh-seed.ts';
import { explain, search } from './search.ts';

/**
 * R-liquidation, R-oracle-stale, R-insurance-fund, R-funding, R-fillable: nobody makes money out of nothing. Histories
 * that no run had before: FREE_MONEY_SEED repeats those of a run, FREE_MONEY_RUNS draws more of them, and
 * `npm run free-money` an hour of them.
 */

const RUNS = Number(process.env['FREE_MONEY_RUNS'] ?? 1_000);
/** One of the open world, with hours of consensus time, takes about as long as fifty of the closed world. */
const OPEN_RUNS = Math.ceil(RUNS / 50);
const SEED = freshSeed('FREE_MONEY_SEED');

/** What the histories must have met, or the judges had nothing to judge. */
const REACHED = [
  'adl',
  'cancel',
  'closed group',
  'deleveraged',
  'fund paid',
  'fundSettled',
  'fundingPaid',
  'insurance',
  'market',
  'net',
  'owner relieved',
  'perpSettled',
  'reverseJobChanged',
  'tokenSent',
  'tradeExecuted',
  'withdrawalChanged',
];

test(
  `colluding accounts find no free money around gaps and in markets nobody can judge, FREE_MONEY_SEED=${SEED}`,
  () => {
    const { found, reached } = search({ worlds: ['closed'], seed: SEED, runs: RUNS });
    expect(found.map(explain).join('\n')).toBe('');
    expect(Object.keys(reached)).toEqual(expect.arrayContaining(REACHED));
  },
  patienceMs(600_000),
);

test(
  `colluding accounts take no funding beyond its bound from makers and holders, FREE_MONEY_SEED=${SEED}`,
  () => {
    const { found, reached } = search({ worlds: ['open'], seed: SEED, runs: OPEN_RUNS });
    expect(found.map(explain).join('\n')).toBe('');
    expect(Object.keys(reached)).toEqual(
      expect.arrayContaining(['fundingClosed', 'fundingPaid', 'tradeExecuted']),
    );
  },
  patienceMs(600_000),
);

/**
 * Seeds at which a judge once raised a false alarm: a fee that a later fill of the same order left no room for, leverage
 * that was raised in the entry in which money left, and a maker that had margin for a fill of the whole order but not for
 * the part that the taker wanted.
 */
test.each([846_770_216, 91_049_933, 628_861_503])('nor in the history of seed %d', (seed) => {
  expect(search({ worlds: ['closed'], seed, runs: 1 }).found.map(explain)).toEqual([]);
});
