import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { NETWORKS, type Network } from '@oddlot/protocol';
import { systemClock } from './clock.ts';
import { type Config, ConfigError } from './config.ts';
import { budgetsOf } from './edge/budgets.ts';
import { clientIpFinder, isTrustedProxy } from './edge/client-ip.ts';
import { accountStatusEndpoint } from './edge/http/account-status.ts';
import { forwardedFor } from './edge/http/head.ts';
import { exchangeEndpoint } from './edge/http/exchange.ts';
import { Faucet } from './edge/http/faucet.ts';
import { infoEndpoint } from './edge/http/info.ts';
import { readReferencePages } from './edge/http/reference-pages.ts';
import type { Endpoint } from './edge/http/reply.ts';
import { HttpEdge } from './edge/http/server.ts';
import { RateLimiter } from './edge/rate-limit.ts';
import { RecoverPool } from './edge/recover-pool.ts';
import { WsEdge } from './edge/ws/server.ts';
import { genesisCommands, OPENING_FEE_MICRO_USDC } from './genesis.ts';
import { ReceiptStore } from './history/receipt-store.ts';
import { Inhabitants } from './inhabitants.ts';
import { lockDirectory } from './log/directory-lock.ts';
import { FileJournal } from './log/file-journal.ts';
import { journalFaults } from './log/journal-faults.ts';
import { SnapshotStore } from './log/snapshot-store.ts';
import { MarketData } from './market-data/market-data.ts';
import { createOperationsServer, readiness } from './operate/health.ts';
import type { Logger } from './operate/log.ts';
import { Metrics } from './operate/metrics.ts';
import { observeVenue } from './operate/observe.ts';
import { type Companion, LocalReplica } from './replica/local-replica.ts';
import { Receipts } from './replica/receipts.ts';
import { Ticker } from './replica/ticker.ts';
import { UserLedger } from './replica/user-ledger.ts';
import { instrumentLookup } from './translate/action-to-command.ts';
import type { InfoSettings } from './translate/view-to-info.ts';

/** A running venue. */
export type Venue = {
  readonly url: string;
  readonly operationsUrl: string;
  /** Takes no more, finishes what is under way, writes a snapshot, lets go of the data. */
  stop(): Promise<void>;
};

export type VenueDependencies = {
  readonly log: Logger;
  /** A fault after which the process must end at once; the log is intact. */
  readonly onFatal: (error: unknown) => void;
};

/** Receipts that are too old are dropped this often. */
const PRUNE_EVERY_MS = 3_600_000;
/** The log carries time at least every second; five times that means that it stands still. */
const BLOCK_AGE_MS_MAX = 5_000;

/** The operator's port is for few; their descriptors are reserved. */
const OPERATIONS_CONNECTIONS_MAX = 64;

const UNSET_ADDRESS = '0x0000000000000000000000000000000000000000';
const SETTLEMENT_CHAIN = { mainnet: 42_161, testnet: 421_614 } as const;

/** Wires the parts of a venue and starts them, the data first and the doors last. */
export async function startVenue(config: Config, deps: VenueDependencies): Promise<Venue> {
  const { log, onFatal } = deps;
  const lock = lockDirectory(config.data);
  const network = NETWORKS[config.network];
  const metrics = new Metrics();
  const pool = new RecoverPool({
    network,
    log,
    size: config.recoverWorkers,
    onWorkerLost: () => metrics.recoverWorkerLost(),
  });
  const core = await openCore(config, network, { ...deps, metrics });
  const { journal, receipts, replica, store } = core;
  const pages = await readReferencePages();
  const edges = createEdges(config, network, { ...core, log, metrics, pool, pages });
  const { http, operations, sockets } = edges;

  const started = await replica.start();
  log.info({ ...started, height: replica.head.height }, 'replayed the log');
  assertNetwork(network, replica);
  warnOfOperators(config, replica, log);
  const inhabitants = new Inhabitants(config, {
    replica,
    network,
    log,
    random,
    exchange: edges.exchange,
    clock: systemClock,
    latest: core.markets.prices.latest.bind(core.markets.prices),
    onError: onFatal,
  });
  await inhabitants.startPrices();
  const ticker = new Ticker(replica, systemClock, onFatal);
  ticker.start();
  const backend = await pool.ready();
  metrics.recoverBackend(backend);
  const pruning = setInterval(() => {
    store.prune(systemClock.nowMs() - config.receiptsKeptMs).catch(onFatal);
  }, PRUNE_EVERY_MS);

  await inhabitants.start();

  const port = await http.listen(config.port, config.host);
  const operationsPort = await listen(operations, config.opsPort, config.host);
  return {
    url: `http://${hostText(config.host)}:${port}`,
    operationsUrl: `http://${hostText(config.host)}:${operationsPort}`,
    async stop() {
      edges.stopping();
      await inhabitants.stop();
      clearInterval(pruning);
      // Time goes on meanwhile: some requests wait for orders that leave the delay queue.
      await Promise.all([http.drain(), sockets.drain()]);
      ticker.stop();
      await replica.stop();
      await journal.close();
      await store.close();
      await pool.close();
      operations.close();
      operations.closeAllConnections();
      log.info({ pending: receipts.pendingCount }, 'stopped');
      lock.release();
    },
  };
}

