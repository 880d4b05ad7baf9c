import { seedOfCommit } from '../../scripts/seed-of-commit.ts';

/**
 * Returns a seed derived from the commit, so that each change is tested with new histories but a
 * rerun repeats the same ones. An environment variable overrides it: `SIM_SEED=7 npx vitest run
 * tests/simulation` repeats a run that printed `SIM_SEED=7`. Add each failing seed to its test as
 * an example.
 */
export function freshSeed(name: string): number {
  const given = process.env[name];
  const seed = given === undefined ? seedOfCommit(name) : Number(given);
  process.stdout.write(`${name}=${seed}${given === undefined ? '' : ', as given'}\n`);
  return seed;
}
