import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { systemTime, type TimeSource, VenueClock } from '@oddlot/host/clock';
import { createOperationsPort, readiness } from '@oddlot/host/health';
import { type Endpoint, HttpEdge, RateLimiter } from '@oddlot/host/http';
import type { Logger } from '@oddlot/host/log';
import { Metrics } from '@oddlot/host/metrics';
import { clientIpFinder, forwardedFor, type HttpPort, isTrustedProxy } from '@oddlot/host/ports';
import { NETWORKS, type Network } from '@oddlot/protocol';
import { type Config, hasFaucet } from './config.ts';
import { AdmissionGuard } from './edge/admission-guard.ts';
import { budgetsOf } from './edge/budgets.ts';
import { createEndpoints } from './edge/http/endpoints.ts';
import { Faucet } from './edge/http/faucet.ts';
import { RecoverPool } from './edge/recover-pool.ts';
import { WsEdge } from './edge/ws/server.ts';
import { genesisCommands, OPENING_FEE_MICRO_USDC } from './genesis.ts';
import { HistoryAwayError } from './history/history.ts';
import { openHistory, receiptArchiveOf } from './history/open-history.ts';
import type { Archivist } from './history/archivist/archivist.ts';
import type { Held, Lease } from './lease/lease.ts';
import { LocalLease } from './lease/local-lease.ts';
import { LocalActors } from './local-actors.ts';
import { LocalRelay } from './local-relay/local-relay.ts';
import { holdBridge, infoSettings, openMoney, startChain } from './local-money.ts';
import { EraStore } from './log/era-store.ts';
import type { FileJournal } from './log/file-journal.ts';
import { SnapshotStore } from './log/snapshot-store.ts';
import { MarketData } from './read-models/market-data.ts';
import { archivistSettings } from './supervise/archivist-settings.ts';
import { backlogRestriction } from './supervise/backlog.ts';
import { ClockWatch } from './supervise/clock-watch.ts';
import { diskRestriction, type DiskWatch, watchDisk } from './supervise/disk-watch.ts';
import { logKeptMsOf } from './supervise/kept.ts';
import { openDoors } from './supervise/open-doors.ts';
import { openJournal } from './supervise/open-journal.ts';
import { openShown, type Shown } from './supervise/open-shown.ts';
import { logOperators } from './supervise/operator-log.ts';
import { MemoryWatch } from './supervise/memory-watch.ts';
import { logMissingStrikes } from './supervise/strike-watch.ts';
import { checksOf } from './supervise/venue-checks.ts';
import { venueHealth } from './supervise/venue-health.ts';
import {
  assertNetwork,
  tellWhatRuns,
  warnOfBackend,
  warnOfOperators,
} from './supervise/what-runs.ts';
import { takeFolder } from './supervise/take-folder.ts';
import { observeVenue } from './supervise/observe.ts';
import { observeReserves } from './supervise/observe-reserves.ts';
import { observeSettlement } from './supervise/observe-settlement.ts';
import { LocalReplica } from './replica/local-replica.ts';
import { exceptNoRoom } from './replica/replica-error.ts';
import { Receipts } from './history/receipts.ts';
import { Ticker } from './replica/ticker.ts';
import type { OpenedSettlement } from './settlement/open-settlement.ts';
import { openReserves } from './settlement/reserves/open-reserves.ts';
import type { ReservesWorker } from './settlement/reserves/reserves-worker.ts';
import { ExplorerTail } from './history/explorer-tail.ts';
import { MultiSigChanges } from './history/multi-sig-changes.ts';
import { TradeTape } from './history/trade-tape.ts';
import { instrumentLookup } from './translate/action-to-command.ts';

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
  const { lease = new LocalLease(), log, onFatal } = deps;
  const { lock, network, otherNetworks } = await takeFolder(config, log);
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
  const core = await openWithMoney(config, network, { ...deps, lease, metrics, disk });
  const { clock, clockWatch, history, journal, money, receipts, relay, replica } = core;
  const shown = { otherNetworks, ...(await openShown(config, { ...core, log })) };
  const edges = createEdges(config, network, { ...core, ...shown, log, metrics, pool });
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
    latest: core.markets.prices.latest.bind(core.markets.prices),
    descriptionOf: (id) => core.markets.catalogue.market(id)?.listing.description,
    onError,
  });
  tellWhatRuns(config, metrics, log);
  await actors.startPrices();
  const ticker = new Ticker(replica, clock, onError);
  const ticking = await lease.hold(
    'ticker',
    () => ticker.start(),
    () => ticker.stop(),
  );
  const settling = await holdBridge(money, lease);
  await tellBackend(pool, metrics, log);
  await actors.start();

  const memory = new MemoryWatch(log);
  const doors = await openDoors(config, { ...edges, money }, relay);
  return {
    ...doors,
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
      await journal.close();
      await pool.close();
      await operations.drain();
      log.info({ pending: receipts.pendingCount }, 'stopped');
      lock.release();
    },
  };
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

