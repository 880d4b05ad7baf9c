import { expect, test } from 'vitest';
import { simulate } from './sim.ts';

/** Something new on every run. A failure names the seed and the command that replays it. */

const COMMANDS = Number(process.env['SIM_COMMANDS'] ?? 500_000);
const HISTORIES = 4;
const FIRST_SEED = Number(process.env['SIM_SEED'] ?? Date.now() % 1_000_000_000);

for (let at = 0; at < HISTORIES; at++) {
  const seed = FIRST_SEED + at;
  test(`the venue survives a fresh history, seed ${seed}`, () => {
    const commands = Math.ceil(COMMANDS / HISTORIES);
    expect(simulate({ seed, commands }).commands).toBeGreaterThanOrEqual(commands);
  }, 300_000);
}
