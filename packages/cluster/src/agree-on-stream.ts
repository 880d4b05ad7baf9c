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
import { patiently } from './patiently.ts';
import type { BlockRange } from './read-history.ts';
import { writeStream, type WriteStreamOptions } from './write-stream.ts';

type Parties = {
  readonly stream: BlockStream;
  /** What this replica has. */
  readonly copy: Pick<FileJournal, 'firstSeq' | 'lastSeq' | 'replay'>;
  readonly serviceNetwork: string;
  readonly nowMs: number;
  /** Where this replica has its blocks from, if it knows. */
  readonly followed?: Followed | undefined;
  /** The same for who only wants to spare itself to compare what nobody has given up since. */
  readonly followedEra?: string | undefined;
  /** The highest block that a replica has told of while it followed this stream. */
  readonly known?: (era: string | undefined) => KnownBlock | undefined;
};

/**
 * Compares a stream with the files of a replica before anything is read: whether it is the log of the same
 * venue, and has all that this replica has. The first replica of all opens an empty stream.
 */
export async function agreeOnStream(parties: Parties): Promise<StreamOpening> {
  const { copy, followed, serviceNetwork, stream } = parties;
  const opening = await readOpening(parties);
  if (opening.serviceNetwork !== serviceNetwork) {
    throw new ForeignStreamError(opening.serviceNetwork, serviceNetwork);
  }
  const { firstSeq } = opening;
  if (copy.lastSeq + 1 < firstSeq) throw new StreamBeginsLaterError(copy.lastSeq, firstSeq);
  // As it is known before the stream is asked: more may be written meanwhile.
  const known = parties.known?.(opening.era);
  const knownSeq = Math.max(copy.lastSeq, known?.height ?? 0);
  const lastSeq = await confirmedLastSeq(stream, opening, knownSeq);
  assertFinished(opening, lastSeq);
  // First of all: what another history has beyond the stream was never a part of it, and nothing is lost.
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
    const why = `it ends at ${lastSeq}`;
    throw new StreamLostError({ from: lastSeq + 1, to: copy.lastSeq, why });
  }
  assertReaches(lastSeq, known);
  return opening;
}

/** What another replica has and the stream has lost, with others in its place. */
export function replacedBy({ height, replica }: KnownBlock, from: number): StreamLostError {
  return new StreamLostError({ from, to: height, ...REPLACED, by: replica });
}

/** Whether a replica has a block from this very stream, or from what it was before, and nobody has given it up. */
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
 * The first block that is another one here since it was given up when the stream was restored. Behind it all may be alike again,
 * so that each is compared, once: a folder that has none of them follows the new stream.
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

/** Nobody can know what comes behind the part that was written. */
export function assertFinished(opening: StreamOpening, lastSeq: number): void {
  const { lastSeq: untilSeq = 0 } = opening;
  if (lastSeq < untilSeq) throw new StreamUnfinishedError(lastSeq, untilSeq);
}

/** A replica without files can't know better than what others have told: they had it from this stream. */
function assertReaches(lastSeq: number, known: KnownBlock | undefined): void {
  if (known?.replacedFrom !== undefined) throw replacedBy(known, known.replacedFrom);
  if (known === undefined || known.height <= lastSeq) return;
  const why = lastSeq === 0 ? 'it is empty' : `it ends at ${lastSeq}`;
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
    throw new StreamLostError({ from: 1, to: copy.lastSeq, why: 'it is empty' });
  }
  assertReaches(0, known?.(undefined));
  const opening = { serviceNetwork, firstSeq: 1, era: randomUUID() };
  const id = `opening:${opening.era}`;
  try {
    await patiently(() => stream.publishBehind(0, id, { data: encodeOpening(nowMs, opening) }));
    return opening;
  } catch (error) {
    // Another replica was faster, or this one was before its answer got lost.
    if (!(error instanceof NotNextError)) throw error;
    return readOpening({ copy, nowMs, serviceNetwork, stream, ...(known && { known }) });
  }
}

/** Undefined where the stream has none. Where one is expected, that is confirmed first. */
export async function openingOf(
  stream: AskedStream & Pick<BlockStream, 'at'>,
  isExpected: boolean,
): Promise<StreamOpening | undefined> {
  const read = (): Promise<Uint8Array | undefined> => patiently(() => stream.at(OPENING_PLACE));
  let found = await read();
  const isMissed = found === undefined && isExpected;
  if (isMissed && (await confirmedEnd(stream, OPENING_PLACE)) >= OPENING_PLACE)
    found = await read();
  return found && decodeOpening(found);
}

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