type Core = {
  /** The time that the venue goes by (R-clock). */
  readonly clock: VenueClock;
  readonly clockWatch: ClockWatch;
  readonly disk: DiskWatch;
  readonly guard: AdmissionGuard;
  readonly journal: FileJournal;
  readonly archivist: Archivist;
  /** The archivist, as the only writer of the history. */
  readonly history: Held;
  readonly replica: LocalReplica;
  readonly receipts: Receipts;
  readonly faucet: Faucet | undefined;
  /** Undefined without a settlement chain. */
  readonly money: OpenedSettlement | undefined;
  readonly reserves: ReservesWorker | undefined;
  readonly relay: LocalRelay;
  readonly markets: MarketData;
  readonly tape: TradeTape;
  readonly explorer: ExplorerTail;
  readonly multiSigChanges: MultiSigChanges;
};

type OpenedCore = Omit<Core, 'faucet' | 'money' | 'reserves' | 'relay'>;

type OpenDependencies = Omit<VenueDependencies, 'lease'> & {
  readonly lease: Lease;
  readonly metrics: Metrics;
  readonly disk: DiskWatch;
};

/** The data, and the settlement chain that holds the money behind it. */
async function openWithMoney(
  config: Config,
  network: Network,
  deps: OpenDependencies,
): Promise<Core> {
  // The local chain comes up on a thread of its own while the data is opened here.
  const [chain, opened] = await Promise.all([startChain(config, deps), openCore(config, deps)]);
  const money = openMoney(chain, { ...deps, ...opened });
  const reserves = await openReserves(config, { ...deps, ...opened, money });
  const relay = new LocalRelay(config, { ...deps, ...opened, network, money });
  return { ...opened, money, reserves, relay, faucet: createFaucet(config, opened, money) };
}

/** Opens what lies on disk and puts the replica on top of it; nothing is replayed yet. */
async function openCore(config: Config, deps: OpenDependencies): Promise<OpenedCore> {
  const { disk, log, metrics, onFatal } = deps;
  const clock = new VenueClock(deps.time);
  const clockWatch = new ClockWatch(clock, log);
  const guard = new AdmissionGuard();
  guard.watch(() => diskRestriction(disk.state));
  guard.watch(() => clockWatch.restriction());
  const hasRoom = (): boolean => disk.state !== 'full';
  const logKeptMs = logKeptMsOf(config) ?? Infinity;
  // A thread of its own, which loads its program while the log is read here.
  const opening = openHistory(
    {
      settings: archivistSettings(config),
      hasRoom,
      onFatal,
      onStored: (height) => receipts.archived(height),
      onSnapshot: ({ neededFrom, seconds }) => {
        metrics.snapshotWritten(seconds);
        const dropBeforeMs = replica.head.timeMs - (neededFrom > 1 ? logKeptMs : Infinity);
        void journal.compact({ belowSeq: neededFrom, dropBeforeMs });
      },
      onSnapshotFailed: (error) => {
        metrics.snapshotFailed();
        log.error({ err: error }, 'a snapshot could not be written; it is tried again');
      },
    },
    deps,
  );
  const [journal, kept] = await Promise.all([
    openJournal(config, { ...deps, clock, hasRoom }),
    opening,
  ]);
  clockWatch.start(journal.lastTimeMs, { isAccepted: config.acceptClock });
  const { archivist } = kept;
  const replica: LocalReplica = await LocalReplica.create({
    log: journal,
    snapshots: new SnapshotStore({
      directory: join(config.data, 'snapshots'),
      onCorrupt: (snapshot) => log.warn(snapshot, 'passed over a corrupt snapshot'),
    }),
    eras: new EraStore({ directory: join(config.data, 'eras') }),
    clock,
    genesis: genesisCommands(NETWORKS[config.network].serviceNetwork, {
      admins: config.admins,
      deployers: config.deployers,
      openingFeeMicroUsdc: OPENING_FEE_MICRO_USDC[config.network],
    }),
    knownHeight: () => archivist.verify(journal.firstSeq, replica),
    onPassedOver: (what, why) => log.warn({ what, why }, 'passed over a state of another shape'),
    onEra: (era) => log.info(era, 'the rules have changed: a new era opens'),
  });
  const receipts: Receipts = new Receipts({
    instruments: instrumentLookup(() => replica.state),
    archive: receiptArchiveOf(archivist),
  });
  guard.watch(() => backlogRestriction(receipts));
  replica.attach(receipts);
  logOperators(replica, log);
  logMissingStrikes(replica, log);
  const stores = { disk, guard, journal, ...kept };
  return { clock, clockWatch, ...stores, replica, receipts, ...attachReadModels(replica) };
}

