import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
/** Where the bundled programs of a run are. */
export const PROGRAMS = 'ODDLOT_TEST_PROGRAMS';

const SOURCES = {
  venue: 'packages/venue/src/main.ts',
  relay: 'packages/relay/src/main.ts',
  validator: 'packages/audit/src/validator/main.ts',
  bridge: 'packages/custody/src/bridge/main.ts',
} as const;

/**
 * The file of a program. A suite starts hundreds of processes of the same few programs, so a run of the tests bundles
 * them once; whoever runs by itself has the source, as `npm start` does.
 */
export function programFile(name: keyof typeof SOURCES): string {
  const folder = process.env[PROGRAMS];
  return folder === undefined ? join(ROOT, SOURCES[name]) : join(folder, `${name}.js`);
}
