import { expect, test } from 'vitest';
import { simulate } from './sim.ts';

/**
 * Several shorter histories. The same ones every time, so that a red build is a broken one; SIM_SEED draws
 * others. A failure names the seed and the command that replays it.
 */

const COMMANDS = Number(process.env['SIM_COMMANDS'] ?? 60_000);
const HISTORIES = 4;
const FIRST_SEED = Number(process.env['SIM_SEED'] ?? 700_000_001);

for (let at = 0; at < HISTORIES; at++) {
  const seed = FIRST_SEED + at;
  test(`the venue survives a history of seed ${seed}`, () => {
    const commands = Math.ceil(COMMANDS / HISTORIES);
    expect(simulate({ seed, commands }).commands).toBeGreaterThanOrEqual(commands);
  }, 300_000);
}
