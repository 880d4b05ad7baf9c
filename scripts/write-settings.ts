import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { VALIDATOR_SETTINGS } from '../packages/custody/src/validator/validator-settings.ts';
import { settingsPage, type SettingsProgram } from '../packages/host/src/settings/index.ts';
import { RELAY_SETTINGS } from '../packages/relay/src/relay-settings.ts';
import { VENUE_SETTINGS } from '../packages/venue/src/settings/venue-settings.ts';

/**
 * Writes the tables of settings into their pages, based on the declarations (`npm run
 * write-settings`).
 */

const ROOT = join(import.meta.dirname, '..');
const FIRST = '<!-- These tables are made by npm run write-settings. -->';
const LAST = '<!-- Here they end. -->';

/**
 * The programs that have settings, the pages with their tables, the files that declare each
 * setting, and the code that reads the settings.
 */
export const SETTING_GUIDES: readonly {
  readonly program: SettingsProgram;
  readonly guide: string;
  /**
   * Paths of files, or of folders with a trailing slash. Validation of a setting does not count as
   * a use.
   */
  readonly declared: readonly string[];
  readonly sources: readonly string[];
}[] = [
  {
    program: VENUE_SETTINGS,
    guide: 'docs/operate/settings.md',
    declared: [
      'packages/venue/src/settings/',
      'packages/api/src/budget-settings.ts',
      'packages/cluster/src/cluster-settings.ts',
    ],
    sources: ['api', 'cluster', 'history', 'replica', 'settlement', 'translate', 'venue'].map(
      (name) => `packages/${name}/src`,
    ),
  },
  {
    program: RELAY_SETTINGS,
    guide: 'docs/operate/relay-settings.md',
    declared: ['packages/relay/src/relay-settings.ts'],
    sources: ['packages/relay/src'],
  },
  {
    program: VALIDATOR_SETTINGS,
    guide: 'docs/operate/bridge-settings.md',
    declared: ['packages/custody/src/validator/validator-settings.ts'],
    sources: ['packages/custody/src/validator', 'packages/audit/src/validator'],
  },
];

/** Returns a guide with up-to-date tables. */
export function withSettings(text: string, program: SettingsProgram): string {
  const [before, rest] = text.split(FIRST);
  const after = rest?.split(LAST)[1];
  if (before === undefined || after === undefined)
    throw new Error(`the place for the tables is missing: ${FIRST}`);
  return `${before}${FIRST}\n\n${settingsPage(program)}\n\n${LAST}${after}`;
}

if (import.meta.main) {
  for (const { guide, program } of SETTING_GUIDES) {
    const path = join(ROOT, guide);
    writeFileSync(path, withSettings(readFileSync(path, 'utf8'), program));
  }
}
