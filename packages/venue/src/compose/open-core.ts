import { join } from 'node:path';
import { type TimeSource, VenueClock } from '@oddlot/host/clock';
import type { Logger } from '@oddlot/host/log';
import type { Metrics } from '@oddlot/host/metrics';
import { RULES_VERSION } from '@oddlot/engine';
import { type Network, NETWORKS, refusal } from '@oddlot/protocol';
import { noteStandalone } from '@oddlot/cluster/followed-stream';
import type { EraNotice } from '@oddlot/replica/era-notice';
import type { LogTrouble } from '@oddlot/cluster/cluster-log';
import { type Config, hasFaucet } from '../config.ts';
import { holdSnapshotOffers, joinFolder, openJournal } from '../supervise/data-folder.ts';
import type { JoinedCluster } from '../supervise/cluster-status.ts';
import type { Cluster } from '@oddlot/cluster/open-cluster';
import { AdmissionGuard, type Restriction } from '@oddlot/api/admission-guard';
import { Faucet } from '@oddlot/api/http/faucet';
import { genesisCommands, OPENING_FEE_MICRO_USDC } from '@oddlot/replica/genesis-commands';
import type { Indexer } from '@oddlot/history/indexer/indexer';
import { indexerOnDemand } from '@oddlot/history/indexer/indexer-on-demand';
import type { ExplorerTail, RecentBlocks } from '@oddlot/history/recent-blocks';
import { openHistory, receiptArchiveOf } from '@oddlot/history/open-history';
import { Receipts } from '@oddlot/history/receipts';
import {
  attachSharedModels,
  type FaucetGrants,
  type MultiSigChanges,
} from '@oddlot/history/shared-models';
import type { TradeTape } from '@oddlot/history/trade-tape';
import { type Lease, LocalLease } from '@oddlot/replica/lease';
import { LocalRelay } from '../local-relay/local-relay.ts';
import { EraStore, SnapshotStore } from '@oddlot/replica/log/checked-stores';
import type { FileJournal } from '@oddlot/replica/log/file-journal';
import { DeferredLog } from '@oddlot/replica/log/deferred-log';
import type { Log } from '@oddlot/replica/log/log';
import type { MarketData } from '@oddlot/translate/read-models/market-data';
import { LocalReplica } from '@oddlot/replica/local-replica';
import { type HeldSettlement, openMoney, startSettlementChain } from '../settlement-chain.ts';
import { openReserves } from '@oddlot/settlement/reserves/open-reserves';
import type { ReservesWorker } from '@oddlot/settlement/reserves/reserves-worker';
import { indexerSettings, logRetentionMsOf } from '../supervise/indexer-settings.ts';
import { ClockWatch } from '../supervise/clock-watch.ts';
import { diskRestriction, type DiskWatch } from '../supervise/disk-watch.ts';
import { DivergenceWatch, keepDivergence } from '../supervise/divergence-watch.ts';
import { logMissingStrikes, logOperators } from '../supervise/operator-log.ts';
import { instrumentLookup } from '@oddlot/translate/action-to-command';
import type { Threads } from './threads.ts';

/** The venue without its ports: its data, its read models and its settlement. */
export type Core = {
  /** The venue's time (R-clock). */
  readonly clock: VenueClock;
  readonly clockWatch: ClockWatch;
  readonly guard: AdmissionGuard;
  readonly journal: Log;
  /**
   * Writes the blocks of a deferred log to the data folder. If the log is not deferred, the folder
   * already contains all blocks.
   */
  readonly store: () => Promise<void>;
  readonly indexer: Indexer;
  readonly replica: LocalReplica;
  readonly receipts: Receipts;
  readonly faucet: Faucet | undefined;
  /** Undefined if the venue runs as a single process. */
  readonly cluster: JoinedCluster | undefined;
  /** Undefined if there is no settlement chain. */
  readonly money: HeldSettlement | undefined;
  readonly reserves: Pick<ReservesWorker, 'current' | 'proof'> | undefined;
  readonly relay: LocalRelay;
  readonly markets: MarketData;
  readonly tape: TradeTape;
  readonly explorer: ExplorerTail;
  readonly recent: RecentBlocks;
  readonly multiSigChanges: MultiSigChanges;
};

type CoreDependencies = {
  readonly network: Network;
  readonly lease: Lease;
  /** Undefined if the venue runs as a single process. */
  readonly cluster: Cluster | undefined;
  readonly metrics: Metrics;
  readonly disk: DiskWatch;
  readonly log: Logger;
  readonly onFatal: (error: unknown) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly time: TimeSource | undefined;
  readonly isDeferred: boolean;
  readonly threads: Threads;
  readonly opened: AsyncDisposableStack;
};

