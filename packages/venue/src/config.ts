import { isInside } from '@oddlot/host/operate';
import type { PortRequest } from '@oddlot/host/ports';
import { readSettings, SettingError } from '@oddlot/host/settings';
import { type Config, VENUE_SETTINGS } from './settings/venue-settings.ts';

export type { Config } from './settings/venue-settings.ts';

const PORT_MAX = 65_535;

/** The operations port is two above the main port, because the relay uses the port between them. */
const OPERATIONS_PORT_DISTANCE = 2;

/** Returns the configured port for metrics and health checks, or the main port plus 2. */
export function operationsPortOf({ opsPort, port: main }: Config): number {
  return opsPort ?? (main === 0 ? 0 : main + OPERATIONS_PORT_DISTANCE);
}

/**
 * Returns the ports that this process opens on startup, with the flags that set them. The relay
 * opens its own port and retries if the port is in use.
 */
export function portsOf(config: Config): readonly PortRequest[] {
  const { chainHost, cluster, host, hyperliquid, opsHost, port } = config;
  const hasChain = chainOf(config) === 'local' && cluster === undefined;
  const chain = { port: chainPortOf(config), host: chainHost, flag: '--chain-port' };
  const loopback = { host: '127.0.0.1', flag: '--hyperliquid' };
  return [
    { port, host, flag: '--port' },
    { port: operationsPortOf(config), host: opsHost, flag: '--ops-port' },
    ...(hasChain ? [chain] : []),
    ...(hyperliquid === undefined ? [] : [{ port: hyperliquid, ...loopback }]),
  ];
}

/**
 * The chain's port is three above the main port, after the ports of the relay and the operations
 * server.
 */
const CHAIN_PORT_DISTANCE = 3;
const LOCAL_CHAIN = { confirmations: 1, everyMs: 250 };
const REMOTE_CHAIN = { confirmations: 20, everyMs: 2_000 };

/**
 * Returns the configured settlement chain, or by default the venue's own chain if it has test
 * funds.
 */
export function chainOf(config: Config): 'local' | 'none' | readonly string[] {
  const chain = config.chain ?? (hasFaucet(config) ? 'local' : 'none');
  return chain === 'local' || chain === 'none' ? chain : chain.split(',').map((url) => url.trim());
}

/**
 * The ids of Arbitrum One and its test network. A local chain uses the id of the chain that it
 * replaces.
 */
const SETTLEMENT_CHAIN_IDS = { mainnet: 42_161, testnet: 421_614 } as const;

export function settlementChainIdOf({ network }: Config): number {
  return SETTLEMENT_CHAIN_IDS[network];
}

/** Returns the configured port of the local chain, or the main port plus 3. */
export function chainPortOf({ chainPort, port: main }: Config): number {
  return chainPort ?? (main === 0 ? 0 : main + CHAIN_PORT_DISTANCE);
}

/**
 * How far above the main port the relay's port is, and, on a venue with test funds, the port of its
 * second chain.
 */
const RELAY_PORT_DISTANCE = { relay: 1, chain: 4 };

/** Returns true if the venue starts a relay, which it does by default if it runs the chain. */
export function hasRelay(config: Config): boolean {
  return chainOf(config) === 'local' && config.relay !== false;
}

export function relayPortsOf({ port: main }: Config): {
  readonly port: number;
  readonly chainPort: number;
} {
  const { chain, relay } = RELAY_PORT_DISTANCE;
  return main === 0 ? { port: 0, chainPort: 0 } : { port: main + relay, chainPort: main + chain };
}

/** Returns the settings that contain the locations of keys. */
export function keyPlacesOf({ relayerKey, validatorKeys }: Config) {
  return { relayerKey: relayerKey === undefined ? [] : [relayerKey], validatorKeys };
}

/** Returns the number of confirmations and the polling interval for the chain. */
export function chainPaceOf(config: Config): typeof LOCAL_CHAIN {
  const isOwn = chainOf(config) === 'local' || config.chainKeys !== undefined;
  const pace = isOwn ? LOCAL_CHAIN : REMOTE_CHAIN;
  const { chainConfirmations, chainEveryMs } = config;
  return {
    confirmations: chainConfirmations ?? pace.confirmations,
    everyMs: chainEveryMs ?? pace.everyMs,
  };
}

/** Returns true if simulated traders run, which they do by default with simulated prices. */
export function hasBots({ bots, oracle }: Config): boolean {
  return bots ?? oracle === 'simulated';
}

/** Returns true if demo markets are listed, which is the default with simulated traders. */
export function hasExhibition(config: Config): boolean {
  return config.exhibition ?? hasBots(config);
}

/** Returns true if there is a faucet, which is the default with test funds. */
export function hasFaucet(config: Config): boolean {
  return config.faucet ?? hasPlayMoney(config);
}

/**
 * Returns true if the chain holds real deposits, from which a faucet's grants would have to be
 * paid.
 */
function isRemoteChain({ chain, chainKeys }: Pick<Config, 'chain' | 'chainKeys'>): boolean {
  const isOwn = chain === undefined || chain === 'local' || chain === 'none';
  return !isOwn && chainKeys === undefined;
}

/**
 * Returns true if the venue issues its own test funds. Only these venues can share a network name.
 */
