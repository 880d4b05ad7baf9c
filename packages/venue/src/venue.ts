import { randomBytes } from 'node:crypto';
import type { TimeSource } from '@oddlot/host/clock';
import { isDirectoryLocked } from '@oddlot/host/directory-lock';
import type { Logger } from '@oddlot/host/log';
import { Metrics } from '@oddlot/host/metrics';
import { openInOrder } from '@oddlot/host/open-in-order';
import { checkPorts, type HttpPort } from '@oddlot/host/ports';
import type { Network } from '@oddlot/protocol';
import { troubleText } from './supervise/cluster-status.ts';
import type { Cluster, openCluster } from '@oddlot/cluster/open-cluster';
import { createEdges, type Edges } from './compose/create-edges.ts';
import { openHyperliquidPort, refuseHyperliquid } from './compose/hyperliquid-port.ts';
import { type Core, openCore } from './compose/open-core.ts';
import type { Threads } from './compose/threads.ts';
import { type Config, operationsPortOf, portsOf } from './config.ts';
import { RecoverPool } from '@oddlot/api/recover-pool';
import { type Held, type Lease, LocalLease } from '@oddlot/replica/lease';
import { LocalActors } from './local-actors.ts';
import { Ticker } from '@oddlot/replica/local-replica';
import { holdSettlement, returnUnpayable } from './settlement-chain.ts';
import { watchDisk } from './supervise/disk-watch.ts';
import { MemoryWatch } from './supervise/memory-watch.ts';
import { openShown } from './supervise/open-shown.ts';
import { takeFolder } from './supervise/data-folder.ts';
import {
  assertNetwork,
  logRelease,
  warnOfBackend,
  warnOfOperators,
} from './supervise/operator-log.ts';
import type { HttpEdge } from '@oddlot/host/http';
import { hostText } from '@oddlot/host/operate';
import type { OpenedSettlement } from '@oddlot/settlement/open-settlement';
import { StreamLostError } from '@oddlot/cluster/stream-error';
import { exceptDiskFull, LaterReleaseError, TermOverError } from '@oddlot/replica/replica';

/**
 * The number of resting orders for which address space is reserved on startup, because a growing
 * pool copies all orders at once: 140 ms of CPU time at a million orders, 8 ms at 65,536. The
 * system provides memory only when orders use the addresses, so the reservation itself uses none.
 */
const ORDERS_RESERVED = 2 ** 20;

export type Venue = {
  readonly url: string;
  readonly operationsUrl: string;
  /** The URL for Hyperliquid clients, if configured. */
  readonly hyperliquidUrl: string | undefined;
  /** The URL of the local settlement chain for wallets, if there is one. */
  readonly chainUrl: string | undefined;
  /** The network name used in signatures. */
  readonly serviceNetwork: string;
  /** Stops accepting requests, completes pending ones, writes a snapshot, and releases the data. */
  stop(): Promise<void>;
  /** Returns why the log cannot currently be written, or undefined if it can. */
  logTrouble(): string | undefined;
};

export type VenueDependencies = {
  readonly log: Logger;
  /** Called with an error after which the process must exit immediately; the log is intact. */
  readonly onFatal: (error: unknown) => void;
  /** Assigns the singleton tasks. By default, this process runs all of them immediately. */
  readonly lease?: Lease;
  /**
   * Returns the free space of a folder. By default, the system is queried; tests replace this
   * function.
   */
  readonly freeBytes?: (directory: string) => Promise<number>;
  /** The environment with configured keys; empty by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The host's clocks; tests replace them. */
  readonly time?: TimeSource;
  /** The components that can run on other threads; by default, each has its own thread. */
  readonly threads?: Threads;
  /**
   * Keeps the log of a new data folder in memory, without a history, until a query or `store` needs
   * the files. Intended only for simulations, because a crash would lose all data.
   */
  readonly isDeferred?: boolean;
};

export type OpenedVenue = Pick<Venue, 'chainUrl' | 'logTrouble' | 'serviceNetwork' | 'stop'> &
  Pick<Core, 'indexer' | 'clock' | 'replica' | 'store'> &
  Pick<Edges, 'http'> & {
    listen(): Promise<Pick<Venue, 'hyperliquidUrl' | 'operationsUrl' | 'url'>>;
  };

/**
 * Creates and starts the parts of a venue, the data first and the ports last. A failed start
 * releases all resources.
 */
export function startVenue(config: Config, deps: VenueDependencies): Promise<Venue> {
  return openInOrder(async (opened) => {
    // The ports are checked before anything is created or replayed. If the folder is locked, that
    // error is more helpful, because the venue using the folder also uses the ports.
    if (!isDirectoryLocked(config.data)) await checkPorts(portsOf(config));
    const { chainUrl, listen, logTrouble, replica, serviceNetwork, stop } = await openVenue(
      config,
      deps,
    );
    opened.defer(stop);
    replica.state.pool.reserve(ORDERS_RESERVED);
    return { ...(await listen()), chainUrl, logTrouble, serviceNetwork, stop };
  }, logUnclosed(deps.log));
}

