import { seedOfCommit } from '../../scripts/seed-of-commit.ts';

/**
 * A different seed for each commit, so that every change is tested with new histories and a rerun
 * of the commit repeats them. An environment variable overrides it: `SIM_SEED=7 npx vitest run
 * tests/simulation` repeats a failure that reported `SIM_SEED=7`. A failing seed becomes an example
 * of its test.
 */
export function freshSeed(name: string): number {
  const given = process.env[name];
  const seed = given === undefined ? seedOfCommit(name) : Number(given);
  process.stdout.write(`${name}=${seed}${given === undefined ? '' : ', as given'}\n`);
  return seed;
}
