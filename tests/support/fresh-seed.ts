import { execFileSync } from 'node:child_process';
import { createHash, randomInt } from 'node:crypto';

const SEED_MAX = 1_000_000_000;

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

function seedOfCommit(name: string): number {
  const commit = headCommit();
  // An archive of the sources knows no commit.
  if (commit === undefined) return randomInt(1, SEED_MAX);
  const digest = createHash('sha256').update(`${name} ${commit}`).digest();
  return 1 + (digest.readUInt32BE(0) % (SEED_MAX - 1));
}

function headCommit(): string | undefined {
  try {
    const where = { cwd: import.meta.dirname };
    return execFileSync('git', ['rev-parse', 'HEAD'], {
      ...where,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
      .toString()
      .trim();
  } catch {
    return undefined;
  }
}
