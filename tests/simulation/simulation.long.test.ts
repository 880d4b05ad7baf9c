import { expect, test } from 'vitest';
import { CORNERS, RARE_CORNERS } from './corners.ts';
import { simulate } from './sim.ts';

/**
 * Histories with fixed seeds, long enough to reach all cases. They run only with `npm run
 * test:long`; simulation.test.ts uses new seeds for each commit.
 */

const COMMANDS = Number(process.env['SIM_COMMANDS'] ?? 200_000);
const SEEDS = [1, 2, 3, 4];

test('fixed histories pass all checks and reach all cases', () => {
  const reached = new Set<string>();
  for (const seed of SEEDS) {
    const report = simulate({ seed, commands: Math.ceil(COMMANDS / SEEDS.length) });
    expect(report.restores).toBe(5);
    expect(report.trades).toBeGreaterThan(report.commands / 10);
    for (const what of Object.keys(report.endings)) reached.add(what);
  }
  expect([...reached]).toEqual(expect.arrayContaining([...CORNERS, ...RARE_CORNERS]));
});
