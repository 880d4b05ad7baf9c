import {
  ADDRESS,
  CHAIN_DOOR,
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
import type { WantedPort } from '@oddlot/host/ports';
import { parseExact } from '@oddlot/units';
import { z } from 'zod';

const MONEY_DECIMALS = 6;
const money = z.string().refine((amount) => {
  const micro = parseExact(amount, MONEY_DECIMALS);
  return micro !== undefined && micro >= 0n;
}, 'must be an amount with at most 6 decimals, as text');
const count = z.int().min(1);

/** A chain that a relay joins, as a table of its file. */
const ChainSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]{1,32}$/),
  /** By default that which the name is known for. */
  chainId: count.optional(),
  /** Endpoints; a chain without is only listed. */
  rpc: z.array(z.string().regex(/^https?:\/\/\S+$/, 'must be a URL')).default([]),
  /** Of USDC there; of the settlement chain the venue's. */
  token: Address.optional(),
  minDeposit: money.optional(),
  depositFee: money.optional(),
  minWithdraw: money.optional(),
  withdrawFee: money.optional(),
  confirmations: count.default(20),
  fromBlock: z.int().min(0).optional(),
});

export type ChainSetting = z.infer<typeof ChainSchema>;

/** All that a relay can be told. */
export const RELAY_SETTINGS = {
  title: 'Oddlot relay: money between a venue and other chains.',
  command: 'oddlot relay',
  environment: 'ODDLOT_RELAY_',
  groups: {
    'Where the relay listens': {
      host: setting(HOST, {
        default: '127.0.0.1',
        help: 'interface to listen on; put a proxy with TLS in front',
        isEveryday: true,
      }),
      port: setting(PORT, {
        default: 8691,
        help: 'port to listen on; 0 takes any free one',
        isEveryday: true,
      }),
      trustedProxies: TRUSTED_PROXIES,
      opsHost: setting(HOST, {
        default: '127.0.0.1',
        help: 'interface of what the operator looks at; keep it inside',
      }),
      opsPort: setting(PORT, {
        unset: 'none',
        help: 'where you look: `/metrics`, and `/relay` with money and endpoints of every chain, transactions that wait, and what is in the way of transfers',
        isEveryday: true,
      }),
      hostNames: HOST_NAMES,
    },
    'Venue and money': {
      data: setting(FOLDER, {
        default: './relay-data',
        help: 'folder of the book, the journals and, of a local relay, its seed and its chain',
        isEveryday: true,
      }),
      venue: setting(HTTP_URL, {
        default: 'http://127.0.0.1:8690',
        help: "the venue's public URL",
        isEveryday: true,
      }),
      operations: setting(HTTP_URL, {
        default: 'http://127.0.0.1:8692',
        help: "the URL of the venue's operations port",
        isEveryday: true,
      }),
      serviceNetwork: setting(text({ pattern: /./s, placeholder: 'NAME' }), {
        unset: 'must be set; a local relay asks',
        help: 'the name that the venue [goes by](settings.md#network-name), whole. The relay signs for it alone, and does not start where the venue says another one',
        isEveryday: true,
      }),
      seed: setting(text({ placeholder: SECRET_PLACE.placeholder }), {
        unset: 'must be set; a local relay makes its own',
        help: 'where the words are: a file, or `env:NAME`',
        isEveryday: true,
      }),
      bridge: setting(ADDRESS, {
        unset: 'what the venue says',
        help: 'the bridge; the relay does not start when the venue names another one',
        isEveryday: true,
      }),
      settlementChain: setting(text({ placeholder: 'NAME' }), {
        default: 'arbitrum',
        help: 'the name of the settlement chain',
      }),
      chains: setting(tables(ChainSchema), {
        default: [],
        help: 'the chains: `name`, `chainId`, `rpc` (list), `token`, `minDeposit`, `depositFee`, `minWithdraw`, `withdrawFee` (amounts as text), `confirmations` (20), `fromBlock`',
      }),
      end: setting(list(text({ placeholder: 'ID' })), {
        default: [],
        help: 'ids of transfers that are over: nothing is paid or fetched for them any more. For [a peg that holds too little](relay.md#missing-balance), once',
      }),
    },
    'Play money': {
      local: setting(SWITCH, {
        default: false,
        help: "play money: a seed and a second chain of its own; only the venue's page may use it from a browser",
      }),
      ...CHAIN_DOOR,
      chainPort: setting(PORT, { default: 8694, help: 'port of JSON-RPC of that chain' }),
    },
    'Pace and limits': {
      expireMs: setting(whole('ms'), {
        default: 24 * 3_600_000,
        help: 'milliseconds for which an address is expected to be used',
      }),
      everyMs: setting(whole('ms'), {
        default: 2_000,
        help: 'milliseconds between two looks at chains and pegs',
      }),
      lateEveryMs: setting(whole('ms'), {
        default: 60_000,
        help: 'the same at addresses that have expired',
      }),
      limits: setting(SWITCH, { default: true, help: 'off lifts what is per client' }),
      requestsPerSecond: setting(whole(), {
        default: 20,
        help: 'requests a second of one client',
      }),
      openAddresses: setting(whole(), {
        default: 10_000,
        help: 'addresses that have not expired, in all',
      }),
      openAddressesPerClient: setting(whole(), { default: 100, help: 'the same of one client' }),
    },
    'The process': {
      logLevel: setting(LOG_LEVEL, {
        default: 'info',
        help: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`',
        isEveryday: true,
      }),
    },
  },
  closing: `A flag wins over the environment, that over the file, which alone holds the chains. Each setting is
explained in docs/operate/relay-settings.md.`,
} satisfies SettingsProgram;

export type RelaySettings = SettingsOf<(typeof RELAY_SETTINGS)['groups']>;

/** Ports that a start opens, with the flags that name them. */
export function portsOf(settings: RelaySettings): readonly WantedPort[] {
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
      'serviceNetwork: missing; the name that the venue goes by, which it prints when it starts',
    );
  }
  return settings;
}
