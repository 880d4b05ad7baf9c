import { expect } from 'vitest';
import type { LogEntry } from '../../../../packages/replica/src/block.ts';
import { BlockStream } from '../../../../packages/cluster/src/block-stream.ts';
import { ClusterLog } from '../../../../packages/cluster/src/cluster-log.ts';
import {
  FollowedStream,
  type KnownBlock,
} from '../../../../packages/cluster/src/followed-stream.ts';
import { ProposalOrder } from '../../../../packages/replica/src/proposal-order.ts';
import type { StreamLostError } from '../../../../packages/cluster/src/stream-error.ts';
import { FileJournal } from '../../../../packages/replica/src/log/file-journal.ts';

export type LoggedReplica = {
  readonly log: ClusterLog;
  readonly entries: LogEntry[];
  readonly lost: StreamLostError[];
  close(): Promise<void>;
};

type Options = {
  readonly urls: readonly string[];
  readonly cluster: string;
  readonly directory: string;
  readonly serviceNetwork?: string;
  readonly wrap?: (stream: BlockStream) => BlockStream;
  readonly now?: () => number;
  readonly known?: () => KnownBlock | undefined;
  /** Makes the log start after a snapshot of this block, with an empty folder. */
  readonly begin?: { readonly seq: number; readonly timeMs: number };
  readonly readsAsItIs?: boolean;
  readonly onEntry?: (entry: LogEntry) => void;
};

export function openTestStream(urls: readonly string[], cluster: string): Promise<BlockStream> {
  return BlockStream.open({ servers: urls, cluster, clientName: 'test', replicas: 1 });
}

/** Opens and follows a cluster log, and tracks the order of proposals, as a replica does. */
export async function openClusterLog({
  begin,
  cluster,
  directory,
  known,
  now = () => 1_000,
  onEntry,
  readsAsItIs = false,
  serviceNetwork = 'Test',
  urls,
  wrap,
}: Options): Promise<LoggedReplica> {
  const plain = await openTestStream(urls, cluster);
  const clock = { nowMs: now };
  const copy = await FileJournal.open({ directory, clock, ...(begin && { begin }) });
  const order = new ProposalOrder();
  const entries: LogEntry[] = [];
  const lost: StreamLostError[] = [];
  const log = new ClusterLog({
    stream: wrap?.(plain) ?? plain,
    copy,
    order,
    clock,
    serviceNetwork,
    followed: new FollowedStream(`${directory}-of`),
    ...(known && { known }),
    readsAsItIs,
    onFatal: (error) => {
      throw error;
    },
    onLost: (error) => lost.push(error),
  });
  try {
    await log.follow((begin?.seq ?? 0) + 1, (entry) => {
      entries.push(entry);
      if (entry.proposal !== undefined) order.take(entry.proposal, entry.timeMs);
      onEntry?.(entry);
    });
  } catch (error) {
    await log.close();
    throw error;
  }
  return { log, entries, lost, close: () => log.close() };
}

export const note = (text: string) => [
  { command: { type: 'attest', height: 0, hash: text } as never },
];
export const noted = ({ commands }: LogEntry): string =>
  commands.map(({ command }) => (command as unknown as { hash: string }).hash).join();

export async function all(replica: LoggedReplica, count: number): Promise<void> {
  await expect.poll(() => replica.entries.length, { timeout: 10_000 }).toBe(count);
}