type Core = {
  readonly journal: FileJournal;
  readonly store: ReceiptStore;
  readonly replica: LocalReplica;
  readonly receipts: Receipts;
  readonly faucet: Faucet | undefined;
  readonly ledger: UserLedger;
  readonly markets: MarketData;
  /** What rides along in the replica's snapshots; complete before the replica starts. */
  readonly companions: Companion[];
};

/** Opens what lies on disk and puts the replica on top of it; nothing is replayed yet. */
async function openCore(
  config: Config,
  network: Network,
  { log, onFatal, metrics }: VenueDependencies & { readonly metrics: Metrics },
): Promise<Core> {
  const journal = await FileJournal.open({
    directory: join(config.data, 'journal'),
    clock: systemClock,
    onFatal,
    faults: journalFaults(config.fault),
    onSync: (seconds) => metrics.logSync(seconds),
  });
  if (journal.repaired !== undefined) {
    log.warn(journal.repaired, 'cut off the torn end of the journal: it was never acknowledged');
  }
  const store = await ReceiptStore.open({ file: join(config.data, 'receipts.sqlite'), onFatal });
  const snapshots = new SnapshotStore({
    directory: join(config.data, 'snapshots'),
    onCorrupt: (snapshot) => log.warn(snapshot, 'passed over a corrupt snapshot'),
  });
  const companions: Companion[] = [];
  const replica = await LocalReplica.create({
    log: journal,
    snapshots,
    clock: systemClock,
    genesis: genesisCommands(network.serviceNetwork, {
      admins: config.admins,
      deployers: config.deployers,
      openingFeeMicroUsdc: OPENING_FEE_MICRO_USDC[config.network],
    }),
    snapshotEveryBlocks: config.snapshotEveryBlocks,
    snapshotEveryCommands: config.snapshotEveryCommands,
    projected: (height) => store.flushed(height),
    projectedHeight: store.projectedHeight,
    companions,
    onSnapshotFailed: (error) => {
      metrics.snapshotFailed();
      log.error({ err: error }, 'a snapshot could not be written; it is tried again');
    },
    onFatal,
  });
  const receipts = new Receipts({
    instruments: instrumentLookup(() => replica.state),
    archive: store,
  });
  companions.push(receipts);
  replica.onBlock((block) => receipts.onBlock(block));
  const ledger = new UserLedger(() => replica.state);
  companions.push(ledger);
  replica.onBlock((block) => ledger.onBlock(block));
  const markets = new MarketData(() => replica.state);
  companions.push(...markets.companions);
  replica.onBlock((block) => markets.onBlock(block));
  if (!config.faucet || config.network === 'mainnet') {
    return { journal, store, replica, receipts, companions, ledger, markets, faucet: undefined };
  }
  const faucet = new Faucet({
    replica,
    now: systemClock.nowMs,
    amountMicroUsdc: config.faucetUsdc * 1_000_000,
    intervalMs: config.faucetEveryMs,
  });
  companions.push(faucet);
  replica.onBlock((block) => faucet.onBlock(block));
  return { journal, store, replica, receipts, companions, ledger, markets, faucet };
}

type EdgeParts = Core & {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly pool: RecoverPool;
  readonly pages: ReadonlyMap<string, string>;
};

type Edges = {
  readonly http: HttpEdge;
  readonly sockets: WsEdge;
  readonly operations: Server;
  /** The endpoint of all writes, for those inside the process. */
  readonly exchange: Endpoint;
  /** Tells whoever asks that this process is about to go. */
  stopping(): void;
};

