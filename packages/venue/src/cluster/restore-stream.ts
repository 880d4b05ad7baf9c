import type { FileJournal } from '../log/file-journal.ts';
import { agreeOnStream } from './agree-on-stream.ts';
import { decodeOpening, type StreamOpening } from './block-message.ts';
import type { BlockStream } from './block-stream.ts';
import { compareBlocks } from './first-differing.ts';
import { patiently } from './patiently.ts';
import type { BlockRange } from './read-history.ts';
import { OPENING_PLACE } from './stream-places.ts';
import { StreamForkedError, StreamLostError, StreamUnfinishedError } from './stream-error.ts';
import { writeStream, type WriteStreamOptions } from './write-stream.ts';

/** Restored so often since, and whoever comes back is of another time. */
const FORMER_MAX = 100;

/** Why a stream is not written again; nothing was touched. */
class RestoreRefusedError extends Error {
  override readonly name = 'RestoreRefusedError';
}

type RestoreOptions = WriteStreamOptions & {
  readonly journal: FileJournal;
  /** An operator gives up what is not in the copy from this block on, be it in the stream or in another copy. */
  readonly giveUpFrom?: number | undefined;
  /** The stream that the copy followed, where there is nothing left of it. */
  readonly followedEra?: string | undefined;
  /** Makes the stream anew after it was removed. */
  readonly reopen: () => Promise<BlockStream>;
};

/** How a stream stands to a copy: it has all of it, lacks some, or has others from a block on. */
type StreamStanding =
  | { readonly kind: 'lost' | 'whole' }
  | { readonly kind: 'forked'; readonly from: number };

/**
 * Writes a stream again that has lost blocks, from the longest copy that there is. Refuses where the stream has
 * everything that the copy has, since then it is the copy that is behind, and where it has others, which somebody has
 * acknowledged; unless that is given up.
 */
export async function restoreStream(options: RestoreOptions): Promise<StreamOpening> {
  const { followedEra, giveUpFrom, journal, nowMs, reopen, serviceNetwork, stream } = options;
  const standing = await streamStanding(options);
  if (standing.kind === 'whole' && giveUpFrom === undefined) {
    throw new RestoreRefusedError(
      `Nothing to restore: the stream already has all ${journal.lastSeq} blocks of this copy`,
    );
  }
  if (standing.kind === 'forked' && giveUpFrom === undefined) {
    throw new StreamForkedError(standing.from);
  }
  const found = await patiently(() => stream.at(OPENING_PLACE));
  const { era = followedEra, former = [] } = found === undefined ? {} : decodeOpening(found);
  const before = era === undefined ? former : [...former, { era, givenUpFrom: giveUpFrom }];
  await patiently(() => stream.remove());
  await stream.close();
  const written = { stream: await reopen(), serviceNetwork, nowMs };
  return writeStream({ ...options, ...written, former: before.slice(-FORMER_MAX) });
}

export async function streamStanding(
  options: WriteStreamOptions & {
    readonly followedEra?: string | undefined;
    /** Blocks that replicas have read differently: behind them copies may be alike again. */
    readonly doubted?: BlockRange | undefined;
  },
): Promise<StreamStanding> {
  const { doubted, followedEra, journal: copy, nowMs, serviceNetwork, stream } = options;
  const kind = await agreeOnStream({ stream, copy, serviceNetwork, nowMs, followedEra }).then(
    () => 'whole' as const,
    (error: unknown) => {
      const isLost = error instanceof StreamLostError || error instanceof StreamUnfinishedError;
      if (isLost) return 'lost' as const;
      if (error instanceof StreamForkedError) return error.from;
      throw error;
    },
  );
  if (typeof kind === 'number') return { kind: 'forked', from: kind };
  const found = doubted && (await patiently(() => stream.at(OPENING_PLACE)));
  if (doubted === undefined || found === undefined) return { kind };
  const parties = { stream, opening: decodeOpening(found), copy };
  const { differing } = await compareBlocks(doubted, parties);
  return differing === undefined ? { kind } : { kind: 'forked', from: differing };
}
