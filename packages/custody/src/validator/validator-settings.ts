import {
  ADDRESS,
  choice,
  FOLDER,
  HOST,
  HOST_NAMES,
  HTTP_URL,
  list,
  LOG_LEVEL,
  PORT,
  readSettings,
  SECRET_PLACE,
  setting,
  SettingError,
  type SettingsOf,
  type SettingsProgram,
  SWITCH,
  tables,
  text,
  whole,
} from '@oddlot/host/settings';
import { Address } from '@oddlot/protocol';
import { z } from 'zod';

const URLS_MAX = 16;
const HASH = text({
  pattern: /^0x[0-9a-f]{64}$/,
  expected: 'a hash of 32 bytes in hex',
  placeholder: 'HASH',
});
const BLOCK = text({
  pattern: /^[1-9][0-9]{0,14}:0x[0-9a-f]{64}$/,
  expected: 'the number and the hash of a block, like 17:0x…',
  placeholder: 'HEIGHT:HASH',
});

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
  command: 'oddlot validator',
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
        help: 'the name that the venue [goes by](settings.md#network-name), with its digits; it prints it when it starts',
        isEveryday: true,
      }),
      relayer: setting(ADDRESS, {
        isRequired: true,
        help: "the address of the venue's relayer; who asks for a signature shows that they have its key",
        isEveryday: true,
      }),
      venues: setting(list(HTTP_URL, { max: URLS_MAX }), {
        default: [],
        help: 'APIs of the venue; a payout is signed when all show it. Needed without `log`',
        isEveryday: true,
      }),
      chain: setting(list(HTTP_URL, { max: URLS_MAX }), {
        default: [],
        help: 'endpoints of the chain, asked before a cancellation is signed; without them people sign those',
        isEveryday: true,
      }),
      signers: setting(tables(Signers), {
        default: [],
        help: '`account`, `authorizedUsers`, `threshold` of accounts that had signers before the venue kept the changes; the operator of the validator [vouches](bridge-setup.md#payout-checks) for them',
      }),
    },
    'A replica of its own': {
      log: setting(HTTP_URL, {
        unset: 'asks `venues`',
        help: 'the operations port of a venue that serves its log (`serveLog`): the validator [computes itself](../verify/independent-validators.md) what is owed, and asks no venue. Needs `chain`',
        isEveryday: true,
      }),
      genesis: setting(HASH, {
        unset: 'the first that it sees',
        help: 'hash of the first block, from whoever runs the venue; with it nobody can show it another log',
      }),
      chainFrom: setting(whole('count', { min: 0 }), {
        default: 0,
        help: 'block of the chain that the bridge was made in, or any before: deposits are counted from there',
      }),
      chainConfirmations: setting(whole(), {
        default: 12,
        help: 'blocks from its own on that a deposit or a payout must have before it counts; no more than the venue waits for, or the validator lags behind it',
      }),
      prices: setting(choice('venue', 'signed'), {
        default: 'venue',
        help: '`venue` believes prices that the venue brings by itself, `signed` only those that an operator signed',
      }),
      testMoney: setting(SWITCH, {
        default: false,
        help: 'the venue gives test money away and lists made-up events by itself; never where money is real',
      }),
      sampleOneIn: setting(whole(), {
        default: 1,
        help: 'of signatures that concern no money one in so many is recovered; 1 recovers all, more [gives something up](../verify/independent-validators.md#a-sample)',
      }),
      vouchedBlock: setting(BLOCK, {
        unset: 'none',
        help: '`HEIGHT:HASH`: the operator answers for the log up to there, which is applied and not derived',
      }),
      acceptSnapshot: setting(HASH, {
        unset: 'none',
        help: 'the content hash of a snapshot that this validator did not write and may still [begin with](../verify/independent-validators.md#snapshots)',
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
      hostNames: HOST_NAMES,
      logLevel: setting(LOG_LEVEL, {
        default: 'info',
        help: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`',
      }),
    },
  },
  closing: `A flag wins over the file. Each setting is explained in docs/operate/bridge-settings.md.`,
} satisfies SettingsProgram;

export type ValidatorSettings = SettingsOf<(typeof VALIDATOR_SETTINGS)['groups']>;

export function readValidatorSettings(args: readonly string[]): ValidatorSettings {
  const settings = readSettings(VALIDATOR_SETTINGS, args);
  const { chain, log, venues } = settings;
  if (log === undefined && venues.length === 0) {
    throw new SettingError('venues: must be set, or log to compute itself what is owed');
  }
  if (log !== undefined && chain.length === 0) {
    throw new SettingError('chain: must be set with log: deposits are looked for on it');
  }
  return settings;
}
