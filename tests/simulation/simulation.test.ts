import { patienceMs } from '@oddlot/testing/host';
import { expect, test } from 'vitest';
import { freshSeed } from '../support/fresh-seed.ts';
import { CORNERS } from './corners.ts';
import { simulate } from './sim.ts';

/**
 * Histories that no run had before. SIM_SEED repeats those of a run, and SIM_COMMANDS prolongs them; a failure names the command
 * that replays one of them. A seed that fails becomes a test of its own here.
 */

const COMMANDS = Number(process.env['SIM_COMMANDS'] ?? 24_000);
/** So many have met every corner, whatever the seed. */
const CORNERS_COMMANDS = 200_000;
const SEED = freshSeed('SIM_SEED');
/** One after another: with and without an insurance fund, rich or poor. */
const SEEDS = [0, 1, 2, 3].map((at) => SEED + at);

const reached = new Set<string>();

test.each(SEEDS)(
  'the venue survives a history of seed %i',
  (seed) => {
    const commands = Math.ceil(COMMANDS / SEEDS.length);
    const report = simulate({ seed, commands });
    // Four along the way, and one in the middle of the closing hour.
    expect(report.restores).toBe(5);
    expect(report.commands).toBeGreaterThanOrEqual(commands);
    expect(report.trades).toBeGreaterThan(report.commands / 10);
    for (const what of Object.keys(report.endings)) reached.add(what);
  },
  patienceMs(300_000),
);

test(`and they reach the corners, from seed ${SEED} on`, () => {
  // A short history may miss one of them by chance; which corners there are is shown by those of fixed seeds.
  const missed = CORNERS.filter((corner) => !reached.has(corner));
  expect(missed.length).toBeLessThanOrEqual(COMMANDS < CORNERS_COMMANDS ? CORNERS.length / 10 : 0);
});

test('the same seed gives the same history, another seed another', () => {
  const digestOf = (seed: number) => simulate({ seed, commands: 500 }).digest;
  expect(digestOf(5)).toBe(digestOf(5));
  expect(digestOf(5)).not.toBe(digestOf(6));
});
