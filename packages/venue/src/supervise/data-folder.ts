import type { Logger } from '@oddlot/host/log';
import type { Config } from '../config.ts';
import {
  adoptServiceName,
  drawServiceName,
  lockData,
  noteServiceName,
  readServiceNames,
} from '@oddlot/replica/log/data-folder';
import { isLoopback } from '@oddlot/host/ports';
import { type Network, NETWORKS, serviceWordOf } from '@oddlot/protocol';
import { SettingError } from '@oddlot/host/settings';
import { join } from 'node:path';
import type { Clock } from '@oddlot/host/clock';
import type { Metrics } from '@oddlot/host/metrics';
import { FileJournal, type FileJournalOptions } from '@oddlot/replica/log/file-journal';
import { journalFaults } from '@oddlot/replica/log/segment-writer';
import type { DiskWatch } from './disk-watch.ts';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { SnapshotStore } from '@oddlot/replica/log/checked-stores';
import { unlessAttested } from '@oddlot/replica/attestations';
import { newestUsable } from '@oddlot/replica/bases';
import type { Cluster } from '@oddlot/cluster/open-cluster';
import type { Held, Lease } from '@oddlot/replica/lease';

/** Locks the folder for this process, and reads or creates its permanent network name. */
export async function takeFolder(config: Config, clusterNetwork: string | undefined, log: Logger) {
  const lock = await lockData(config.data);
  try {
    if (clusterNetwork !== undefined) adoptServiceName(config.data, clusterNetwork);
    return { lock, ...(await ownNetwork(config, log)) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

type OwnNetwork = {
  /** The network that all signatures for this venue are bound to. */
  readonly network: Network;
  /** Networks a client may have signed for by mistake. */
  readonly otherNetworks: readonly Network[];
};

/**
 * Returns the network with the name of this deployment. A folder without a name gets one here,
 * before the first entry of its log or of its new era is written, and keeps it regardless of later
 * configuration. A folder whose name file was lost gets neither a new name nor that of its network,
 * because all existing signatures would become invalid.
 */
export async function ownNetwork(config: Config, log: Logger): Promise<OwnNetwork> {
  const { data, serviceNetwork: word } = config;
  const base = NETWORKS[config.network];
  let names = readServiceNames(data);
  if (names.name === undefined && word !== undefined) {
    names = await drawServiceName(data, word);
    log.info({ serviceNetwork: names.name }, 'network name assigned');
  }
  const { name } = names;
  if (name === undefined) {
    warnOfSharedName(config, base, log);
    return { network: base, otherNetworks: othersOf(base, []) };
  }
  const own = serviceWordOf(name) ?? name;
  if (word !== undefined && word !== own) {
    throw new SettingError(
      `serviceNetwork: the network name of the data folder is ${name}, not ${word}. To turn a copy into another venue, rename it with npm run rename-venue`,
    );
  }
  noteServiceName(data, name);
  const network = { ...base, serviceNetwork: name };
  return { network, otherNetworks: othersOf(network, [...names.former, own]) };
}

function othersOf(network: Network, names: readonly string[]): readonly Network[] {
  const renamed = names.map((serviceNetwork) => ({ ...network, serviceNetwork }));
  return [...renamed, ...Object.values(NETWORKS)];
}

/**
 * Warns the operator of a venue that is reachable from other machines. On a local machine, a shared
 * name is harmless.
 */
function warnOfSharedName(config: Config, { serviceNetwork }: Network, log: Logger): void {
  const { host, trustedProxies } = config;
  const isInside = isLoopback(host) || host === 'localhost';
  if (isInside && trustedProxies.length === 0) return;
  log.warn(
    { serviceNetwork },
    'other venues use the same network name, so requests signed for them are valid here ' +
      'too. Set a unique name with --service-network',
  );
}

/** Opens the log of the data folder, and reports repairs and failures to the operator. */
export async function openJournal(
  config: Config,
  deps: {
    /** Where a new log starts, if not with the first entry. */
    readonly begin: FileJournalOptions['begin'];
    readonly clock: Clock;
    readonly disk: DiskWatch;
    /** Performs the writes. By default, they run on their own thread. */
    readonly writer: FileJournalOptions['disk'];
    readonly hasSpace: () => boolean;
    readonly log: Logger;
    readonly metrics: Metrics;
    readonly onFatal: (error: unknown) => void;
  },
): Promise<FileJournal> {
  const { begin, clock, disk, hasSpace, log, metrics, onFatal, writer } = deps;
  const faults = journalFaults(config.fault);
  if (faults === undefined)
    throw new SettingError(`Unknown fault: ${config.fault}. Use slow-sync:MS`);
  const journal = await FileJournal.open({
    directory: join(config.data, 'journal'),
    clock,
    ...(begin === undefined ? {} : { begin }),
    ...(writer === undefined ? {} : { disk: writer }),
    onFatal,
    faults,
    hasSpace,
    // A compressed copy needs space, so old segments are compressed only if there is plenty
    // (R-disk).
    mayCompress: () => disk.state === 'roomy',
    onCompactFailed: (error) => {
      metrics.logCompactFailed();
      log.error({ err: error }, 'old log segment could not be compressed; keeping it uncompressed');
    },
    onSync: (seconds) => metrics.logSync(seconds),
  });
  if (journal.repaired !== undefined) {
    log.warn(journal.repaired, 'incomplete end of the journal removed; it was never acknowledged');
  }
  return journal;
}

/** Where the journal of a folder without a log starts. */
type Begin = { readonly seq: number; readonly timeMs: number };

/** Thrown if no snapshot is attested and the log does not go back to the first block. */
class SnapshotsRefusedError extends Error {
  override readonly name = 'SnapshotsRefusedError';
}

/**
 * Gives a folder without a log an initial state: the newest snapshot copied into it by its
 * operator, or the one offered by the other replicas. Either way, the content must be attested in
 * the log, or accepted by the operator by its hash. The log after the snapshot comes from the
 * stream. Returns undefined if the log starts with the first block.
 */
export async function joinFolder(
  { acceptSnapshot, data }: Pick<Config, 'acceptSnapshot' | 'data'>,
  cluster: Pick<Cluster, 'attested' | 'firstSeq' | 'snapshots'> | undefined,
  log: Pick<Logger, 'error' | 'info'>,
): Promise<Begin | undefined> {
  if (cluster === undefined || (await hasLog(join(data, 'journal')))) return undefined;
  const directory = join(data, 'snapshots');
  const store = new SnapshotStore({ directory });
  const faultOf = unlessAttested((height) => cluster.attested(height), acceptSnapshot);
  let fault: string | undefined;
  const head = await newestUsable(store, {
    faultOf,
    async fetchBelow(height) {
      const fetched = await cluster.snapshots.fetchNewest(directory, height);
      if (fetched !== undefined) log.info(fetched, 'snapshot fetched from the cluster');
    },
    onRefused(height, why) {
      log.error({ height, why }, 'snapshot rejected and set aside');
      fault ??= `The snapshot of block ${height} was rejected: ${why}`;
    },
  });
  if (head !== undefined) return { seq: head.height, timeMs: head.timeMs };
  const { firstSeq = 1 } = cluster;
  if (fault === undefined || firstSeq === 1) return undefined;
  throw new SnapshotsRefusedError(
    `The log begins with block ${firstSeq}, but this replica has no snapshot to start from: ${fault}`,
  );
}

async function hasLog(journal: string): Promise<boolean> {
  return (
    existsSync(journal) && (await readdir(journal)).some((name) => name.startsWith('journal-'))
  );
}

/** Offers the snapshots of this replica to joining replicas while the replica holds this task. */
class SnapshotOffers {
  readonly #directory: string;
  readonly #cluster: Pick<Cluster, 'snapshots'>;
  readonly #log: Pick<Logger, 'info' | 'warn'>;
  #isHeld = false;
  #held: Held | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(
    data: string,
    cluster: Pick<Cluster, 'snapshots'>,
    log: Pick<Logger, 'info' | 'warn'>,
  ) {
    this.#directory = join(data, 'snapshots');
    this.#cluster = cluster;
    this.#log = log;
  }

  async hold(lease: Lease): Promise<void> {
    this.#held = await lease.hold(
      'snapshots',
      () => void (this.#isHeld = true),
      () => void (this.#isHeld = false),
    );
  }

  /** Resolves when no offer is in progress. */
  async release(): Promise<void> {
    await this.#held?.release();
    await this.#last;
  }

  /**
   * Offers a new snapshot. Offers are sent one after another, and a failed one is superseded by the
   * next.
   */
  take(height: number): void {
    if (!this.#isHeld) return;
    this.#last = this.#last
      .then(() => this.#offer(height))
      .catch((err: unknown) => {
        this.#log.warn({ err, height }, 'snapshot could not be offered to joining replicas');
      });
  }

  async #offer(height: number): Promise<void> {
    const files = await new SnapshotStore({ directory: this.#directory }).list();
    const file = files.find((each) => each.height === height);
    if (file === undefined) return;
    await this.#cluster.snapshots.offer(file.path);
    this.#log.info({ height }, 'snapshot offered to joining replicas');
  }
}

/** Starts to offer snapshots if the venue has several replicas. */
export async function holdSnapshotOffers(
  data: string,
  cluster: Cluster | undefined,
  { lease, log }: { readonly lease: Lease; readonly log: Logger },
): Promise<SnapshotOffers | undefined> {
  if (cluster === undefined) return undefined;
  const offers = new SnapshotOffers(data, cluster, log);
  await offers.hold(lease);
  return offers;
}
