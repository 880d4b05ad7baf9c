import { setTimeout as later } from 'node:timers/promises';
import { systemTime } from '@oddlot/host/clock';
import { createLogger } from '@oddlot/host/log';
import { SettingError } from '@oddlot/host/settings';
import type { BlockStream } from '../cluster/block-stream.ts';
import { openBucket } from '../cluster/open-bucket.ts';
import { ReplicaBoard } from '../cluster/replica-board.ts';
import type { Config } from '../config.ts';
import { openStream } from '../supervise/open-stream.ts';

/** Why a command was not carried out; nothing was changed. */
export class AdminRefusedError extends Error {
  override readonly name = 'AdminRefusedError';
}

/** Where the commands of operators act: the stream of a cluster, and what its replicas have told. */
export type AdminPlace = {
  readonly config: Config;
  readonly cluster: string;
  readonly stream: BlockStream;
  readonly board: ReplicaBoard;
  /** Connects anew, and makes the stream where there is none. */
  reopen(): Promise<BlockStream>;
  close(): Promise<void>;
};

/** Replicas tell every second: whoever is there has by then. */
const WHOEVER_IS_THERE_MS = 2_500;

export const nowMs = (): number => systemTime.wallMs();

export async function openPlace(
  config: Config,
  env: Readonly<Record<string, string | undefined>>,
): Promise<AdminPlace> {
  const { cluster, log: servers } = config;
  if (cluster === undefined || servers === undefined) {
    throw new SettingError('log, cluster: say which cluster, by --log nats://… and --cluster NAME');
  }
  const log = createLogger({ level: 'warn' });
  const opened: BlockStream[] = [];
  const reopen = async (): Promise<BlockStream> => {
    const parts = { name: cluster, servers, clientName: 'cluster-admin', env, log };
    const stream = await openStream(config, parts);
    opened.push(stream);
    return stream;
  };
  const stream = await reopen();
  const replicas = config.streamReplicas;
  const kv = await openBucket(stream.connection, { cluster, what: 'replicas', replicas });
  const board = new ReplicaBoard(kv);
  await board.start();
  await later(WHOEVER_IS_THERE_MS);
  return {
    config,
    cluster,
    stream,
    board,
    reopen,
    async close() {
      board.stop();
      for (const each of opened) await each.close();
    },
  };
}
