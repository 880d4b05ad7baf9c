import type { SettingsOf, SettingsProgram } from '@oddlot/host/settings';
import { CHAIN_SETTINGS } from './chain-settings.ts';
import { CLUSTER_SETTINGS } from './cluster-settings.ts';
import { COMPANY_SETTINGS } from './company-settings.ts';
import { DATA_SETTINGS } from './data-settings.ts';
import { IDENTITY_SETTINGS } from './identity-settings.ts';
import { LIMIT_SETTINGS } from './limit-settings.ts';
import { LISTENING_SETTINGS } from './listening-settings.ts';
import { PRICE_SETTINGS } from './price-settings.ts';
import { PROCESS_SETTINGS } from './process-settings.ts';

/** All that a venue can be told. */
export const VENUE_SETTINGS = {
  title: 'Oddlot: a trading venue that anyone can run.',
  command: 'oddlot start',
  environment: 'ODDLOT_',
  groups: {
    'Where it listens': LISTENING_SETTINGS,
    'What it is': IDENTITY_SETTINGS,
    'Settlement chain': CHAIN_SETTINGS,
    Prices: PRICE_SETTINGS,
    'Test money and company': COMPANY_SETTINGS,
    'Limits of clients': LIMIT_SETTINGS,
    Data: DATA_SETTINGS,
    'Many machines': CLUSTER_SETTINGS,
    'The process': PROCESS_SETTINGS,
  },
  former: {
    keepLog: 'is now logKeep: all, or the number of days that old parts of the log are kept',
  },
  closing: `A flag wins over the environment, that over the file, that over the default. A list is separated by
commas. Each setting is explained in docs/operate/settings.md; deploy/oddlot.toml is a sample.
--version prints the version.`,
} satisfies SettingsProgram;

export type Config = SettingsOf<(typeof VENUE_SETTINGS)['groups']>;
