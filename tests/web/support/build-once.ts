import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { NODE, REPOSITORY } from '../../support/venue-process.ts';

/** Brings the page up to date before a venue is started with it, so that no test waits for a build. */
export async function buildPageOnce(): Promise<void> {
  const command = join('packages', 'web', 'build', 'build-web.ts');
  await promisify(execFile)(NODE, [command, '--if-stale'], { cwd: REPOSITORY });
}
