import {
  ADDRESS,
  FOLDER,
  HOST,
  HTTP_URL,
  list,
  LOG_LEVEL,
  PORT,
  readSettings,
  SECRET_PLACE,
  setting,
  type SettingsOf,
  type SettingsProgram,
  tables,
  text,
  whole,
} from '@oddlot/host/settings';
import { Address } from '@oddlot/protocol';
import { z } from 'zod';

const URLS_MAX = 16;

/** Who signs for an account, as a table of the file. */
const Signers = z.strictObject({
  account: Address,
  authorizedUsers: z.array(Address).min(1),
  threshold: z.int().min(1),
});

/** All that a validator's process can be told. It reads no variables but those that `env:NAME` names. */
export const VALIDATOR_SETTINGS = {
  title:
    "Oddlot validator: signs payouts and cancellations of one bridge, by its operator's own key.",
  command: 'npm run validator',
  groups: {
    'What a validator signs for': {
      key: setting(SECRET_PLACE, {
        isRequired: true,
        help: 'where the key is: a file, or `env:NAME`',
        isEveryday: true,
      }),
      chainId: setting(whole(), {
        isRequired: true,
        help: 'the chain that it signs for',
        isEveryday: true,
      }),
      bridge: setting(ADDRESS, {
        isRequired: true,
        help: 'the bridge that it signs for',
        isEveryday: true,
      }),
      serviceNetwork: setting(text({ pattern: /./s, placeholder: 'NAME' }), {
        isRequired: true,
        help: 'the name that the venue [goes by](running-a-venue.md#a-name-of-its-own), with its digits; it prints it when it starts',
        isEveryday: true,
      }),
      relayer: setting(ADDRESS, {
        isRequired: true,
        help: "the address of the venue's relayer; who asks for a signature shows that they have its key",
        isEveryday: true,
      }),
      venues: setting(list(HTTP_URL, { min: 1, max: URLS_MAX }), {
        isRequired: true,
        help: 'APIs of the venue; a payout is signed when all show it',
        isEveryday: true,
      }),
      chain: setting(list(HTTP_URL, { max: URLS_MAX }), {
        default: [],
        help: 'endpoints of the chain, asked before a cancellation is signed; without them people sign those',
        isEveryday: true,
      }),
      signers: setting(tables(Signers), {
        default: [],
        help: '`account`, `authorizedUsers`, `threshold` of accounts that had signers before the venue kept the changes; the operator of the validator [vouches](#what-a-payout-rests-on) for them',
      }),
    },
    'Limits of a validator': {
      dayLimitUsdc: setting(whole('usdc'), {
        default: 1_000_000,
        help: 'signs no more USDC than this in 24 hours',
        isEveryday: true,
      }),
      accountDayLimitUsdc: setting(whole('usdc'), {
        default: 250_000,
        help: 'nor more than this for one account',
        isEveryday: true,
      }),
      withdrawFeeMaxUsdc: setting(whole('usdc', { min: 0 }), {
        default: 1,
        help: 'USDC that the venue may keep of a withdrawal',
      }),
      cancelPatienceMs: setting(whole('ms', { min: 0 }), {
        default: 600_000,
        help: 'milliseconds for which the token must have refused a payout before its cancellation is signed',
      }),
    },
    "A validator's process": {
      data: setting(FOLDER, {
        default: './validator',
        help: 'folder of what it has signed; never lose or share it',
        isEveryday: true,
      }),
      host: setting(HOST, {
        default: '127.0.0.1',
        help: 'interface to listen on',
        isEveryday: true,
      }),
      port: setting(PORT, {
        default: 8_695,
        help: 'port to listen on; 0 takes any free one',
        isEveryday: true,
      }),
      logLevel: setting(LOG_LEVEL, {
        default: 'info',
        help: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`',
      }),
    },
  },
  closing: `A flag wins over the file. Each setting is explained in docs/guides/bridge-operations.md.`,
} satisfies SettingsProgram;

export type ValidatorSettings = SettingsOf<(typeof VALIDATOR_SETTINGS)['groups']>;

export function readValidatorSettings(args: readonly string[]): ValidatorSettings {
  return readSettings(VALIDATOR_SETTINGS, args);
}
