import {
  ADDRESS,
  choice,
  FOLDER,
  HOST,
  HOST_NAMES,
  HTTP_URL,
  DAYS_OR_ALL,
  type Kind,
  list,
  LOG_LEVEL,
  PORT,
  setting,
  type SettingsOf,
  type SettingsProgram,
  SWITCH,
  text,
  TRUSTED_PROXIES,
  whole,
} from '@oddlot/host/settings';
import { SERVICE_WORD } from '@oddlot/protocol';
import { BUDGET_SETTINGS } from '@oddlot/api/budget-settings';
import { EXCHANGE_NAMES, ExchangeSetting } from '../oracle/exchanges/exchange-formats.ts';
import { availableParallelism } from 'node:os';
import { CHAIN_SETTINGS } from './chain-settings.ts';
import { CLUSTER_SETTINGS } from '@oddlot/cluster/cluster-settings';

const COMPANY_SETTINGS = {
  faucet: setting(SWITCH, {
    unset: 'on for a testnet with a local chain',
    help:
      'Enable the faucet for test funds at ' +
      '[/request-fund](../reference/info.md#request-fund) (404 if off); not allowed on ' +
      'mainnet',
  }),
  faucetUsdc: setting(whole('usdc'), { default: 1_000, help: 'USDC per grant' }),
  faucetEveryMs: setting(whole('ms'), {
    default: 3_600_000,
    help: 'Minimum milliseconds between grants to the same address or client',
  }),
  bots: setting(SWITCH, {
    unset: 'on with simulated prices',
    help: 'Run simulated traders that provide demo liquidity; do not use on mainnet',
    isEveryday: true,
  }),
  exhibition: setting(SWITCH, {
    unset: 'on with bots',
    help: 'List and resolve demo [outcome markets](outcome-markets.md); do not use on mainnet',
  }),
  leaderboard: setting(SWITCH, {
    default: true,
    help:
      'Serve the public [leaderboard](../reference/info-markets.md#leaderboard) of accounts ' +
      'by profit and volume; if off, the query is rejected',
  }),
  web: setting(SWITCH, {
    default: true,
    help:
      'Serve the [trading page](../trade/trading-page.md) at `/` (404 if off); it is built at ' +
      'startup if it is missing or outdated',
    isEveryday: true,
  }),
};

const DATA_SETTINGS = {
  data: setting(FOLDER, {
    default: './data',
    help: 'Folder for the log, the snapshots and the history',
    isEveryday: true,
  }),
  database: setting(
    text({
      pattern: /^postgres(ql)?:\/\//,
      expected: 'a URL like postgres://user@host/name',
      placeholder: 'URL',
    }),
    {
      unset: '`history.sqlite` in the data folder',
      help:
        'PostgreSQL URL of the [history](storage.md#history) database, as ' +
        '`postgres://user@host/name`',
    },
  ),
  snapshotEveryBlocks: setting(whole(), {
    default: 20_000,
    help: 'Maximum number of blocks between snapshots',
  }),
  snapshotEveryCommands: setting(whole(), {
    default: 500_000,
    help:
      'Maximum number of commands between snapshots; takes effect if reached before ' +
      '`snapshotEveryBlocks`',
  }),
  receiptsKeptMs: setting(whole('ms'), {
    default: 31 * 24 * 3_600_000,
    help: 'Milliseconds for which execution receipts are kept (default: 31 days)',
  }),
  logKeep: setting(DAYS_OR_ALL, {
    unset: '`all`; 1 with simulated traders',
    help:
      '[How long the log is kept](storage.md#daily-volume): `all`, or a number of days. ' +
      'Without the complete log, damaged receipts cannot be recomputed and past activity ' +
      'cannot be audited',
  }),
  historyKeep: setting(DAYS_OR_ALL, {
    unset: '`all`; 1 with simulated traders',
    help:
      'How long rows of the [history](storage.md#history) are kept: `all`, or a number of ' +
      'days. Receipts have their own setting',
  }),
  diskLowBytes: setting(whole('bytes', { min: 0 }), {
    default: 2 ** 30,
    help:
      'Free disk space in bytes below which [only cancels, reducing orders and operator ' +
      'actions](storage.md#full-disk) are accepted',
  }),
  diskFullBytes: setting(whole('bytes', { min: 0 }), {
    default: 2 ** 28,
    help: 'Free disk space in bytes below which nothing is written; reads continue',
  }),
  acceptClock: setting(SWITCH, {
    default: false,
    help:
      'Start even if [the clock is behind the log](troubleshooting.md#wrong-clock) by more ' +
      'than 30 s; venue time then runs at half speed. Use it for one start only',
  }),
};