/** Opens a venue like `startVenue`, but its ports stay closed until `listen` is called. */
export function openVenue(config: Config, deps: VenueDependencies): Promise<OpenedVenue> {
  return openInOrder((opened) => openParts(config, deps, opened), logUnclosed(deps.log));
}

/**
 * Returns a handler that logs errors during cleanup. The caller that awaits startup reports why it
 * failed.
 */
function logUnclosed(log: Logger): (error: unknown) => void {
  return (err) => log.error({ err }, 'cleanup after a failed start was incomplete');
}

async function openParts(
  config: Config,
  deps: VenueDependencies,
  opened: AsyncDisposableStack,
): Promise<OpenedVenue> {
  const { env = {}, isDeferred = false, log, onFatal, threads = {}, time } = deps;
  const cluster = await joinCluster(config, { env, log, onFatal });
  opened.defer(() => cluster?.disconnect());
  const lease = deps.lease ?? cluster?.lease ?? new LocalLease();
  const { lock, network, otherNetworks } = await takeFolder(config, cluster?.serviceNetwork, log);
  opened.defer(() => lock.release());
  refuseHyperliquid(config, network);
  // The operations port is closed last, so that operators can observe the whole shutdown.
  let operatorsPort: HttpPort | undefined = undefined;
  opened.defer(() => operatorsPort?.drain());
  const metrics = new Metrics();
  const disk = await watchDisk(config, deps);
  opened.defer(() => disk.stop());
  const onError = exceptPassing(onFatal);
  const pool = openPool(config, { log, metrics, network, threads });
  opened.defer(() => pool.close());
  const opening = { network, lease, cluster, metrics, disk, log, onFatal, env, time, threads };
  const core = await openCore(config, { ...opening, opened, isDeferred });
  const { indexer, clock, money, receipts, relay, replica, store } = core;
  const replicas = core.cluster?.replicas;
  const { cursorKey } = cluster ?? {};
  const shown = await openShown(config, { money, relay, replica, replicas, cursorKey, log });
  const parts = { core, shown, disk, pool, network, otherNetworks, log, metrics };
  const edges = createEdges(config, parts);
  const { exchange, http, operations } = edges;
  operatorsPort = operations;
  const serving: Serving = { core, edges };
  opened.defer(() => stopServing(serving));
  await startCore(core, config, log);
  warnOfOperators(config, replica, log);
  const actors = actorsOf(config, core, { exchange, lease, log, network, onError });
  logRelease(config, metrics, log);
  await startActing(serving, actors, {
    lease,
    log,
    onError,
    ready: () => logBackend(pool, metrics, log),
  });
  const memory = new MemoryWatch(log);
  opened.defer(() => memory.stop());
  let stopping: Promise<void> | undefined;
  return {
    indexer,
    clock,
    http,
    replica,
    store,
    chainUrl: money?.rpcUrl,
    serviceNetwork: network.serviceNetwork,
    async listen() {
      const ports = await openPorts(config, { http, money, operations }, relay);
      const hyperliquid = await openHyperliquidPort(config, edges.hyperliquid, log);
      opened.defer(() => hyperliquid?.drain());
      cluster?.serving();
      return { ...ports, hyperliquidUrl: hyperliquid?.url };
    },
    stop: () => (stopping ??= stopAll(opened, receipts, log)),
    logTrouble() {
      const trouble = core.cluster?.trouble();
      return trouble && troubleText(trouble);
    },
  };
}

/** Starts prices and time first, and simulated traders once requests can be served. */
async function startActing(
  serving: Serving,
  actors: LocalActors,
  {
    lease,
    log,
    onError,
    ready,
  }: {
    readonly lease: Lease;
    readonly log: Logger;
    readonly onError: (error: unknown) => void;
    readonly ready: () => Promise<void>;
  },
): Promise<void> {
  const { clock, money, replica } = serving.core;
  serving.actors = actors;
  await actors.startPrices();
  serving.ticking = await holdTicker(new Ticker(replica, clock, onError), lease);
  if (money === undefined) await returnUnpayable(lease, replica, log);
  serving.settling = await holdSettlement(money, lease);
  await ready();
  await actors.start();
}

async function stopAll(
  opened: AsyncDisposableStack,
  receipts: { readonly pendingCount: number },
  log: Logger,
): Promise<void> {
  await opened.disposeAsync();
  log.info({ pending: receipts.pendingCount }, 'stopped');
}

