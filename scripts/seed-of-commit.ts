import { execFileSync } from 'node:child_process';
import { createHash, randomInt } from 'node:crypto';

const SEED_MAX = 1_000_000_000;

/**
 * Returns a seed derived from the commit and a name. In a source archive, which has no commit, the
 * seed is random.
 */
export function seedOfCommit(name: string): number {
  const commit = headCommit();
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
