import { seedOfCommit } from '../../scripts/seed-of-commit.ts';

/**
 * Another seed for each commit, so that every change is tried with histories that none before it had, and whoever runs the
 * same commit again sees the same; or the one that the environment names: `SIM_SEED=7 npx vitest run tests/simulation`
 * repeats what told `SIM_SEED=7`. What a seed finds becomes an example of the test that found it.
 */
export function freshSeed(name: string): number {
  const given = process.env[name];
  const seed = given === undefined ? seedOfCommit(name) : Number(given);
  process.stdout.write(`${name}=${seed}${given === undefined ? '' : ', as given'}\n`);
  return seed;
}