type Serving = {
  readonly core: Core;
  readonly edges: ReturnType<typeof createEdges>;
  actors?: LocalActors;
  settling?: Held | undefined;
  ticking?: Held;
};

/**
 * Stops accepting clients and completes pending requests. A single venue continues to advance time
 * until the last response, because some requests wait for orders to leave the delay queue. In a
 * cluster, this replica first releases its tasks, and the other replicas advance the time.
 */
async function stopServing({ actors, core, edges, settling, ticking }: Serving): Promise<void> {
  const { cluster, relay } = core;
  edges.stopping();
  cluster?.divergence.stop();
  await cluster?.leave();
  await relay.stop();
  await actors?.stop();
  if (cluster === undefined) await edges.drain();
  await settling?.release();
  await ticking?.release();
  if (cluster !== undefined) await edges.drain();
}

function openPool(
  { recoverWorkers: size }: Config,
  {
    log,
    metrics,
    network,
    threads: { startRecoverer },
  }: {
    readonly log: Logger;
    readonly metrics: Metrics;
    readonly network: Network;
    readonly threads: Threads;
  },
): RecoverPool {
  const onWorkerLost = (): void => metrics.recoverWorkerLost();
  return new RecoverPool({ network, log, size, onWorkerLost, startRecoverer });
}

/** Joins the cluster. Its code is loaded only if a cluster is configured. */
async function joinCluster(
  config: Config,
  deps: Parameters<typeof openCluster>[1],
): Promise<Cluster | undefined> {
  if (config.cluster === undefined) return undefined;
  return (await import('@oddlot/cluster/open-cluster')).openCluster(config, deps);
}

function actorsOf(
  config: Config,
  { clock, markets, replica }: Core,
  rest: Pick<
    ConstructorParameters<typeof LocalActors>[1],
    'exchange' | 'lease' | 'log' | 'network' | 'onError'
  >,
): LocalActors {
  return new LocalActors(config, {
    ...rest,
    replica,
    random,
    clock,
    latest: markets.prices.latest.bind(markets.prices),
    descriptionOf: (id) => markets.catalogue.market(id)?.listing.description,
  });
}

function holdTicker(ticker: Ticker, lease: Lease): Promise<Held> {
  return lease.hold(
    'ticker',
    () => ticker.start(),
    () => ticker.stop(),
  );
}

async function logBackend(pool: RecoverPool, metrics: Metrics, log: Logger): Promise<void> {
  const backend = await pool.ready();
  metrics.recoverBackend(backend);
  warnOfBackend(backend, log);
}

async function startCore({ indexer, replica }: Core, config: Config, log: Logger) {
  const started = await replica.start();
  log.info({ ...started, height: replica.head.height }, 'log replayed');
  assertNetwork(config, replica);
  const following = indexer.start(replica.head, { seenFrom: started.snapshotHeight });
  // The indexer's startup is not awaited, because it also reads a snapshot. Failures are reported
  // through `onFatal`.
  following.catch(() => undefined);
  replica.onBlock((block) => indexer.follow(block));
}

/** Returns a uniformly distributed number in [0, 1), for simulations. */
function random(): number {
  return randomBytes(4).readUInt32LE() / 2 ** 32;
}

type PortUrls = { readonly url: string; readonly operationsUrl: string };

/**
 * Opens the public port and the operations port, returns their addresses, and starts the parts that
 * depend on them.
 */
export async function openPorts(
  config: Config,
  {
    http,
    money,
    operations,
  }: {
    readonly http: HttpEdge;
    readonly operations: HttpPort;
    readonly money: Pick<OpenedSettlement, 'allowPage'> | undefined;
  },
  visitor: { start(urls: PortUrls): Promise<void> },
): Promise<PortUrls> {
  const port = await http.listen(config.port, config.host);
  // Wallets on the page access the local chain, which has a different port.
  money?.allowPage(port);
  const operationsPort = await operations.listen(operationsPortOf(config), config.opsHost);
  const urls = {
    url: `http://${hostText(config.host)}:${port}`,
    operationsUrl: `http://${hostText(config.opsHost)}:${operationsPort}`,
  };
  await visitor.start(urls);
  return urls;
}

/**
 * Returns a handler that passes on all errors except transient ones, after which the process
 * continues. Writes that failed for lack of space are retried later (R-disk). A stream that lost
 * blocks rejects commands until it is complete again. A replica serves its last state if the log
 * has continued under later rules (R-era). Work that a term left unfinished is completed by the
 * next lease holder.
 */
export function exceptPassing(onFatal: (error: unknown) => void): (error: unknown) => void {
  return exceptDiskFull((error) => {
    const isPassing =
      error instanceof StreamLostError ||
      error instanceof LaterReleaseError ||
      error instanceof TermOverError;
    if (!isPassing) onFatal(error);
  });
}
