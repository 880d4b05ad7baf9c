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
  title: 'Oddlot: a self-hosted exchange for perpetual futures and prediction markets',
  command: 'oddlot start',
  environment: 'ODDLOT_',
  groups: {
    Listening: LISTENING_SETTINGS,
    Identity: IDENTITY_SETTINGS,
    'Settlement chain': CHAIN_SETTINGS,
    Prices: PRICE_SETTINGS,
    'Test funds and demo markets': COMPANY_SETTINGS,
    'Limits per client': LIMIT_SETTINGS,
    Data: DATA_SETTINGS,
    Cluster: CLUSTER_SETTINGS,
    Process: PROCESS_SETTINGS,
  },
  former: {
    keepLog:
      'was renamed: use logKeep (all, or the number of days for which old parts of the log ' +
      'are kept)',
  },
  closing: `A flag overrides the environment, which overrides the file, which overrides the default. Separate the
entries of a list with commas. docs/operate/settings.md explains each setting; deploy/oddlot.toml is a
sample. --version prints the version.`,
} satisfies SettingsProgram;

export type Config = SettingsOf<(typeof VENUE_SETTINGS)['groups']>;
