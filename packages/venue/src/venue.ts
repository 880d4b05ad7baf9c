import { randomBytes } from 'node:crypto';
import type { TimeSource } from '@oddlot/host/clock';
import type { Logger } from '@oddlot/host/log';
import { Metrics } from '@oddlot/host/metrics';
import type { Cluster, openCluster } from './supervise/open-cluster.ts';
import { createEdges, type Edges } from './compose/create-edges.ts';
import { type Core, openCore } from './compose/open-core.ts';
import type { Threads } from './compose/threads.ts';
import type { Config } from './config.ts';
import { RecoverPool } from './edge/recover-pool.ts';
import type { Held, Lease } from './lease/lease.ts';
import { LocalLease } from './lease/local-lease.ts';
import { LocalActors } from './local-actors.ts';
import { Ticker } from './replica/ticker.ts';
import { holdSettlement } from './settlement-chain.ts';
import { watchDisk } from './supervise/disk-watch.ts';
import { exceptPassing } from './supervise/except-passing.ts';
import { MemoryWatch } from './supervise/memory-watch.ts';
import { openPorts } from './supervise/open-ports.ts';
import { openShown } from './supervise/open-shown.ts';
import { takeFolder } from './supervise/take-folder.ts';
import {
  assertNetwork,
  tellWhatRuns,
  warnOfBackend,
  warnOfOperators,
} from './supervise/what-runs.ts';

/** A running venue. */
export type Venue = {
  readonly url: string;
  readonly operationsUrl: string;
  /** Where wallets find the local settlement chain, if there is one. */
  readonly chainUrl: string | undefined;
  /** The name that clients sign for. */
  readonly serviceNetwork: string;
  /** Takes no more, finishes what is under way, writes a snapshot, lets go of the data. */
  stop(): Promise<void>;
};

export type VenueDependencies = {
  readonly log: Logger;
  /** A fault after which the process must end at once; the log is intact. */
  readonly onFatal: (error: unknown) => void;
  /** Who runs what the venue has one of: by default this process, at once. */
  readonly lease?: Lease;
  /** How much room a folder has, for those who play with it; by default the system is asked. */
  readonly freeBytes?: (directory: string) => Promise<number>;
  /** Where keys may be that the configuration names; by default nowhere. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The clocks of the host, for those who play with them. */
  readonly time?: TimeSource;
  /** What runs beside the main thread, and on what; by default each on a thread of its own. */
  readonly threads?: Threads;
};

/** A venue that runs and has no open port: the parts, for whoever has them in hand. */
export type OpenedVenue = Pick<Venue, 'chainUrl' | 'serviceNetwork' | 'stop'> &
  Pick<Core, 'archivist' | 'clock' | 'replica'> &
  Pick<Edges, 'http'> & {
    /** Opens the ports, and says where they are. */
    listen(): Promise<Pick<Venue, 'operationsUrl' | 'url'>>;
  };

/** Wires the parts of a venue and starts them, the data first and the doors last. */
export async function startVenue(config: Config, deps: VenueDependencies): Promise<Venue> {
  const { chainUrl, listen, serviceNetwork, stop } = await openVenue(config, deps);
  return { ...(await listen()), chainUrl, serviceNetwork, stop };
}

