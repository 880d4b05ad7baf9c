import type { FileJournal } from '@oddlot/replica/log/file-journal';
import { decodeBlockMessage, OPENING_PLACE, placeOf, type StreamOpening } from './block-message.ts';
import type { BlockStream } from './block-stream.ts';
import { patiently } from './patiently.ts';
import type { BlockRange, ReadHistory } from './read-history.ts';
import { StreamDisputedError, type StreamLostError, StreamReplacedError } from './stream-error.ts';
import type { LogEntry } from '@oddlot/replica/block';
import { BlockBuffer } from '@oddlot/replica/log/block-codec';
import { contentOf } from './write-stream.ts';

type Parties = {
  readonly stream: BlockStream;
  readonly opening: StreamOpening;
  readonly copy: Pick<FileJournal, 'firstSeq' | 'lastSeq' | 'replay'>;
  readonly history: ReadHistory;
};

type Found = { readonly era: string; readonly blocks: BlockRange; error?: StreamLostError };

/**
 * Whether replicas have read different blocks from one stream, and which of them it has. Once noticed it holds for as long as
 * this stream does: somebody has acknowledged what is not there any more, and only an operator can say what holds.
 */
export class Dispute {
  #found: Found | undefined;

  get found(): Pick<Found, 'blocks' | 'era'> | undefined {
    return this.#found;
  }

  /** The same as another replica has told it, unless more is known. */
  hear(opening: Pick<StreamOpening, 'era'>, blocks: BlockRange | undefined): void {
    if (blocks !== undefined && this.#found?.era !== opening.era) this.notice(opening, blocks);
  }

  /** Whose blocks the stream lacks, and from which on, is found out when it is settled. */
  notice({ era }: Pick<StreamOpening, 'era'>, blocks: BlockRange): StreamLostError {
    this.#found = { era, blocks };
    return new StreamDisputedError(blocks);
  }

  /** Throws what was found out about this very stream. */
  assertUnknown({ era }: Pick<StreamOpening, 'era'>): void {
    if (this.#found?.era !== era) this.#found = undefined;
    if (this.#found?.error !== undefined) throw this.#found.error;
  }

  /** Throws where this stream is disputed: by what was noticed, or by its block beside the newest that lies here. */
  async settle(parties: Parties): Promise<void> {
    const { copy, opening } = parties;
    const { era } = opening;
    this.assertUnknown(opening);
    const found = (this.#found ??= await this.#look(parties));
    if (found === undefined) return;
    const { differing: from, isSure } = await compareBlocks(found.blocks, parties);
    const error =
      from === undefined
        ? new StreamDisputedError(found.blocks)
        : new StreamReplacedError({ from, to: copy.lastSeq, era });
    // A leader that has just been elected may not have them all yet.
    if (isSure) found.error = error;
    throw error;
  }

  async #look({ copy, history, opening, stream }: Parties): Promise<Found | undefined> {
    const place = placeOf(opening, copy.lastSeq);
    if (place <= OPENING_PLACE) return undefined;
    const newest = await patiently(() => stream.messageAt(place));
    const blocks = history.contradicted(newest?.told, copy.lastSeq);
    return blocks === undefined ? undefined : { era: opening.era, blocks };
  }
}

type Sides = {
  readonly stream: Pick<BlockStream, 'at'>;
  readonly opening: StreamOpening;
  /** The newest block that the stream has. */
  readonly lastSeq: number;
  readonly copy: Pick<FileJournal, 'firstSeq' | 'lastSeq' | 'replay'>;
};

/**
 * The first block that is another one in a stream than in the files of a replica; undefined where they are alike as far as
 * both go. Histories that went apart do not come together again, so that the newest block of both says whether they did, and
 * halving says where.
 */
export async function firstDiffering(parties: Sides): Promise<number | undefined> {
  const { copy, lastSeq, opening } = parties;
  const first = Math.max(opening.firstSeq, copy.firstSeq);
  const last = Math.min(copy.lastSeq, lastSeq);
  if (await isAlikeUpTo(parties, first, last)) return undefined;
  // Below `alike` all are the same, and at `other` they are not.
  let alike = first;
  let other = last;
  while (alike < other) {
    const middle = Math.floor((alike + other) / 2);
    if (await isAlikeUpTo(parties, alike, middle)) alike = middle + 1;
    else other = middle;
  }
  return other;
}

/** What came of comparing blocks one by one; it is not sure that none differs where the stream did not have them all. */
type Compared = { readonly differing: number | undefined; readonly isSure: boolean };

/** The same of some blocks, each of which is compared: behind a block that was replaced others may be alike again. */
export async function compareBlocks(
  { from, to }: BlockRange,
  { copy, opening, stream }: Omit<Sides, 'lastSeq'>,
): Promise<Compared> {
  const first = Math.max(from, opening.firstSeq, copy.firstSeq);
  const untilSeq = Math.min(to, copy.lastSeq);
  let differing: number | undefined;
  let isSure = true;
  const compare = async (own: LogEntry): Promise<void> => {
    if (differing !== undefined) return;
    const data = await patiently(() => stream.at(placeOf(opening, own.seq)));
    // One that the stream lacks is missing, and not another one.
    if (data === undefined) isSure = false;
    else if (!isSame(own, data)) differing = own.seq;
  };
  if (first <= untilSeq) await copy.replay(first, compare, { untilSeq, withRequests: true });
  return { differing, isSure };
}

/** Compares the newest of these blocks that has commands here: of entries that did not count the copy keeps no commands. */
async function isAlikeUpTo(parties: Sides, first: number, last: number): Promise<boolean> {
  for (let seq = last; seq >= first; seq -= 1) {
    const own = await entryAt(parties.copy, seq);
    if (own === undefined || own.commands.length === 0) continue;
    const data = await patiently(() => parties.stream.at(placeOf(parties.opening, seq)));
    // A leader that has just been elected may have lost it: then it is missing, and not another one.
    if (data !== undefined) return isSame(own, data);
  }
  return true;
}

/**
 * What it says alone is not enough: two venues tick alike. A block has its proposer's name, or, where it had none before it was
 * written to a stream or was given another one, its time; a replica may have dated it later only where it has the name.
 */
function isSame(own: LogEntry, data: Uint8Array): boolean {
  const { encoded, proposal, timeMs } = decodeBlockMessage(data);
  // One that did not count is kept without what it said, but never with a time before its own.
  if (own.commands.length === 0) return timeMs <= own.timeMs;
  if (own.proposal !== proposal && own.timeMs !== timeMs) return false;
  const buffer = new BlockBuffer();
  buffer.writeBlock(own.commands);
  return contentOf(encoded).equals(buffer.bytes.subarray(0, buffer.length));
}

async function entryAt(copy: Sides['copy'], seq: number): Promise<LogEntry | undefined> {
  let found: LogEntry | undefined;
  const keep = (entry: LogEntry): void => void (found = entry);
  await copy.replay(seq, keep, { untilSeq: seq, withRequests: true });
  return found;
}