const ADMINS_MAX = 20;

const IDENTITY_SETTINGS = {
  network: setting(choice('testnet', 'mainnet'), {
    default: 'testnet',
    help:
      'Network type: `testnet` or `mainnet`. Mainnet uses different signing constants, ' +
      'requires real prices, and does not allow the faucet, simulated traders, demo markets ' +
      'or `fault`. Cannot be changed after the first start with a data folder',
    isEveryday: true,
  }),
  serviceNetwork: setting(
    text({
      pattern: SERVICE_WORD,
      expected: '3 to 55 letters, digits and dots, not beginning with a dot, like example.org',
      placeholder: 'WORD',
    }),
    {
      unset: 'none',
      help:
        "First part of the venue's [network name](#network-name), preferably its domain: 3 " +
        'to 55 letters, digits and dots. Required on mainnet and with an external chain',
      isEveryday: true,
    },
  ),
  admins: setting(list(ADDRESS, { max: ADMINS_MAX }), {
    default: [],
    help:
      'Addresses that may send [operator actions](markets.md). Used only at the first start ' +
      'with a data folder; after that, admins change the list',
    isEveryday: true,
  }),
  deployers: setting(list(ADDRESS, { max: ADMINS_MAX }), {
    unset: 'the admins',
    help:
      'Addresses that may deploy outcome markets. Used only at the first start with a data ' +
      'folder',
  }),
  relayUrl: setting(text({ placeholder: HTTP_URL.placeholder }), {
    unset: 'URL of the relay that the venue starts, otherwise none',
    help: 'URL of the relay, published in `settings`',
  }),
};

const LIMIT_SETTINGS = {
  limits: setting(SWITCH, {
    default: true,
    help:
      'Enforce limits on requests, connections and frames, and the per-client ' +
      '[budgets](../reference/limits.md#budgets). Turn off only for load tests; total ' +
      'budgets always apply',
  }),
  infoPerSecond: setting(whole(), {
    default: 50,
    help: '`/info` requests per second per client address',
  }),
  exchangePerSecond: setting(whole(), {
    default: 10,
    help: '`/exchange` requests per second per client address',
  }),
  explainPerSecond: setting(whole(), {
    default: 5,
    help:
      '[explainSignature](../reference/info-venue.md#explainsignature) queries per second ' +
      'per client address',
  }),
  simulatePerSecond: setting(whole(), {
    default: 10,
    help: '[simulate](../reference/info-venue.md#simulate) queries per second per client address',
  }),
  ...BUDGET_SETTINGS,
  confirmTimeoutMs: setting(whole('ms'), {
    default: 10_000,
    help:
      'Milliseconds for which a request with `confirm` waits for its result before the venue ' +
      'replies with HTTP 202',
  }),
};

const LISTENING_SETTINGS = {
  host: setting(HOST, {
    default: '127.0.0.1',
    help: 'Interface on which HTTP and WebSocket listen; `0.0.0.0` for all',
    isEveryday: true,
  }),
  port: setting(PORT, {
    default: 8690,
    help: 'Port for HTTP and WebSocket; 0 selects a free port',
    isEveryday: true,
  }),
  // This port is not exposed by the setting that makes the venue publicly reachable.
  opsHost: setting(HOST, {
    default: '127.0.0.1',
    help: 'Interface on which the operations port listens, independent of `host`; keep it private',
  }),
  opsPort: setting(PORT, {
    unset: '`port` + 2',
    help: 'Port for metrics and health; 0, or a `port` of 0, selects a free port',
  }),
  hyperliquid: setting(PORT, {
    unset: 'off',
    help:
      'Port on `127.0.0.1` for [clients of Hyperliquid](../build/hyperliquid.md), only on a ' +
      'venue with test funds and without `serviceNetwork`; 0 selects a free port',
  }),
  hyperliquidFaucet: setting(SWITCH, {
    default: false,
    help:
      'Credit test funds to a new account when a client of the `hyperliquid` port first queries ' +
      'its balance',
  }),
  hostNames: HOST_NAMES,
  serveLog: setting(SWITCH, {
    default: false,
    help:
      'Serve the log on the operations port (`GET /log`), for [independent ' +
      'validators](../verify/independent-validators.md)',
  }),
  trustedProxies: TRUSTED_PROXIES,
};