function hasPlayMoney(config: Pick<Config, 'chain' | 'chainKeys' | 'network'>): boolean {
  return config.network === 'testnet' && !isRemoteChain(config);
}

/**
 * Returns the configured source of reference prices. The default is the source of the oracle if
 * simulated traders run, and otherwise none.
 */
export function referencePricesOf(config: Config): NonNullable<Config['referencePrices']> {
  return config.referencePrices ?? (hasBots(config) ? config.oracle : 'none');
}

export function readConfig(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Config {
  return asserted(readSettings(VENUE_SETTINGS, args, env));
}

/**
 * Returns the configuration for programs that only read the log. They do not use a chain unless one
 * is configured.
 */
export function readLogConfig(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Config {
  const config = readSettings(VENUE_SETTINGS, args, env);
  return asserted(config.chain === undefined ? { ...config, chain: 'none' } : config);
}

function asserted(config: Config): Config {
  assertReal(config);
  assertTogether(config);
  return config;
}

/**
 * Rejects simulated prices and faucets on mainnet, because simulated prices must never settle or
 * liquidate real positions.
 */
function assertReal(config: Config): void {
  if (config.network === 'testnet') return;
  const { oracle, referencePrices } = config;
  if (oracle !== 'exchanges') {
    throw new SettingError(
      `oracle: ${oracle} prices are not allowed on mainnet. Set --oracle exchanges`,
    );
  }
  if (referencePrices === 'simulated' || referencePrices === 'still') {
    throw new SettingError(`referencePrices: ${referencePrices} prices are not allowed on mainnet`);
  }
  for (const key of ['bots', 'exhibition', 'faucet'] as const) {
    if (config[key] === true) throw new SettingError(`${key}: not allowed on mainnet`);
  }
  if (config.fault !== undefined) throw new SettingError('fault: not allowed on mainnet');
  if (config.chain === 'local')
    throw new SettingError('chain: a local chain is not allowed on mainnet');
  if (config.chainKeys !== undefined) {
    throw new SettingError('chainKeys: a local chain is not allowed on mainnet');
  }
  for (const [key, places] of Object.entries(keyPlacesOf(config))) {
    const files = places.filter((place) => !place.startsWith('env:'));
    if (!files.some((file) => isInside(file, config.data))) continue;
    throw new SettingError(`${key}: must be outside the data folder on mainnet`);
  }
}

function assertTogether(config: Config): void {
  if (operationsPortOf(config) > PORT_MAX) {
    throw new SettingError(
      `opsPort: the default is above 65535 with port ${config.port}. Set --ops-port`,
    );
  }
  const chain = chainOf(config);
  if (chain === 'local' && chainPortOf(config) > PORT_MAX) {
    throw new SettingError(
      `chainPort: the default is above 65535 with port ${config.port}. Set --chain-port`,
    );
  }
  if (config.relay === true && chain !== 'local') {
    throw new SettingError('relay: requires a local chain; see docs/operate/relay.md');
  }
  if (hasRelay(config) && relayPortsOf(config).chainPort > PORT_MAX) {
    throw new SettingError(
      `relay: its ports are above 65535 with port ${config.port}. Set --no-relay or a ` +
        'lower port',
    );
  }
  const hasContracts = config.bridgeContract !== undefined && config.usdcContract !== undefined;
  if (config.chainKeys !== undefined && typeof chain === 'string') {
    throw new SettingError(
      'chainKeys: requires a local chain that runs as a separate process (npm run chain). ' +
        'Pass the URL of its replica port with --chain',
    );
  }
  if (config.faucet === true && isRemoteChain(config)) {
    throw new SettingError(
      'faucet: only allowed with a local chain, because deposits must back the grants',
    );
  }
  if (isRemoteChain(config) && !hasContracts) {
    throw new SettingError(
      'bridgeContract, usdcContract: both are required if the chain is not local',
    );
  }
  if (!hasPlayMoney(config) && config.serviceNetwork === undefined) {
    throw new SettingError(
      'serviceNetwork: missing. A venue with real money or an external chain needs its own ' +
        'network name; otherwise signed requests for another venue would be valid here. Set ' +
        '--service-network to its domain',
    );
  }
  if ((config.log === undefined) !== (config.cluster === undefined)) {
    throw new SettingError(
      'log, cluster: a cluster needs both a stream (--log) and a name (--cluster)',
    );
  }
  if (config.cluster !== undefined && chain === 'local') {
    throw new SettingError(
      'chain: replicas of a cluster need a shared chain. Start it as its own process (npm ' +
        'run chain) and pass it with --chain URL and --chain-keys, or set --chain none',
    );
  }
  if (config.hyperliquid !== undefined && !hasPlayMoney(config)) {
    throw new SettingError(
      'hyperliquid: only allowed with test funds, because Hyperliquid signatures do not name ' +
        'a venue. Use --network testnet without an external chain',
    );
  }
  if (config.hyperliquidFaucet && (config.hyperliquid === undefined || !hasFaucet(config))) {
    throw new SettingError('hyperliquidFaucet: requires --hyperliquid and the faucet');
  }
  if (config.diskFullBytes > config.diskLowBytes) {
    throw new SettingError('diskFullBytes: must not be above diskLowBytes');
  }
}
