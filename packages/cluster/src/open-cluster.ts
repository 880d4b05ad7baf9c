import { hostname } from 'node:os';
import type { KV } from '@nats-io/kv';
import type { Hash } from '@oddlot/units';
import type { Logger } from '@oddlot/host/log';
import { openInOrder } from '@oddlot/host/open-in-order';
import { VERSION } from '@oddlot/host/version';
import type { ClusterConfig } from './cluster-settings.ts';
import type { FileJournal } from '@oddlot/replica/log/file-journal';
import { readServiceNames } from '@oddlot/replica/log/data-folder';
import { agreeOnCursorKey, agreeOnName, madeMsOf, openBucket } from './buckets.ts';
import { attestedInStream } from './stream-facts.ts';
import { claimName } from './claim-name.ts';
import { decodeOpening, OPENING_PLACE, type StreamOpening } from './block-message.ts';
import { BlockStream } from './block-stream.ts';
import { type BoardEntry, clockApartMs, ReplicaBoard } from './replica-board.ts';
import { ClusterLog, type ClusterLogOptions } from './cluster-log.ts';
import { FollowedStream } from './followed-stream.ts';
import { HolderLine } from './holder-line.ts';
import { KvLease } from './kv-lease.ts';
import { retryUntilAnswered } from './retry-until-answered.ts';
import { ProposalOrder } from '@oddlot/replica/proposal-order';
import { RecordStream } from './shared-records.ts';
import { SnapshotExchange } from './snapshot-exchange.ts';
import { CURSOR_KEY_BYTES } from '@oddlot/translate/cursor-seal';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SettingError } from '@oddlot/host/settings';
import type { Credentials } from './connection.ts';

/** The connection of a replica to the others: the shared stream and the assignment of tasks. */
export type Cluster = {
  readonly replica: string;
  readonly lease: KvLease;
  readonly board: ReplicaBoard;
  readonly snapshots: SnapshotExchange;
  attested(height: number): Promise<Hash | undefined>;
  /** The first block of the stream; undefined while there is no stream. */
  readonly firstSeq: number | undefined;
  /**
   * The records of payments and signatures, which are written by the replica that transacts on the
   * settlement chain.
   */
  readonly records: RecordStream;
  /** Carries requests from other replicas to the replica that transacts on the settlement chain. */
  readonly line: HolderLine;
  /** The order of proposals, which is attached to the replica and used by its log. */
  readonly order: ProposalOrder;
  /**
   * The network name used in signatures; undefined if this replica's folder has one or if no name
   * is configured.
   */
  readonly serviceNetwork: string | undefined;
  readonly cursorKey: Uint8Array;
  /** Opens the shared log, with the files of this replica as its copy. */
  openLog(copy: FileJournal, parts: LogParts): ClusterLog;
  report(own: () => OwnFacts): Promise<void>;
  /**
   * Returns how far this clock is ahead of most others, in milliseconds; negative if it is behind.
   */
  clockApartMs(): number;
  /** Adds a condition: tasks run here only while all conditions return true. */
  holdWhile(may: () => boolean): void;
  /** Announces that this replica accepts clients at its configured address. */
  serving(): void;
  /** Announces that this replica no longer accepts clients. */
  leave(): Promise<void>;
  /** Disconnects from the servers. The owner of the log must close the log first. */
  disconnect(): Promise<void>;
  replicas(): readonly ReplicaPlace[];
};

/** The address of a replica for clients, and its newest block. */
export type ReplicaPlace = {
  readonly replica: string;
  readonly url: string;
  readonly height: number;
};

/**
 * The status of this replica. Until it leads, `head` is undefined and the head of its last report
 * applies.
 */
type OwnFacts = Pick<BoardEntry, 'attested' | 'clockMs' | 'isWaiting' | 'rules'> & {
  readonly head: Pick<BoardEntry, 'hash' | 'height'> | undefined;
};

type LogParts = Pick<ClusterLogOptions, 'clock' | 'onFatal' | 'onLost' | 'serviceNetwork'>;

type ClusterDependencies = {
  readonly log: Logger;
  readonly onFatal: (error: unknown) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
};

export function openCluster(
  config: ClusterConfig,
  deps: ClusterDependencies,
): Promise<Cluster | undefined> {
  return openInOrder(
    (opened) => joinServers(config, deps, opened),
    (err) => deps.log.warn({ err }, 'cluster could not be left cleanly after a failed start'),
  );
}

