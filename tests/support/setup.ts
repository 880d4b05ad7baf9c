import { join } from 'node:path';
import { bundlePrograms } from '../../scripts/bundle-programs.ts';
import { PROGRAMS } from './program-file.ts';
import { LENDER, VenueLender } from './venue-lender.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/**
 * Before the first test of a run, once for all projects: their workers inherit the environment. Resolves with what is
 * to be done after the last one.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[PROGRAMS] !== undefined) return undefined;
  process.env[PROGRAMS] = await bundlePrograms(join(ROOT, 'node_modules/.cache/programs'));
  const { lender, url } = await VenueLender.open();
  process.env[LENDER] = url;
  return () => lender.close();
}
