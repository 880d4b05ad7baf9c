import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
/** The environment variable with the folder of a run's bundled programs. */
export const PROGRAMS = 'ODDLOT_TEST_PROGRAMS';

const SOURCES = {
  venue: 'packages/venue/src/main.ts',
  relay: 'packages/relay/src/main.ts',
  validator: 'packages/audit/src/validator/main.ts',
  bridge: 'packages/custody/src/bridge/main.ts',
} as const;

/**
 * The file of a program. A suite starts hundreds of processes of a few programs, so a test run
 * bundles them once; otherwise the source is used, as with `npm start`.
 */
export function programFile(name: keyof typeof SOURCES): string {
  const folder = process.env[PROGRAMS];
  return folder === undefined ? join(ROOT, SOURCES[name]) : join(folder, `${name}.js`);
}