/** Opens the data and the settlement chain without replaying the log. */
export async function openCore(config: Config, deps: CoreDependencies): Promise<Core> {
  const { env, lease, log, network, onFatal, opened } = deps;
  // The local chain starts on its own thread while this thread opens the data.
  const starting = startSettlementChain(config, { env, log, onFatal });
  closeOnceOpen(opened, starting, (chain) => chain?.opened.close());
  const data = await openData(config, deps);
  const { indexer, clock, grants, guard, replica } = data;
  const money = openMoney(await starting, { clock, cluster: deps.cluster, log, replica });
  opened.defer(() => money?.settlement.close());
  const reserves = await openReserves(config, { money, indexer, clock, log });
  const relay = new LocalRelay(config, { network, money, replica, clock, lease, log });
  const faucet = grants && createFaucet(config, { clock, grants, guard, replica, money });
  return { ...data, money, reserves, relay, faucet };
}

/**
 * Closes a resource that is opened concurrently with others. A failure is reported by the code that
 * awaits `opening`.
 */
function closeOnceOpen<Opened>(
  opened: AsyncDisposableStack,
  opening: Promise<Opened>,
  close: (it: Opened) => Promise<void> | undefined,
): void {
  const closing = opening.then(
    (it) => () => close(it),
    () => () => undefined,
  );
  opened.defer(async () => (await closing)());
}

type Data = Omit<Core, 'faucet' | 'money' | 'reserves' | 'relay'> & {
  readonly grants: FaucetGrants | undefined;
};

type HistoryListeners = Pick<
  Parameters<typeof openHistory>[0],
  'hasSpace' | 'onSnapshot' | 'onStored'
>;

/**
 * How long a query waits for the history of a venue with a controlled clock, in milliseconds. Such
 * a venue can produce blocks much faster than the history stores them, and has no clients that
 * would wait in real time.
 */
const CONTROLLED_WAIT_MS = 3_600_000;

function startHistory(
  config: Config,
  deps: CoreDependencies,
  { store, ...listeners }: HistoryListeners & Pick<OpenedLog, 'store'>,
) {
  const { isDeferred, log, metrics, onFatal, threads, time } = deps;
  const start = threads.startIndexer;
  const isControlled = time !== undefined;
  return openHistory(
    {
      ...listeners,
      settings: indexerSettings(config),
      startIndexer: isDeferred ? indexerOnDemand({ start, store }) : start,
      ...(isControlled && { blockWaitMs: CONTROLLED_WAIT_MS, answerMsMax: CONTROLLED_WAIT_MS }),
      onFatal,
      onSnapshot: (snapshot) => {
        metrics.snapshotWritten(snapshot.seconds);
        listeners.onSnapshot?.(snapshot);
      },
      onSnapshotFailed: (error) => {
        metrics.snapshotFailed();
        log.error({ err: error }, 'snapshot could not be written; retrying');
      },
    },
    { lease: leaseOfHistory(config, deps), log },
  );
}

/**
 * Proposes the attestation before it offers the snapshot, because a joining replica looks for the
 * attestation in the log.
 */
async function attestThenOffer(
  {
    log,
    offers,
    replica,
  }: {
    readonly replica: LocalReplica;
    readonly offers: Awaited<ReturnType<typeof holdSnapshotOffers>>;
    readonly log: Logger;
  },
  snapshot: Parameters<LocalReplica['attestSnapshot']>[0],
): Promise<void> {
  const { height } = snapshot;
  try {
    if (await replica.attestSnapshot(snapshot)) offers?.take(height);
  } catch (err) {
    log.warn({ err, height }, 'snapshot could not be attested in the log');
  }
}