/** What answers and streams read besides the state. */
function attachReadModels(replica: LocalReplica) {
  const state = () => replica.state;
  const markets = new MarketData(state);
  markets.attachTo(replica);
  const tape = new TradeTape(state, () => markets.catalogue.left);
  replica.attach(tape);
  const explorer = new ExplorerTail(state);
  replica.attach(explorer);
  const multiSigChanges = new MultiSigChanges();
  replica.attach(multiSigChanges);
  return { markets, tape, explorer, multiSigChanges };
}

/** Test money, where there is any. */
function createFaucet(
  config: Config,
  { clock, guard, replica }: OpenedCore,
  money: OpenedSettlement | undefined,
): Faucet | undefined {
  if (!hasFaucet(config)) return undefined;
  const faucet = new Faucet({
    replica,
    now: () => clock.nowMs(),
    amountMicroUsdc: config.faucetUsdc * 1_000_000,
    intervalMs: config.faucetEveryMs,
    restricted: () => guard.restriction()?.error,
    onChain: money?.settlement.backing,
  });
  replica.attach(faucet.grants);
  return faucet;
}

type EdgeParts = Core &
  Shown & {
    readonly log: Logger;
    readonly metrics: Metrics;
    readonly pool: RecoverPool;
    readonly otherNetworks: readonly Network[];
  };

type Edges = {
  readonly http: HttpEdge;
  readonly sockets: WsEdge;
  readonly operations: HttpPort;
  /** The endpoint of all writes, for those inside the process. */
  readonly exchange: Endpoint;
  /** Tells whoever asks that this process is about to go. */
  stopping(): void;
};

/** The doors: public HTTP, public sockets, and the operator's port. */
function createEdges(config: Config, network: Network, parts: EdgeParts): Edges {
  const { clock, log, metrics, replica } = parts;
  const clientIp = clientIpFinder(config.trustedProxies);
  const { wsLimits, ...budgets } = budgetsOf(config);
  const { turns, work } = budgets;
  const companions = { ...parts, history: parts.archivist, work, turns };
  const sockets = new WsEdge({ replica, companions, limits: wsLimits, work, turns });
  replica.onBlock((block) => sockets.onBlock(block));
  let isStopping = false;
  const isReady = readiness(checksOf(parts, () => isStopping));
  const limiter = createLimiter(config);
  const now = (): number => clock.nowMs();
  const { exchange, exports, byPath } = createEndpoints({
    ...companions,
    network,
    limiter,
    now,
    confirmTimeoutMs: config.confirmTimeoutMs,
    settings: infoSettings(config, parts.money, parts.relay),
    permits: parts.money?.settlement.permits,
    reserves: parts.reserves,
    payouts: parts.money?.settlement.payouts,
    hasLimits: config.limits,
    health: () => venueHealth({ ...parts, sockets, isReady }),
    connections: (ip) => ({
      ws: sockets.connections('ws', ip).open,
      apiWs: sockets.connections('apiWs', ip).open,
      wsRtds: sockets.connections('wsRtds', ip).open,
    }),
  });
  const http = new HttpEdge({
    endpoints: byPath,
    limiter,
    clientIp,
    ...budgets,
    isProxy: isTrustedProxy(config.trustedProxies),
    log,
    metrics,
    pages: parts.pages,
    page: parts.page,
    isDown: (error) => error instanceof HistoryAwayError,
    upgrade: (request, socket, head) => {
      const ip = clientIp(request.socket.remoteAddress, forwardedFor(request));
      sockets.handleUpgrade(request, socket, head, ip);
    },
  });
  // Not before the API serves: who trades does not wait for a page.
  http.server.once('listening', () => parts.page?.start());
  const { data } = config;
  observeVenue(metrics, { ...parts, http, exports, sockets, data, wallMs: systemTime.wallMs });
  const settlement = parts.money?.settlement;
  observeSettlement(metrics, settlement, () => replica.state);
  observeReserves(metrics, parts.reserves, () => replica.state);
  const operations = createOperationsPort({
    metrics,
    readiness: isReady,
    log,
    pages: settlement === undefined ? {} : { '/settlement': () => settlement.status },
    posts: { '/pegs': (body) => parts.relay.registerPegs(body) },
  });
  return {
    http,
    sockets,
    exchange,
    operations,
    stopping() {
      isStopping = true;
      parts.page?.stop();
    },
  };
}

function createLimiter(config: Config): RateLimiter {
  return new RateLimiter({
    limits: {
      info: config.infoPerSecond,
      exchange: config.exchangePerSecond,
      explainSignature: config.explainPerSecond,
      simulate: config.simulatePerSecond,
    },
    now: () => performance.now(),
    enabled: config.limits,
  });
}

/** Uniform in [0, 1), for what is simulated. */
function random(): number {
  return randomBytes(4).readUInt32LE() / 2 ** 32;
}
