import type { BlockHead } from '../../block/applied-block.ts';
import type { FollowingReplica } from '../../replica/following-replica.ts';
import type { SnapshotPayload } from '../../replica/snapshot-payload.ts';
import type { ArchivistSettings } from './archivist-messages.ts';
import type { FollowedHistory } from './followed-models.ts';

type BaseOptions = {
  readonly replica: FollowingReplica;
  readonly history: FollowedHistory;
  /** The oldest block that the log still has. */
  readonly firstSeq: number;
  readonly settings: Pick<ArchivistSettings, 'role' | 'shortBlocks'>;
  /** Rows up to here are stored; undefined without a store. */
  readonly storedHeight: number | undefined;
  readonly head: BlockHead;
  readonly onPassedOver: (what: string, why: string) => void;
};

/**
 * Goes to the state from which blocks have to be applied. Rows go on from a snapshot that knows what they
 * need and is not beyond what is stored; without one they begin with the first block. Where that is far
 * away, a thread that also writes snapshots leaves the rows to another: then the answer is false.
 */
export async function goToBase(options: BaseOptions): Promise<boolean> {
  const { firstSeq, head, history, replica, settings, storedHeight } = options;
  const minHeight = settings.role === 'rows' ? 0 : head.height - settings.shortBlocks;
  if (storedHeight !== undefined) {
    if (await goToRows(options, storedHeight, minHeight)) return true;
    const isWhole = firstSeq === 1;
    if (isWhole && minHeight <= 0) {
      await replica.goToBeginning();
      return true;
    }
    if (settings.role === 'rows') {
      await goToOldest(options);
      return true;
    }
  }
  let hasHistory = false;
  const noted = (payload: SnapshotPayload): boolean => {
    hasHistory = knowsRows(payload);
    history.isActive = hasHistory;
    return true;
  };
  await replica.restoreBase({ suits: noted });
  history.isActive = hasHistory || replica.head.height === 0;
  return false;
}

async function goToRows(
  { onPassedOver, replica }: BaseOptions,
  storedHeight: number,
  minHeight: number,
): Promise<boolean> {
  for await (const { payload, what } of replica.bases(storedHeight)) {
    if (payload.head.height < minHeight) return false;
    if (!knowsRows(payload)) continue;
    try {
      await replica.goTo(payload);
      return true;
    } catch (error) {
      onPassedOver(what, error instanceof Error ? error.message : String(error));
    }
  }
  return false;
}

/** The log does not reach back to the first block: rows begin where it does. */
async function goToOldest({ firstSeq, replica }: BaseOptions): Promise<void> {
  let oldest: SnapshotPayload | undefined;
  for await (const { payload } of replica.bases(Number.MAX_SAFE_INTEGER)) {
    if (payload.head.height >= firstSeq - 1) oldest = payload;
  }
  if (oldest === undefined) await replica.restoreBase();
  else await replica.goTo(oldest);
}

function knowsRows({ companions }: SnapshotPayload): boolean {
  return companions['history'] !== undefined;
}