async function openData(config: Config, deps: CoreDependencies): Promise<Data> {
  const { cluster, disk, isDeferred, lease, log, metrics, network, onFatal, opened } = deps;
  const { threads, time } = deps;
  const clock = new VenueClock(time);
  const clockWatch = new ClockWatch(clock, log, cluster && (() => cluster.clockApartMs()));
  cluster?.holdWhile(() => !clockWatch.isOutOfStep);
  const guard = guardOf(disk, clockWatch);
  const hasSpace = (): boolean => disk.state !== 'full';
  const logRetentionMs = logRetentionMsOf(config) ?? Infinity;
  // The log is closed after all its readers and after the components that report how much of it
  // they still need.
  let closable: Pick<Log, 'close'> | undefined;
  opened.defer(() => closable?.close());
  const offers = await holdSnapshotOffers(config.data, cluster, { lease, log });
  opened.defer(() => offers?.release());
  // The history thread loads its program while this thread is reading the log.
  const opening = startHistory(config, deps, {
    store: () => store(),
    hasSpace,
    onStored: (height) => receipts.archived(height),
    onSnapshot: ({ content, height, neededFrom }) => {
      void attestThenOffer({ replica, offers, log }, { content, height });
      const dropBeforeMs = replica.head.timeMs - (neededFrom > 1 ? logRetentionMs : Infinity);
      void journal.compact({ belowSeq: neededFrom, dropBeforeMs });
    },
  });
  closeOnceOpen(opened, opening, ({ history }) => history.release());
  const begin = await joinFolder(config, cluster, log);
  const journaling = { begin, clock, disk, writer: threads.disk, hasSpace, log, metrics, onFatal };
  const files = await openJournal(config, journaling);
  closable = files;
  if (cluster === undefined) noteStandalone(config.data, files.lastSeq + 1);
  opened.defer(() => clockWatch.stop());
  clockWatch.start(files.lastTimeMs, { isAccepted: config.acceptClock });
  const logging = { ...network, clock, guard, isDeferred, log, onFatal };
  const { journal, store, trouble } = logOf(files, cluster, logging);
  closable = journal;
  const replica: LocalReplica = await LocalReplica.create({
    log: journal,
    snapshots: new SnapshotStore({
      directory: join(config.data, 'snapshots'),
      onCorrupt: (snapshot) => log.warn(snapshot, 'corrupt snapshot skipped'),
    }),
    eras: new EraStore({ directory: join(config.data, 'eras') }),
    clock,
    name: cluster?.replica,
    genesis: genesisCommands(NETWORKS[config.network].serviceNetwork, {
      admins: config.admins,
      deployers: config.deployers,
      openingFeeMicroUsdc: OPENING_FEE_MICRO_USDC[config.network],
    }),
    knownHeight: async () =>
      (await opening).indexer.verify(await replica.firstApplicable(), replica),
    onPassedOver: (what, why) => log.warn({ what, why }, 'unusable snapshot skipped'),
    onEra: (era) => log.info(era, 'rules version changed'),
  });
  const receipts: Receipts = createReceipts(replica, () => indexer, { guard, isDeferred });
  opened.defer(() => replica.stop());
  const { notice, ...models } = attachSharedModels(replica, {
    receipts,
    order: cluster?.order,
    faucetEveryMs: hasFaucet(config) ? config.faucetEveryMs : undefined,
  });
  const parts = { config, clock, guard, journal, replica, log, notice, onFatal, opened, trouble };
  const joined = await enter(cluster, parts);
  logOperators(replica, log);
  logMissingStrikes(replica, log);
  // All projections that snapshots contain are attached by now, so the newest snapshot can be read
  // while the other threads are starting.
  replica.restore();
  const { indexer } = await opening;
  const data = { clock, clockWatch, guard, journal, store, indexer, replica, receipts };
  return { ...data, ...models, cluster: joined };
}

function createReceipts(
  replica: LocalReplica,
  indexerNow: () => Indexer,
  { guard, isDeferred }: { readonly guard: AdmissionGuard; readonly isDeferred: boolean },
): Receipts {
  const instruments = instrumentLookup(() => replica.state);
  const archive = receiptArchiveOf(indexerNow);
  const receipts = new Receipts({ instruments, archive, isForRequests: isDeferred });
  guard.watch(() => backlogRestriction(receipts));
  return receipts;
}

/** Creates the guard that restricts requests when disk space is low or the clock is wrong. */
function guardOf(disk: DiskWatch, clockWatch: ClockWatch): AdmissionGuard {
  const guard = new AdmissionGuard();
  guard.watch(() => diskRestriction(disk.state));
  guard.watch(() => clockWatch.restriction());
  return guard;
}

