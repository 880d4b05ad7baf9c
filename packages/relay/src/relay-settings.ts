import {
  ADDRESS,
  CHAIN_ACCESS,
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
  TRUSTED_PROXIES,
  whole,
} from '@oddlot/host/settings';
import { Address } from '@oddlot/host/http';
import type { PortRequest } from '@oddlot/host/ports';
import { parseExact } from '@oddlot/units';
import { z } from 'zod';

const MONEY_DECIMALS = 6;
const money = z.string().refine((amount) => {
  const micro = parseExact(amount, MONEY_DECIMALS);
  return micro !== undefined && micro >= 0n;
}, 'must be a string with an amount of at most 6 decimal places');
const count = z.int().min(1);

/** A chain used by the relay, as a table in the configuration file. */
const ChainSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]{1,32}$/),
  /** The chain id; by default, that of the known chain with this name. */
  chainId: count.optional(),
  /** The URLs of endpoints. A chain without endpoints is listed but not used. */
  rpc: z.array(z.string().regex(/^https?:\/\/\S+$/, 'must be a URL')).default([]),
  /** The USDC token on the chain. On the settlement chain, the default is the venue's token. */
  token: Address.optional(),
  minDeposit: money.optional(),
  depositFee: money.optional(),
  minWithdraw: money.optional(),
  withdrawFee: money.optional(),
  confirmations: count.default(20),
  fromBlock: z.int().min(0).optional(),
});

export type ChainSetting = z.infer<typeof ChainSchema>;

export const RELAY_SETTINGS = {
  title: 'Oddlot relay: moves money between a venue and other chains',
  command: 'oddlot relay',
  environment: 'ODDLOT_RELAY_',
  groups: {
    Listening: {
      host: setting(HOST, {
        default: '127.0.0.1',
        help: 'Interface to listen on; use a TLS proxy in front of it',
        isEveryday: true,
      }),
      port: setting(PORT, {
        default: 8691,
        help: 'Port to listen on; 0 selects a free port',
        isEveryday: true,
      }),
      trustedProxies: TRUSTED_PROXIES,
      opsHost: setting(HOST, {
        default: '127.0.0.1',
        help: 'Interface on which the operations port listens; keep it private',
      }),
      opsPort: setting(PORT, {
        unset: 'none',
        help:
          'Operations port, which serves `/metrics`, and `/relay` with balances, endpoints, pending ' +
          'transactions and blocked transfers',
        isEveryday: true,
      }),
      hostNames: HOST_NAMES,
    },
    'Venue and money': {
      data: setting(FOLDER, {
        default: './relay-data',
        help: 'Folder for the journals; if `local` is set, also for the seed and the second chain',
        isEveryday: true,
      }),
      venue: setting(HTTP_URL, {
        default: 'http://127.0.0.1:8690',
        help: 'Public URL of the venue',
        isEveryday: true,
      }),
      operations: setting(HTTP_URL, {
        default: 'http://127.0.0.1:8692',
        help: "URL of the venue's operations port",
        isEveryday: true,
      }),
      serviceNetwork: setting(text({ pattern: /./s, placeholder: 'NAME' }), {
        unset: 'required; a local relay gets it from the venue',
        help:
          'Full [network name](settings.md#network-name) of the venue. The relay signs only ' +
          'for this name, and does not start if the venue reports a different one',
        isEveryday: true,
      }),
      seed: setting(text({ placeholder: SECRET_PLACE.placeholder }), {
        unset: 'required; a local relay creates its own',
        help: "Mnemonic of the relay's keys: a file, or `env:NAME`",
        isEveryday: true,
      }),
      bridge: setting(ADDRESS, {
        unset: 'as reported by the venue',
        help: 'Address of the bridge; the relay does not start if the venue reports a different one',
        isEveryday: true,
      }),
      settlementChain: setting(text({ placeholder: 'NAME' }), {
        default: 'arbitrum',
        help: 'Name of the settlement chain',
      }),
      chains: setting(tables(ChainSchema), {
        default: [],
        help:
          'Supported chains, each with `name`, `chainId`, `rpc` (list), `token`, ' +
          '`minDeposit`, `depositFee`, `minWithdraw`, `withdrawFee` (amounts as strings), ' +
          '`confirmations` (default: 20) and `fromBlock`',
      }),
      end: setting(list(text({ placeholder: 'ID' })), {
        default: [],
        help:
          'IDs of transfers to close without further payouts or collections, for example ' +
          'because of a [missing balance](relay.md#missing-balance) on the relay withdrawal ' +
          'address; remove the IDs after one start',
      }),
    },
    'Test funds': {
      local: setting(SWITCH, {
        default: false,
        help:
          'Run with test funds, a generated seed and a second local chain; browsers can use ' +
          "such a relay only from the venue's page",
      }),
      ...CHAIN_ACCESS,
      chainPort: setting(PORT, {
        default: 8694,
        help: 'JSON-RPC port of the second local chain',
      }),
    },
    'Timing and limits': {
      expireMs: setting(whole('ms'), {
        default: 24 * 3_600_000,
        help: 'Milliseconds until an unused address expires',
      }),
      everyMs: setting(whole('ms'), {
        default: 2_000,
        help: 'Milliseconds between checks of chains and addresses',
      }),
      lateEveryMs: setting(whole('ms'), {
        default: 60_000,
        help: 'Milliseconds between checks of expired addresses',
      }),
      limits: setting(SWITCH, {
        default: true,
        help: 'Enforce per-client limits',
      }),
      requestsPerSecond: setting(whole(), {
        default: 20,
        help: 'Requests per second per client',
      }),
      openAddresses: setting(whole(), {
        default: 10_000,
        help: 'Maximum total number of unexpired addresses',
      }),
      openAddressesPerClient: setting(whole(), {
        default: 100,
        help: 'Maximum number of unexpired addresses per client',
      }),
    },
    Process: {
      logLevel: setting(LOG_LEVEL, {
        default: 'info',
        help:
          'Minimum level of log messages: `fatal`, `error`, `warn`, `info`, `debug`, `trace` ' +
          'or `silent`',
        isEveryday: true,
      }),
    },
  },
  closing: `A flag overrides the environment, which overrides the file. Chains can only be set in the file.
Each setting is explained in docs/operate/relay-settings.md.`,
} satisfies SettingsProgram;

export type RelaySettings = SettingsOf<(typeof RELAY_SETTINGS)['groups']>;

/** Returns the ports opened at startup, with the flags that set them. */
export function portsOf(settings: RelaySettings): readonly PortRequest[] {
  const { chainHost, chainPort, host, local, opsHost, opsPort, port } = settings;
  const operations = { port: opsPort ?? 0, host: opsHost, flag: '--ops-port' };
  const chain = { port: chainPort, host: chainHost, flag: '--chain-port' };
  return [
    { port, host, flag: '--port' },
    ...(opsPort === undefined ? [] : [operations]),
    ...(local ? [chain] : []),
  ];
}

export function readRelaySettings(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): RelaySettings {
  const settings = readSettings(RELAY_SETTINGS, args, env);
  const { local, seed, serviceNetwork } = settings;
  if (!local && seed === undefined) throw new SettingError('seed: missing (see --help)');
  if (!local && serviceNetwork === undefined) {
    throw new SettingError(
      'serviceNetwork: missing. Set it to the network name that the venue prints at startup',
    );
  }
  return settings;
}
