import { join } from 'node:path';
import { bundlePrograms } from '../../packages/venue/build/bundle-programs.ts';
import {
  findNatsServer,
  NATS_SERVER_NAMED,
} from '../../packages/cluster/src/servers/find-nats-server.ts';
import { startClusterServers } from './cluster-mode.ts';
import { PROGRAMS } from './program-file.ts';
import { LENDER, VenueLender } from './venue-lender.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/**
 * Runs before all tests, so that workers inherit the environment. Resolves with the teardown
 * function.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[PROGRAMS] !== undefined) return undefined;
  const { place } = await bundlePrograms(join(ROOT, 'node_modules/.cache/programs'));
  process.env[PROGRAMS] = place;
  await nameNatsServer();
  const endServers = await startClusterServers();
  const { lender, url } = await VenueLender.open();
  process.env[LENDER] = url;
  return async () => {
    await lender.close();
    await endServers();
  };
}

/**
 * Finds the NATS server once, so that workers do not all search for or download it at the same
 * time.
 */
async function nameNatsServer(): Promise<void> {
  const server = await findNatsServer();
  if ('why' in server) process.stderr.write(`no NATS server for the tests: ${server.why}\n`);
  process.env[NATS_SERVER_NAMED] = 'program' in server ? server.program : '';
}
