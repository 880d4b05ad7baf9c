import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { NODE, REPOSITORY } from '../../support/venue-process.ts';

const BUILT = 'ODDLOT_TEST_PAGE_IS_BUILT';

/** Builds the page and the documentation before any venue is started with them. */
export async function buildPageOnce(): Promise<void> {
  if (process.env[BUILT] !== undefined) return;
  for (const name of ['web', 'site']) {
    const command = join('packages', name, 'build', `build-${name}.ts`);
    await promisify(execFile)(NODE, [command, '--if-stale'], { cwd: REPOSITORY });
  }
}

/** Runs before all tests, so that workers inherit the environment and do not check again. */
export async function setup(): Promise<void> {
  await buildPageOnce();
  process.env[BUILT] = 'yes';
}
