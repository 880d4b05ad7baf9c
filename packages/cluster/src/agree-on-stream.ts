import { randomUUID } from 'node:crypto';
import type { FileJournal } from '@oddlot/replica/log/file-journal';
import {
  decodeOpening,
  encodeOpening,
  OPENING_PLACE,
  type StreamOpening,
} from './block-message.ts';
import type { BlockStream } from './block-stream.ts';
import {
  ForeignStreamError,
  NotNextError,
  REPLACED,
  StreamBeginsLaterError,
  StreamForkedError,
  StreamLostError,
  StreamReplacedError,
  StreamUnfinishedError,
} from './stream-error.ts';
import { type AskedStream, confirmedEnd, confirmedLastSeq } from './stream-facts.ts';
import { compareBlocks, firstDiffering } from './dispute.ts';
import type { Followed, KnownBlock } from './followed-stream.ts';
import { retryUntilAnswered } from './retry-until-answered.ts';
import type { BlockRange } from './read-history.ts';
import { writeStream, type WriteStreamOptions } from './write-stream.ts';

type Parties = {
  readonly stream: BlockStream;
  readonly copy: Pick<FileJournal, 'firstSeq' | 'lastSeq' | 'replay'>;
  readonly serviceNetwork: string;
  readonly nowMs: number;
  readonly followed?: Followed | undefined;
  /**
   * The era of the stream from which this replica's blocks came, for callers without `followed`.
   * Only blocks discarded by a restore since that era are compared.
   */
  readonly followedEra?: string | undefined;
  /** Returns the highest block reported by a replica while it was following this stream. */
  readonly known?: (era: string | undefined) => KnownBlock | undefined;
};

/**
 * Checks, before anything is read, that a stream is the same venue's log and contains everything
 * this replica has. The first replica opens an empty stream.
 */
export async function agreeOnStream(parties: Parties): Promise<StreamOpening> {
  const { copy, followed, serviceNetwork, stream } = parties;
  const opening = await readOpening(parties);
  if (opening.serviceNetwork !== serviceNetwork) {
    throw new ForeignStreamError(opening.serviceNetwork, serviceNetwork);
  }
  const { firstSeq } = opening;
  if (copy.lastSeq + 1 < firstSeq) throw new StreamBeginsLaterError(copy.lastSeq, firstSeq);
  // The known block is read before the stream is queried, because more blocks may be written during
  // the query.
  const known = parties.known?.(opening.era);
  const knownSeq = Math.max(copy.lastSeq, known?.height ?? 0);
  const lastSeq = await confirmedLastSeq(stream, opening, knownSeq);
  assertFinished(opening, lastSeq);
  // This is checked first, because blocks from another history, beyond the end of the stream, were
  // never part of it and are not lost.
  const differing = await firstDiffering({ copy, lastSeq, opening, stream });
  if (differing !== undefined) {
    if (!wasAcknowledged(opening, followed, differing)) throw new StreamForkedError(differing);
    throw new StreamReplacedError({ from: differing, to: copy.lastSeq, era: opening.era });
  }
  const givenUp = await firstGivenUp(parties, opening);
  if (givenUp !== undefined) throw new StreamForkedError(givenUp);
  if (lastSeq < copy.lastSeq) {
    const { aloneFrom = Infinity } = followed ?? {};
    if (aloneFrom <= copy.lastSeq) throw new StreamForkedError(Math.max(aloneFrom, lastSeq + 1));
    const why = `the stream ends at block ${lastSeq}`;
    throw new StreamLostError({ from: lastSeq + 1, to: copy.lastSeq, why });
  }
  assertReaches(lastSeq, known);
  return opening;
}

export function replacedBy({ height, replica }: KnownBlock, from: number): StreamLostError {
  return new StreamLostError({ from, to: height, ...REPLACED, by: replica });
}

/**
 * Returns true if the folder received this block from the stream or one of its predecessors, and
 * the block was not discarded.
 */
function wasAcknowledged(
  { era, former = [] }: StreamOpening,
  followed: Followed | undefined,
  seq: number,
): boolean {
  if (followed === undefined || (followed.aloneFrom ?? Infinity) <= seq) return false;
  if (followed.era === era) return true;
  const at = former.findIndex((each) => each.era === followed.era);
  return at >= 0 && former.slice(at).every(({ givenUpFrom = Infinity }) => seq < givenUpFrom);
}

/**
 * Returns the first block that differs because it was discarded when the stream was restored. Later
 * blocks can match again, so every block is compared, but only once: after that, a folder without
 * differing blocks follows the new stream.
 */
async function firstGivenUp(
  { copy, followed, followedEra = followed?.era, stream }: Parties,
  opening: StreamOpening,
): Promise<number | undefined> {
  const { era, former = [] } = opening;
  if (followedEra === era) return undefined;
  const at = former.findIndex((each) => each.era === followedEra);
  const since = former.slice(Math.max(0, at)).map(({ givenUpFrom = Infinity }) => givenUpFrom);
  const from = Math.min(...since);
  return (await compareBlocks({ from, to: copy.lastSeq }, { stream, opening, copy })).differing;
}

/**
 * Throws if the stream is still being written from a folder, because the rest of its content is
 * unknown.
 */
