import { randomBytes } from 'node:crypto';
import type { TimeSource } from '@oddlot/host/clock';
import type { Logger } from '@oddlot/host/log';
import { Metrics } from '@oddlot/host/metrics';
import type { Cluster, openCluster } from './supervise/open-cluster.ts';
import { createEdges } from './compose/create-edges.ts';
import { type Core, openCore } from './compose/open-core.ts';
import type { Config } from './config.ts';
import { RecoverPool } from './edge/recover-pool.ts';
import type { Held, Lease } from './lease/lease.ts';
import { LocalLease } from './lease/local-lease.ts';
import { LocalActors } from './local-actors.ts';
import { holdBridge } from './local-money.ts';
import { exceptNoRoom } from './replica/replica-error.ts';
import { Ticker } from './replica/ticker.ts';
import { watchDisk } from './supervise/disk-watch.ts';
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
};

/** Wires the parts of a venue and starts them, the data first and the doors last. */
export async function startVenue(config: Config, deps: VenueDependencies): Promise<Venue> {
  const { env = {}, log, onFatal, time } = deps;
  const cluster = await joinCluster(config, { env, log, onFatal });
  const lease = deps.lease ?? cluster?.lease ?? new LocalLease();
  const { lock, network, otherNetworks } = await takeFolder(config, cluster?.serviceNetwork, log);
  const metrics = new Metrics();
  const disk = await watchDisk(config, deps);
  // R-disk: what could not be written for want of room is written when there is some again.
  const onError = exceptNoRoom(onFatal);
  const pool = new RecoverPool({
    network,
    log,
    size: config.recoverWorkers,
    onWorkerLost: () => metrics.recoverWorkerLost(),
  });
  const opening = { network, lease, cluster, metrics, disk, log, onFatal, env, time };
  const core = await openCore(config, opening);
  const { clock, clockWatch, history, journal, markets, money, offers } = core;
  const { receipts, relay, replica } = core;
  const shown = await openShown(config, { money, relay, replica, log });
  const parts = { core, shown, disk, pool, network, otherNetworks, log, metrics };
  const edges = createEdges(config, parts);
  const { http, operations, sockets } = edges;
  await startCore(core, config, log);
  warnOfOperators(config, replica, log);
  const actors = new LocalActors(config, {
    replica,
    lease,
    network,
    log,
    random,
    exchange: edges.exchange,
    clock,
    latest: markets.prices.latest.bind(markets.prices),
    descriptionOf: (id) => markets.catalogue.market(id)?.listing.description,
    onError,
  });
  tellWhatRuns(config, metrics, log);
  await actors.startPrices();
  const ticking = await holdTicker(new Ticker(replica, clock, onError), lease);
  const settling = await holdBridge(money, lease);
  await tellBackend(pool, metrics, log);
  await actors.start();

  const memory = new MemoryWatch(log);
  const { operationsUrl, url } = await openPorts(config, { http, money, operations }, relay);
  return {
    url,
    operationsUrl,
    chainUrl: money?.rpcUrl,
    serviceNetwork: network.serviceNetwork,
    async stop() {
      edges.stopping();
      await relay.stop();
      await actors.stop();
      disk.stop();
      clockWatch.stop();
      memory.stop();
      // Time goes on meanwhile: some requests wait for orders that leave the delay queue.
      await Promise.all([http.drain(), sockets.drain()]);
      await settling.release();
      await ticking.release();
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

/** The program of a cluster is loaded where there is one. */
async function joinCluster(
  config: Config,
  deps: Parameters<typeof openCluster>[1],
): Promise<Cluster | undefined> {
  if (config.cluster === undefined) return undefined;
  return (await import('./supervise/open-cluster.ts')).openCluster(config, deps);
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