async function joinServers(
  config: ClusterConfig,
  { env, log, onFatal }: ClusterDependencies,
  opened: AsyncDisposableStack,
): Promise<Cluster | undefined> {
  const { cluster: name, log: servers } = config;
  if (servers === undefined || name === undefined) return undefined;
  const replica = config.replica ?? defaultName(config);
  log.info({ servers, cluster: name, replica }, 'joining a cluster');
  const stream = await openStream(config, { name, servers, clientName: replica, env, log });
  opened.defer(() => stream.close());
  const { connection } = stream;
  await claimName(connection, { cluster: name, replica, onTaken: onFatal });
  const replicas = config.streamReplicas;
  const bucket = (what: string): Promise<KV> =>
    openBucket(connection, { cluster: name, what, replicas });
  const board = new ReplicaBoard(await bucket('replicas'));
  opened.defer(() => board.stop());
  await board.start();
  const conditions: (() => boolean)[] = [];
  const leases = await bucket('leases');
  const lease = new KvLease({
    kv: leases,
    madeMs: await madeMsOf(leases),
    replica,
    onFatal,
    mayHold: () => conditions.every((may) => may()),
    onHeld: (held, isHeld) => log.info({ name: held }, isHeld ? 'lease acquired' : 'lease lost'),
  });
  const begun = await openingOf(stream);
  const serviceNetwork = begun?.serviceNetwork ?? (await newName(config, leases));
  const order = new ProposalOrder();
  const followed = new FollowedStream(config.data);
  const onWeak = onWeakOf(config, log);
  let ownLog: ClusterLog | undefined;
  let ownUrl: string | undefined;
  return {
    replica,
    lease,
    board,
    records: await RecordStream.open(connection, { cluster: name, replica, replicas, onWeak }),
    line: new HolderLine(connection, { cluster: name, name: 'settlement' }),
    snapshots: await SnapshotExchange.open(connection, { cluster: name, replicas }),
    attested: (height) => attestedInStream(stream, height),
    firstSeq: begun?.firstSeq,
    order,
    serviceNetwork,
    cursorKey: await agreeOnCursorKey(leases, CURSOR_KEY_BYTES),
    openLog(copy, parts) {
      const known = board.highestIn.bind(board);
      return (ownLog = new ClusterLog({ ...parts, stream, order, followed, known, copy }));
    },
    report: (own) =>
      board.report(() => ({
        ...entryOf(replica, own(), board.entryOf(replica)),
        ...disputeOf(ownLog, followed),
        url: ownUrl,
      })),
    clockApartMs: () => clockApartMs(replica, board.present),
    holdWhile: (may) => void conditions.push(may),
    serving: () => void (ownUrl = config.publicUrl),
    async leave() {
      ownUrl = undefined;
      await board.leave();
    },
    disconnect: () => opened.disposeAsync(),
    replicas: () => placesOf(board),
  };
}

function defaultName({ port }: ClusterConfig): string {
  return `${hostname().replaceAll(/[^A-Za-z0-9_-]/g, '-')}-${port}`;
}

async function openingOf(stream: BlockStream): Promise<StreamOpening | undefined> {
  const opening = await retryUntilAnswered(() => stream.at(OPENING_PLACE));
  return opening && decodeOpening(opening);
}

/**
 * Returns the stream being followed, and those of its blocks that differ from the blocks read
 * earlier.
 */
function disputeOf(
  log: ClusterLog | undefined,
  followed: FollowedStream,
): Pick<BoardEntry, 'disputed' | 'era' | 'replacedFrom'> {
  const { disputed, replaced } = log ?? {};
  const era = replaced?.era ?? disputed?.era ?? followed.era;
  return { era, replacedFrom: replaced?.from, disputed: disputed?.blocks };
}

function placesOf({ present }: ReplicaBoard): ReplicaPlace[] {
  return present.flatMap(({ height, replica, url }) =>
    url === undefined ? [] : [{ replica, url, height }],
  );
}

/** Returns the name of a new venue, or undefined if the folder already has one. */
async function newName(
  { data, serviceNetwork: word }: ClusterConfig,
  leases: KV,
): Promise<string | undefined> {
  if (word === undefined || readServiceNames(data).name !== undefined) return undefined;
  return agreeOnName(leases, word);
}

/**
 * Returns the report of this replica. Before it leads, its report gives the block of its last run.
 */
function entryOf(
  replica: string,
  { head, ...facts }: OwnFacts,
  before: BoardEntry | undefined,
): BoardEntry {
  const { hash, height } = head ?? before ?? { height: 0, hash: '' };
  return { replica, version: VERSION, height, hash, ...facts };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Connects to the servers, and logs which checks were not possible. */
export async function openStream(
  config: ClusterConfig,
  {
    env,
    log,
    name,
    clientName,
    servers,
    ...asked
  }: {
    readonly name: string;
    readonly servers: string;
    readonly clientName: string;
    readonly env: Environment;
    readonly log: Logger;
    readonly firstWithinMs?: number;
    readonly makesNone?: boolean;
  },
): Promise<BlockStream> {
  return BlockStream.open({
    ...asked,
    servers: serversOf(servers),
    cluster: name,
    clientName,
    replicas: config.streamReplicas,
    credentials: credentialsOf(config, env),
    onWeak: onWeakOf(config, log),
    monitors: config.natsMonitors,
    onUnchecked: (unchecked) =>
      log[config.natsMonitors.length === 0 ? 'info' : 'warn'](
        { unchecked },
        'could not verify that these NATS servers sync every message (sync_interval: ' +
          'always); pass their monitoring ports with --nats-monitors',
      ),
  });
}

/**
 * Returns a handler that accepts a weak stream and logs what it could lose, if the operator has so
 * configured.
 */
export function onWeakOf({ acceptWeakStream }: ClusterConfig, log: Logger) {
  if (!acceptWeakStream) return undefined;
  return (faults: readonly string[]): void =>
    log.warn({ faults }, 'weak stream accepted: it could lose acknowledged blocks');
}

function serversOf(url: string): string[] {
  const [scheme, rest = ''] = url.split('://', 2);
  return rest.split(',').map((address) => `${scheme}://${address.trim()}`);
}

function credentialsOf(config: ClusterConfig, env: Environment): Credentials {
  const { natsPassword, natsTls, natsUser } = config;
  const file = (name: string): string | undefined => {
    const path = natsTls === undefined ? undefined : join(natsTls, name);
    return path !== undefined && existsSync(path) ? path : undefined;
  };
  return {
    user: natsUser,
    password: natsPassword === undefined ? undefined : secretAt(natsPassword, env),
    caFile: file('ca.pem'),
    certFile: file('cert.pem'),
    keyFile: file('key.pem'),
  };
}

function secretAt(place: string, env: Environment): string {
  if (!place.startsWith('env:')) return readFileSync(place, 'utf8').trim();
  const secret = env[place.slice('env:'.length)];
  if (secret === undefined) throw new SettingError(`natsPassword: ${place} is not set`);
  return secret;
}