export function assertFinished(opening: StreamOpening, lastSeq: number): void {
  const { lastSeq: untilSeq = 0 } = opening;
  if (lastSeq < untilSeq) throw new StreamUnfinishedError(lastSeq, untilSeq);
}

/**
 * Throws if the stream ends before a block reported by another replica. A replica without files
 * relies on these reports.
 */
function assertReaches(lastSeq: number, known: KnownBlock | undefined): void {
  if (known?.replacedFrom !== undefined) throw replacedBy(known, known.replacedFrom);
  if (known === undefined || known.height <= lastSeq) return;
  const why = lastSeq === 0 ? 'the stream is empty' : `the stream ends at block ${lastSeq}`;
  throw new StreamLostError({ from: lastSeq + 1, to: known.height, why, by: known.replica });
}

async function readOpening({
  copy,
  known,
  nowMs,
  serviceNetwork,
  stream,
}: Parties): Promise<StreamOpening> {
  const found = await openingOf(stream, copy.lastSeq > 0 || (known?.(undefined)?.height ?? 0) > 0);
  if (found !== undefined) return found;
  if (copy.lastSeq > 0) {
    throw new StreamLostError({ from: 1, to: copy.lastSeq, why: 'the stream is empty' });
  }
  assertReaches(0, known?.(undefined));
  const opening = { serviceNetwork, firstSeq: 1, era: randomUUID() };
  const id = `opening:${opening.era}`;
  try {
    await retryUntilAnswered(() =>
      stream.publishBehind(0, id, { data: encodeOpening(nowMs, opening) }),
    );
    return opening;
  } catch (error) {
    // Another replica opened the stream first, or this replica opened it and the response was lost.
    if (!(error instanceof NotNextError)) throw error;
    return readOpening({ copy, nowMs, serviceNetwork, stream, ...(known && { known }) });
  }
}

/**
 * Returns the opening of the stream, or undefined if there is none. If one is expected, its absence
 * is confirmed first.
 */
export async function openingOf(
  stream: AskedStream & Pick<BlockStream, 'at'>,
  isExpected: boolean,
): Promise<StreamOpening | undefined> {
  const read = (): Promise<Uint8Array | undefined> =>
    retryUntilAnswered(() => stream.at(OPENING_PLACE));
  let found = await read();
  const isMissed = found === undefined && isExpected;
  if (isMissed && (await confirmedEnd(stream, OPENING_PLACE)) >= OPENING_PLACE)
    found = await read();
  return found && decodeOpening(found);
}

/** The number of earlier eras listed in an opening; folders from older eras are not recognised. */
const FORMER_MAX = 100;

/** Thrown before any change if the stream must not be rewritten. */
class RestoreRefusedError extends Error {
  override readonly name = 'RestoreRefusedError';
}

type RestoreOptions = WriteStreamOptions & {
  readonly journal: FileJournal;
  /**
   * The first block the operator discards if it is missing from the copy, even if the stream or
   * other copies contain it.
   */
  readonly giveUpFrom?: number | undefined;
  /** The era of the stream that the copy followed, if nothing of that stream remains. */
  readonly followedEra?: string | undefined;
  readonly reopen: () => Promise<BlockStream>;
};

/**
 * The result of comparing a stream with a copy: the stream is complete, lacks blocks, or differs
 * starting with some block.
 */
type StreamComparison =
  | { readonly kind: 'lost' | 'whole' }
  | { readonly kind: 'forked'; readonly from: number };

/**
 * Rewrites a stream that has lost blocks from the longest copy. Unless blocks are explicitly
 * discarded, it refuses in two cases: if the stream contains all blocks of the copy (the copy is
 * then behind), and if the stream has different blocks (which may have been acknowledged).
 */
export async function restoreStream(options: RestoreOptions): Promise<StreamOpening> {
  const { followedEra, giveUpFrom, journal, nowMs, reopen, serviceNetwork, stream } = options;
  const comparison = await compareWithCopy(options);
  if (comparison.kind === 'whole' && giveUpFrom === undefined) {
    throw new RestoreRefusedError(
      `Nothing to restore: the stream already has all ${journal.lastSeq} blocks of this copy`,
    );
  }
  if (comparison.kind === 'forked' && giveUpFrom === undefined) {
    throw new StreamForkedError(comparison.from);
  }
  const found = await retryUntilAnswered(() => stream.at(OPENING_PLACE));
  const { era = followedEra, former = [] } = found === undefined ? {} : decodeOpening(found);
  const before = era === undefined ? former : [...former, { era, givenUpFrom: giveUpFrom }];
  await retryUntilAnswered(() => stream.remove());
  await stream.close();
  const written = { stream: await reopen(), serviceNetwork, nowMs };
  return writeStream({ ...options, ...written, former: before.slice(-FORMER_MAX) });
}

export async function compareWithCopy(
  options: WriteStreamOptions & {
    readonly followedEra?: string | undefined;
    /** The blocks that replicas have read differently. After them, the copies can match again. */
    readonly doubted?: BlockRange | undefined;
  },
): Promise<StreamComparison> {
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
  const found = doubted && (await retryUntilAnswered(() => stream.at(OPENING_PLACE)));
  if (doubted === undefined || found === undefined) return { kind };
  const parties = { stream, opening: decodeOpening(found), copy };
  const { differing } = await compareBlocks(doubted, parties);
  return differing === undefined ? { kind } : { kind: 'forked', from: differing };
}