/** Exchanges information with the other replicas of the cluster before the log is read. */
async function enter(
  cluster: Cluster | undefined,
  parts: Pick<Core, 'clock' | 'guard' | 'journal' | 'replica'> &
    Pick<CoreDependencies, 'log' | 'onFatal' | 'opened'> &
    Pick<JoinedCluster, 'trouble'> & { readonly config: Config; readonly notice: EraNotice },
): Promise<JoinedCluster | undefined> {
  if (cluster === undefined) return undefined;
  const { clock, guard, journal, log, notice, onFatal, opened, replica, trouble } = parts;
  const { data } = parts.config;
  const { board, replica: name } = cluster;
  // If another replica opens an announced era, this replica does not open it.
  const announced = (): number =>
    replica.outdated === undefined ? notice.rules : Math.max(notice.rules, RULES_VERSION + 1);
  guard.watch(() => eraRestriction(announced()));
  cluster.holdWhile(() => announced() <= RULES_VERSION);
  const divergence = new DivergenceWatch({
    replica,
    present: () => board.present.length,
    log,
    keep: (verdict) => keepDivergence({ data, name, replica, log: journal }, verdict),
    onFatal,
  });
  guard.watch(() => divergence.restriction());
  cluster.holdWhile(() => replica.verdict.kind !== 'outvoted');
  opened.defer(() => divergence.stop());
  divergence.start();
  await cluster.report(() => ({
    rules: RULES_VERSION,
    clockMs: clock.nowMs(),
    ...(replica.isWaiting && { isWaiting: true as const }),
    head: replica.isReplaying && !replica.isWaiting ? undefined : replica.head,
    attested: attestedOf(replica),
  }));
  return { ...cluster, trouble, divergence };
}

function attestedOf({ verdict: { height, own } }: LocalReplica) {
  return height === 0 ? undefined : { height, hash: own };
}

/** A history in local files has only one writer, even in a cluster, so it uses a local lease. */
function leaseOfHistory({ database }: Config, { cluster, lease }: CoreDependencies): Lease {
  return cluster !== undefined && database === undefined ? new LocalLease() : lease;
}

type OpenedLog = {
  readonly journal: Log;
  readonly trouble: JoinedCluster['trouble'];
  readonly store: () => Promise<void>;
};

const ALREADY_STORED = (): Promise<void> => Promise.resolve();

/**
 * Returns the local log or, in a cluster, the shared stream with the local files as a copy. The log
 * of a simulation with a new folder stays in memory until it is stored.
 */
function logOf(
  copy: FileJournal,
  cluster: Cluster | undefined,
  parts: {
    readonly clock: VenueClock;
    readonly guard: AdmissionGuard;
    readonly isDeferred: boolean;
    readonly log: Logger;
    readonly serviceNetwork: string;
    readonly onFatal: (error: unknown) => void;
  },
): OpenedLog {
  const { clock, guard, isDeferred, log, onFatal, serviceNetwork } = parts;
  const store = ALREADY_STORED;
  if (cluster === undefined) {
    const none = (): undefined => undefined;
    if (!isDeferred || copy.lastSeq > 0) return { journal: copy, trouble: none, store };
    const journal = new DeferredLog({ files: copy, clock, onFatal });
    return { journal, trouble: none, store: () => journal.store() };
  }
  const onLost = (err: unknown): void => log.fatal({ err }, 'stream lost blocks');
  const shared = cluster.openLog(copy, { clock, serviceNetwork, onFatal, onLost });
  const trouble = (): LogTrouble | undefined => shared.trouble();
  guard.watch(() => logRestriction(trouble()));
  guard.judgeBy(shared.age);
  // Tasks that propose commands are released, because their commands would be rejected.
  cluster.holdWhile(() => trouble()?.kind !== 'lost');
  return { journal: shared, trouble, store };
}

function createFaucet(
  config: Config,
  {
    clock,
    grants,
    guard,
    money,
    replica,
  }: Pick<Core, 'clock' | 'guard' | 'money' | 'replica'> & { readonly grants: FaucetGrants },
): Faucet {
  return new Faucet({
    replica,
    grants,
    now: () => clock.nowMs(),
    amountMicroUsdc: config.faucetUsdc * 1_000_000,
    intervalMs: config.faucetEveryMs,
    restricted: () => guard.restriction()?.error,
    onChain: money?.settlement.backing,
  });
}

/** Stops all requests to /exchange while the stream has no leader or has lost blocks. */
function logRestriction(trouble: LogTrouble | undefined): Restriction | undefined {
  if (trouble === undefined) return undefined;
  const error =
    trouble.kind === 'lost' ? refusal('logLost', [trouble.error.from]) : refusal('logSilent', []);
  return { stops: 'all', error };
}

/**
 * Stops all requests to /exchange once rules that this program does not support have been announced
 * (R-era).
 */
function eraRestriction(announced: number): Restriction | undefined {
  if (announced <= RULES_VERSION) return undefined;
  return { stops: 'all', error: refusal('rulesAnnounced', [announced, RULES_VERSION]) };
}

/**
 * Stops requests that add risk while receipts cannot be stored fast enough, because otherwise the
 * waiting receipts would use unbounded memory.
 */
function backlogRestriction(store: { readonly isBehind: boolean }): Restriction | undefined {
  return store.isBehind ? { stops: 'risk', error: refusal('unavailable', []) } : undefined;
}