/** The doors: public HTTP, public sockets, and the operator's port. */
function createEdges(config: Config, network: Network, parts: EdgeParts): Edges {
  const { log, metrics, replica } = parts;
  const clientIp = clientIpFinder(config.trustedProxies);
  const { wsLimits, ...budgets } = budgetsOf(config);
  const { work } = budgets;
  const sockets = new WsEdge({ replica, companions: parts, limits: wsLimits, work });
  parts.companions.push(sockets);
  const limiter = new RateLimiter({
    limits: {
      info: config.infoPerSecond,
      exchange: config.exchangePerSecond,
      explainSignature: config.explainPerSecond,
      simulate: config.simulatePerSecond,
    },
    now: () => performance.now(),
    enabled: config.limits,
  });
  const { exchange, ...others } = createEndpoints(config, network, { ...parts, limiter, sockets });
  const http = new HttpEdge({
    endpoints: { '/exchange': exchange, ...others },
    limiter,
    clientIp,
    ...budgets,
    isProxy: isTrustedProxy(config.trustedProxies),
    log,
    metrics,
    pages: parts.pages,
    upgrade: (request, socket, head) => {
      const ip = clientIp(request.socket.remoteAddress, forwardedFor(request));
      sockets.handleUpgrade(request, socket, head, ip);
    },
  });
  let isStopping = false;
  const isReady = readiness({
    now: systemClock.nowMs,
    lastBlockMs: () => (replica.isReplaying ? undefined : replica.head.timeMs),
    blockAgeMsMax: BLOCK_AGE_MS_MAX,
    isStopping: () => isStopping,
  });
  observeVenue(metrics, { ...parts, http, sockets });
  const operations = createOperationsServer({ metrics, readiness: isReady, log });
  operations.maxConnections = OPERATIONS_CONNECTIONS_MAX;
  return {
    http,
    sockets,
    exchange,
    operations,
    stopping() {
      isStopping = true;
    },
  };
}

function createEndpoints(
  config: Config,
  network: Network,
  parts: EdgeParts & { readonly limiter: RateLimiter; readonly sockets: WsEdge },
): Record<string, Endpoint> & { readonly exchange: Endpoint } {
  const { faucet, ledger, limiter, markets, pool, receipts, replica, sockets } = parts;
  const now = systemClock.nowMs;
  const accountStatus = accountStatusEndpoint({ replica });
  const { confirmTimeoutMs } = config;
  const info = infoEndpoint({
    replica,
    receipts,
    limiter,
    pool,
    network,
    settings: infoSettings(config),
    now,
    ledger,
    markets,
    ...(faucet === undefined ? {} : { faucet }),
    connections: (ip) => ({
      ws: sockets.connections('ws', ip).open,
      apiWs: sockets.connections('apiWs', ip).open,
      wsRtds: sockets.connections('wsRtds', ip).open,
    }),
  });
  return {
    exchange: exchangeEndpoint({ replica, receipts, pool, network, now, confirmTimeoutMs }),
    '/info': info,
    '/account-status': accountStatus,
    '/account': accountStatus,
    ...(faucet === undefined ? {} : { '/request-fund': faucet.endpoint() }),
  };
}

/** The bridge has no contract yet: its addresses are shown as unset. */
function infoSettings(config: Config): InfoSettings {
  return {
    bridgeContractAddress: UNSET_ADDRESS,
    usdcContractAddress: UNSET_ADDRESS,
    settlementChainId: SETTLEMENT_CHAIN[config.network],
    relayUrl: config.relayUrl,
    chainName: 'oddlot',
  };
}

/** Uniform in [0, 1), for what is simulated. */
function random(): number {
  return randomBytes(4).readUInt32LE() / 2 ** 32;
}

/** Who may operate a venue stands in the first block of its log, whatever is configured later. */
function warnOfOperators(config: Config, replica: LocalReplica, log: Logger): void {
  for (const role of ['admins', 'deployers'] as const) {
    const configured = config[role] ?? [];
    const logged = replica.state.parameters?.[role] ?? [];
    const isSame =
      configured.length === logged.length && configured.every((each) => logged.includes(each));
    if (configured.length === 0 || isSame) continue;
    log.warn({ [role]: configured, logged }, `the ${role} of the log hold`);
  }
}

/** A data folder belongs to one network: signatures for the other would fail in confusing ways. */
function assertNetwork(network: Network, replica: LocalReplica): void {
  const logged = replica.state.parameters?.serviceNetwork;
  if (logged !== network.serviceNetwork) {
    throw new ConfigError(`the data folder is of ${logged}, not of ${network.serviceNetwork}`);
  }
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

function hostText(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
