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
  expected: 'a 32-byte hash in hex',
  placeholder: 'HASH',
});
const BLOCK = text({
  pattern: /^[1-9][0-9]{0,14}:0x[0-9a-f]{64}$/,
  expected: 'the height and the hash of a block, like 17:0x…',
  placeholder: 'HEIGHT:HASH',
});

/** An account's signers, as a table in the file. */
const Signers = z.strictObject({
  account: Address,
  authorizedUsers: z.array(Address).min(1),
  threshold: z.int().min(1),
});

/**
 * The settings of a validator process. It reads only the environment variables named by `env:NAME`.
 */
export const VALIDATOR_SETTINGS = {
  title:
    "Oddlot validator: signs payouts and cancellations of one bridge with its operator's own key",
  command: 'oddlot validator',
  groups: {
    Signing: {
      key: setting(SECRET_PLACE, {
        isRequired: true,
        help: 'Validator key: a file, or `env:NAME`',
        isEveryday: true,
      }),
      chainId: setting(whole(), {
        isRequired: true,
        help: 'Chain id of the settlement chain',
        isEveryday: true,
      }),
      bridge: setting(ADDRESS, {
        isRequired: true,
        help: 'Bridge address',
        isEveryday: true,
      }),
      serviceNetwork: setting(text({ pattern: /./s, placeholder: 'NAME' }), {
        isRequired: true,
        help:
          'Full [network name](settings.md#network-name) of the venue, as the venue prints ' +
          'it at startup',
        isEveryday: true,
      }),
      relayer: setting(ADDRESS, {
        isRequired: true,
        help:
          "Address of the venue's relayer; only signing requests that are authenticated with " +
          'its key are accepted',
        isEveryday: true,
      }),
      venues: setting(list(HTTP_URL, { max: URLS_MAX }), {
        default: [],
        help:
          'API URLs of the venue; a payout is signed only if all of them report it. Required ' +
          'without `log`',
        isEveryday: true,
      }),
      chain: setting(list(HTTP_URL, { max: URLS_MAX }), {
        default: [],
        help:
          'JSON-RPC endpoints of the settlement chain, required to sign cancellations; ' +
          'without them, the operator signs cancellations manually',
        isEveryday: true,
      }),
      signers: setting(tables(Signers), {
        default: [],
        help:
          'Signers of multi-sig accounts that were created before the venue recorded signer ' +
          "changes: `account`, `authorizedUsers` and `threshold`. The validator's operator " +
          '[vouches](bridge-setup.md#payout-checks) for them',
      }),
    },
    'Independent replica': {
      log: setting(HTTP_URL, {
        unset: 'none; the validator queries `venues`',
        help:
          'URL of the operations port of a venue that serves its log (`serveLog`). The ' +
          'validator [replays this log](../verify/independent-validators.md) instead of ' +
          'querying `venues`. Requires `chain`',
        isEveryday: true,
      }),
      genesis: setting(HASH, {
        unset: 'first hash received',
        help:
          "Hash of the first block, obtained from the venue's operator; protects against a " +
          'substituted log',
      }),
      chainFrom: setting(whole('count', { min: 0 }), {
        default: 0,
        help: "First block scanned for deposits: the bridge's deployment block or an earlier one",
      }),
      chainConfirmations: setting(whole(), {
        default: 12,
        help:
          'Confirmations required for a deposit or payout, including the block that contains ' +
          "it. If the value is higher than the venue's, the validator lags behind the venue",
      }),
      prices: setting(choice('venue', 'signed'), {
        default: 'venue',
        help:
          "Prices to accept: the venue's own (`venue`), or only those signed by an " +
          'operator (`signed`)',
      }),
      testMoney: setting(SWITCH, {
        default: false,
        help:
          'Accept test funds, and listings made by the venue itself; do not use with real ' +
          'money',
      }),
      sampleOneIn: setting(whole(), {
        default: 1,
        help:
          'Verify one out of this many signatures on requests that do not move money; 1 verifies ' +
          'all, a higher value [reduces the ' +
          'checks](../verify/independent-validators.md#a-sample)',
      }),
      vouchedBlock: setting(BLOCK, {
        unset: 'none',
        help:
          '`HEIGHT:HASH` of a block that the operator vouches for; the log up to this block ' +
          'is applied without deriving its commands',
      }),
      acceptSnapshot: setting(HASH, {
        unset: 'none',
        help:
          'Content hash of a snapshot from another program that this validator may [start ' +
          'with](../verify/independent-validators.md#snapshots)',
      }),
    },
    'Signing limits': {
      dayLimitUsdc: setting(whole('usdc'), {
        default: 1_000_000,
        help: 'Maximum USDC signed within 24 hours',
        isEveryday: true,
      }),
      accountDayLimitUsdc: setting(whole('usdc'), {
        default: 250_000,
        help: 'Maximum USDC signed for one account within 24 hours',
        isEveryday: true,
      }),
      withdrawFeeMaxUsdc: setting(whole('usdc', { min: 0 }), {
        default: 1,
        help: 'Maximum withdrawal fee that the venue may keep, in USDC',
      }),
      cancelPatienceMs: setting(whole('ms', { min: 0 }), {
        default: 600_000,
        help:
          'Milliseconds for which the token must keep rejecting a payout before its ' +
          'cancellation is signed',
      }),
    },
    Process: {
      data: setting(FOLDER, {
        default: './validator',
        help:
          'Folder for the signing journal; do not lose it, and do not share it between ' +
          'validators',
        isEveryday: true,
      }),
      host: setting(HOST, {
        default: '127.0.0.1',
        help: 'Interface to listen on',
        isEveryday: true,
      }),
      port: setting(PORT, {
        default: 8_695,
        help: 'Port to listen on; 0 selects a free port',
        isEveryday: true,
      }),
      hostNames: HOST_NAMES,
      logLevel: setting(LOG_LEVEL, {
        default: 'info',
        help:
          'Minimum level of log messages: `fatal`, `error`, `warn`, `info`, `debug`, `trace` ' +
          'or `silent`',
      }),
    },
  },
  closing:
    'A flag overrides the file. Each setting is explained in docs/operate/bridge-settings.md.',
} satisfies SettingsProgram;

export type ValidatorSettings = SettingsOf<(typeof VALIDATOR_SETTINGS)['groups']>;

export function readValidatorSettings(args: readonly string[]): ValidatorSettings {
  const settings = readSettings(VALIDATOR_SETTINGS, args);
  const { chain, log, venues } = settings;
  if (log === undefined && venues.length === 0) {
    throw new SettingError('venues: required, unless log is set');
  }
  if (log !== undefined && chain.length === 0) {
    throw new SettingError('chain: required with log, to check deposits');
  }
  return settings;
}
