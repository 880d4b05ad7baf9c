import { setTimeout as later } from 'node:timers/promises';
import { systemTime } from '@oddlot/host/clock';
import { createLogger } from '@oddlot/host/log';
import { SettingError } from '@oddlot/host/settings';
import type { BlockStream } from '../block-stream.ts';
import { hasBucket, openBucket } from '../buckets.ts';
import { retryUntilAnswered } from '../retry-until-answered.ts';
import { ReplicaBoard } from '../replica-board.ts';
import type { ClusterConfig } from '../cluster-settings.ts';
import { openStream } from '../open-cluster.ts';

/** Thrown before any change if a command is refused. */
export class AdminRefusedError extends Error {
  override readonly name = 'AdminRefusedError';
}

/**
 * The target of an operator's command: the stream of a cluster, and the status reported by its
 * replicas.
 */
export type AdminPlace = {
  readonly config: ClusterConfig;
  readonly cluster: string;
  readonly stream: BlockStream;
  readonly board: ReplicaBoard;
  connect(): Promise<BlockStream>;
  reopen(): Promise<BlockStream>;
  close(): Promise<void>;
};

/**
 * Operators are waiting for the result, so their connection has a time limit. Replicas wait for the
 * servers indefinitely.
 */
const SERVERS_WITHIN_MS = 10_000;
/**
 * Replicas report every second, so all running replicas will have reported after this many
 * milliseconds.
 */
const WHOEVER_IS_THERE_MS = 2_500;

export const nowMs = (): number => systemTime.wallMs();

/** Connects to a cluster. A missing cluster is created only for commands that may create one. */
export async function openPlace(
  config: ClusterConfig,
  {
    env,
    isBegun,
  }: {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly isBegun: boolean;
  },
): Promise<AdminPlace> {
  const { cluster, log: servers } = config;
  if (cluster === undefined || servers === undefined) {
    throw new SettingError(
      'log, cluster: missing. Specify the cluster with --log nats://… and --cluster NAME',
    );
  }
  const log = createLogger({ level: 'warn' });
  const opened: BlockStream[] = [];
  const open = async (makesNone: boolean): Promise<BlockStream> => {
    const parts = { name: cluster, servers, clientName: 'cluster-admin', env, log };
    const firstWithinMs = SERVERS_WITHIN_MS;
    const stream = await openStream(config, { ...parts, firstWithinMs, makesNone });
    opened.push(stream);
    return stream;
  };
  const close = async (): Promise<void> => {
    for (const each of opened) await each.close();
  };
  const stream = await open(!isBegun);
  const { connection } = stream;
  const isThere =
    isBegun ||
    (await stream.exists()) ||
    (await hasBucket(connection, { cluster, what: 'replicas' }));
  if (!isThere) {
    await close();
    throw new AdminRefusedError(
      `Cluster ${cluster} does not exist on these servers. Check --cluster. If the servers have lost all data, restore the log from the longest copy with cluster-admin import`,
    );
  }
  // Without this check, a server cut off from the others would show the replicas as having no
  // recent reports.
  await retryUntilAnswered(() => stream.end());
  const replicas = config.streamReplicas;
  const kv = await openBucket(connection, { cluster, what: 'replicas', replicas });
  const board = new ReplicaBoard(kv);
  await board.start();
  await later(WHOEVER_IS_THERE_MS);
  return {
    config,
    cluster,
    stream,
    board,
    connect: () => open(true),
    reopen: () => open(false),
    async close() {
      board.stop();
      await close();
    },
  };
}

/** Throws if a replica is running. `or` describes the possible consequence. */
export function assertNoReplicaRunning({ board, cluster }: AdminPlace, or: string): void {
  const present = board.present.map(({ replica }) => replica).toSorted();
  if (present.length === 0) return;
  throw new AdminRefusedError(
    `Replicas ${present.join(', ')} of ${cluster} are running and writing to the stream. ` +
      `Stop all of them, wait 5 s and repeat the command. Otherwise, ${or}`,
  );
}
