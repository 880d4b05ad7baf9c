import { existsSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { jetstream } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import type { Logger } from '@oddlot/host/log';
import { SettingError } from '@oddlot/host/settings';
import type { Config } from '../config.ts';
import type { Lease } from '../lease/lease.ts';
import type { FileJournal } from '../log/file-journal.ts';
import { decodeOpening } from '../cluster/block-message.ts';
import { BlockStream, type Credentials } from '../cluster/block-stream.ts';
import { ClusterLog, type ClusterLogOptions } from '../cluster/cluster-log.ts';
import { KvLease } from '../cluster/kv-lease.ts';
import { patiently } from '../cluster/patiently.ts';
import { ProposalOrder } from '../cluster/proposal-order.ts';
import { SnapshotExchange } from '../cluster/snapshot-exchange.ts';
import { OPENING_PLACE } from '../cluster/stream-places.ts';

/** What a replica has of the others: the stream that they share, and who of them does what. */
export type Cluster = {
  readonly lease: Lease;
  readonly snapshots: SnapshotExchange;
  /** Attached to the replica, and asked by its log. */
  readonly order: ProposalOrder;
  /** What clients sign for, where the stream was opened before. */
  readonly serviceNetwork: string | undefined;
  /** The log that all of them have, with the files of this one as its copy. */
  openLog(copy: FileJournal, parts: LogParts): ClusterLog;
};

type LogParts = Pick<ClusterLogOptions, 'clock' | 'onFatal' | 'onLost' | 'serviceNetwork'>;

type ClusterDependencies = {
  readonly log: Logger;
  readonly onFatal: (error: unknown) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** Joins the cluster that is configured; undefined where the venue is one process. */
export async function openCluster(
  config: Config,
  { env, log, onFatal }: ClusterDependencies,
): Promise<Cluster | undefined> {
  const { cluster: name, log: servers } = config;
  if (servers === undefined || name === undefined) return undefined;
  const replica =
    config.replica ?? `${hostname().replaceAll(/[^A-Za-z0-9_-]/g, '-')}-${config.port}`;
  log.info({ servers, cluster: name, replica }, 'joining a cluster');
  const stream = await BlockStream.open({
    servers: serversOf(servers),
    cluster: name,
    clientName: replica,
    replicas: config.streamReplicas,
    credentials: credentialsOf(config, env),
    onWeak: config.acceptWeakStream
      ? (faults) => log.warn({ faults }, 'the stream could lose what is acknowledged, as accepted')
      : undefined,
  });
  const { version } = stream.connection.info ?? {};
  log.info(
    { version },
    'whether the servers sync every message (sync_interval: always) can not be seen from here: see docs/guides/running-a-cluster.md',
  );
  const { connection } = stream;
  const replicas = config.streamReplicas;
  const kv = await patiently(() =>
    new Kvm(jetstream(connection)).create(`oddlot-${name}-leases`, {
      replicas,
      history: 1,
      allow_direct: false,
    }),
  );
  const lease = new KvLease({
    kv,
    replica,
    onFatal,
    onHeld: (held, isHeld) =>
      log.info({ name: held }, isHeld ? 'holds a lease' : 'holds a lease no longer'),
  });
  const opening = await patiently(() => stream.at(OPENING_PLACE));
  const serviceNetwork = opening === undefined ? undefined : decodeOpening(opening).serviceNetwork;
  const order = new ProposalOrder();
  return {
    lease,
    snapshots: await SnapshotExchange.open(connection, { cluster: name, replicas }),
    order,
    serviceNetwork,
    openLog: (copy, parts) => new ClusterLog({ ...parts, stream, copy, order }),
  };
}

/** `nats://a:4222,b:4222` as the client library takes it. */
function serversOf(url: string): string[] {
  const [scheme, rest = ''] = url.split('://', 2);
  return rest.split(',').map((address) => `${scheme}://${address.trim()}`);
}

function credentialsOf(config: Config, env: ClusterDependencies['env']): Credentials {
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

function secretAt(place: string, env: ClusterDependencies['env']): string {
  if (!place.startsWith('env:')) return readFileSync(place, 'utf8').trim();
  const secret = env[place.slice('env:'.length)];
  if (secret === undefined) throw new SettingError(`natsPassword: ${place} is not set`);
  return secret;
}