/** The same, and the ports stay closed until somebody wants them. */
export async function openVenue(config: Config, deps: VenueDependencies): Promise<OpenedVenue> {
  const { env = {}, log, onFatal, threads = {}, time } = deps;
  const cluster = await joinCluster(config, { env, log, onFatal });
  const lease = deps.lease ?? cluster?.lease ?? new LocalLease();
  const { lock, network, otherNetworks } = await takeFolder(config, cluster?.serviceNetwork, log);
  const metrics = new Metrics();
  const disk = await watchDisk(config, deps);
  const onError = exceptPassing(onFatal);
  const pool = new RecoverPool({
    network,
    log,
    size: config.recoverWorkers,
    onWorkerLost: () => metrics.recoverWorkerLost(),
    startRecoverer: threads.startRecoverer,
  });
  const opening = { network, lease, cluster, metrics, disk, log, onFatal, env, time, threads };
  const core = await openCore(config, opening);
  const { archivist, clock, clockWatch, history, journal, money, offers } = core;
  const { receipts, relay, replica } = core;
  const replicas = core.cluster?.replicas;
  const { cursorKey } = cluster ?? {};
  const shown = await openShown(config, { money, relay, replica, replicas, cursorKey, log });
  const parts = { core, shown, disk, pool, network, otherNetworks, log, metrics };
  const edges = createEdges(config, parts);
  const { http, operations } = edges;
  await startCore(core, config, log);
  warnOfOperators(config, replica, log);
  const { exchange } = edges;
  const actors = actorsOf(config, core, { exchange, lease, log, network, onError });
  tellWhatRuns(config, metrics, log);
  await actors.startPrices();
  const ticking = await holdTicker(new Ticker(replica, clock, onError), lease);
  const settling = await holdSettlement(money, lease);
  await tellBackend(pool, metrics, log);
  await actors.start();

  const memory = new MemoryWatch(log);
  return {
    archivist,
    clock,
    http,
    replica,
    chainUrl: money?.rpcUrl,
    serviceNetwork: network.serviceNetwork,
    async listen() {
      const ports = await openPorts(config, { http, money, operations }, relay);
      cluster?.serving();
      return ports;
    },
    async stop() {
      await stopServing({ core, edges, actors, settling, ticking });
      for (const watch of [disk, clockWatch, memory]) watch.stop();
      await replica.stop();
      await history.release();
      await offers?.release();
      await journal.close();
      await pool.close();
      await operations.drain();
      log.info({ pending: receipts.pendingCount }, 'stopped');
      lock.release();
    },
  };
}

type Serving = {
  readonly core: Core;
  readonly edges: ReturnType<typeof createEdges>;
  readonly actors: LocalActors;
  readonly settling: Held;
  readonly ticking: Held;
};

/**
 * Takes nobody in any more, and answers who is there. Alone, time goes on until the last answer: some requests wait for orders
 * that leave the delay queue. In a cluster the others see to that, and to all that this one held: they are let first.
 */
async function stopServing({ actors, core, edges, settling, ticking }: Serving): Promise<void> {
  const { cluster, relay } = core;
  edges.stopping();
  cluster?.divergence.stop();
  await cluster?.leave();
  await relay.stop();
  await actors.stop();
  if (cluster === undefined) await edges.drain();
  await settling.release();
  await ticking.release();
  if (cluster !== undefined) await edges.drain();
}

/** The program of a cluster is loaded where there is one. */
async function joinCluster(
  config: Config,
  deps: Parameters<typeof openCluster>[1],
): Promise<Cluster | undefined> {
  if (config.cluster === undefined) return undefined;
  return (await import('./supervise/open-cluster.ts')).openCluster(config, deps);
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

async function tellBackend(pool: RecoverPool, metrics: Metrics, log: Logger): Promise<void> {
  const backend = await pool.ready();
  metrics.recoverBackend(backend);
  warnOfBackend(backend, log);
}

/** Replays the log, and lets the archivist follow it. */
async function startCore({ archivist, replica }: Core, config: Config, log: Logger) {
  const started = await replica.start();
  log.info({ ...started, height: replica.head.height }, 'replayed the log');
  assertNetwork(config, replica);
  const following = archivist.start(replica.head, { seenFrom: started.snapshotHeight });
  // Nobody waits until it has read its snapshot too, and what it can't do it tells by `onFatal`.
  following.catch(() => undefined);
  replica.onBlock((block) => archivist.follow(block));
}

/** Uniform in [0, 1), for what is simulated. */
function random(): number {
  return randomBytes(4).readUInt32LE() / 2 ** 32;
}