const EXCHANGE: Kind<typeof ExchangeSetting> = {
  ...choice(...EXCHANGE_NAMES),
  expected: `${choice(...EXCHANGE_NAMES).expected}, or a table with name, url and weight`,
  placeholder: 'NAME',
  schema: ExchangeSetting,
};

const PRICE_SETTINGS = {
  oracle: setting(choice('simulated', 'still', 'exchanges'), {
    default: 'simulated',
    help:
      'Source of perp prices: a random walk (`simulated`), the unchanged last price ' +
      '(`still`), or real exchanges (`exchanges`; required on mainnet)',
    isEveryday: true,
  }),
  oracleEveryMs: setting(whole('ms'), {
    default: 1_000,
    help:
      'Milliseconds between oracle prices; above 30,000, each price becomes stale before the ' +
      'next one arrives',
  }),
  referencePrices: setting(choice('simulated', 'still', 'exchanges', 'none'), {
    unset: 'same as `oracle` with bots, otherwise `none`',
    help:
      'Source of the [reference prices of outcome ' +
      'markets](outcome-markets.md#reference-prices): `simulated`, `still`, `exchanges` or ' +
      '`none`. Do not use `simulated` or `still` on mainnet',
  }),
  referenceSymbols: setting(
    list(
      text({
        pattern: /^[A-Z0-9]{1,12}$/,
        expected: 'at most 12 capital letters and digits, like BTC',
        placeholder: 'SYMBOL',
      }),
    ),
    {
      default: ['BTC', 'ETH', 'SOL', 'XRP', 'DOGE', 'BNB'],
      help: 'Symbols for which the venue maintains a reference price',
    },
  ),
  exchanges: setting(list(EXCHANGE, { min: 1 }), {
    default: ['binance', 'coinbase', 'kraken'],
    help:
      'Exchanges that provide real prices. In the file, each entry is a name or a table with ' +
      '`name`, `url` and `weight`. `spot` prices come from the first exchange',
  }),
  exchangesMin: setting(whole(), {
    default: 2,
    help: 'Minimum number of exchanges that must agree on an oracle price',
  }),
  exchangeSilentMs: setting(whole('ms'), {
    default: 10_000,
    help: 'Milliseconds without data after which an exchange is ignored',
  }),
  exchangeOutlierBps: setting(whole('bps'), {
    default: 100,
    help:
      'Maximum deviation of an exchange from the median of the others, in basis points; ' +
      'above it, the exchange is ignored',
  }),
};

const PROCESS_SETTINGS = {
  recoverWorkers: setting(whole(), {
    default: Math.max(1, availableParallelism() - 1),
    unset: 'cores − 1',
    help: 'Number of threads that verify signatures',
  }),
  logLevel: setting(LOG_LEVEL, {
    default: 'info',
    help:
      'Minimum level of log messages: `fatal`, `error`, `warn`, `info`, `debug`, `trace` ' +
      'or `silent`',
    isEveryday: true,
  }),
  fault: setting(text(), {
    unset: 'none',
    help:
      'Test hook (see [testing a bot](../build/testing-a-bot.md)): `slow-sync:MS` delays ' +
      'every sync of the log; do not use on mainnet',
  }),
};

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
entries of a list with commas. Each setting is explained in docs/operate/settings.md;
deploy/oddlot.toml is a sample. --version prints the version.`,
} satisfies SettingsProgram;

export type Config = SettingsOf<(typeof VENUE_SETTINGS)['groups']>;
