import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
/** The environment variable with the path of the folder of bundled programs. */
export const PROGRAMS = 'ODDLOT_TEST_PROGRAMS';

const SOURCES = {
  venue: 'packages/venue/src/main.ts',
  relay: 'packages/relay/src/main.ts',
  validator: 'packages/audit/src/validator/main.ts',
  bridge: 'packages/custody/src/bridge/main.ts',
} as const;

/**
 * Returns the path of a program. The programs are bundled once per test run, because a run starts
 * hundreds of processes. If there are no bundles, the source runs directly, as with `npm start`.
 */
export function programFile(name: keyof typeof SOURCES): string {
  const folder = process.env[PROGRAMS];
  return folder === undefined ? join(ROOT, SOURCES[name]) : join(folder, `${name}.js`);
}
