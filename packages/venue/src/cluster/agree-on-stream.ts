import { randomUUID } from 'node:crypto';
import type { FileJournal } from '../log/file-journal.ts';
import { decodeOpening, encodeOpening, type StreamOpening } from './block-message.ts';
import { type BlockStream, NotNextError } from './block-stream.ts';
import { type AskedStream, confirmedEnd, confirmedLastSeq } from './confirmed-end.ts';
import { compareBlocks, firstDiffering } from './first-differing.ts';
import type { Followed } from './followed-stream.ts';
import type { KnownBlock } from './known-block.ts';
import { patiently } from './patiently.ts';
import {
  ForeignStreamError,
  REPLACED,
  StreamBeginsLaterError,
  StreamForkedError,
  StreamLostError,
  StreamReplacedError,
  StreamUnfinishedError,
} from './stream-error.ts';
import { OPENING_PLACE } from './stream-places.ts';

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
