import type { FileJournal } from '@oddlot/replica/log/file-journal';
import { decodeBlockMessage, OPENING_PLACE, placeOf, type StreamOpening } from './block-message.ts';
import type { BlockStream } from './block-stream.ts';
import { retryUntilAnswered } from './retry-until-answered.ts';
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
 * Records whether replicas have read different blocks from the same stream, and which of them it
 * currently contains. A dispute lasts as long as the stream: acknowledged blocks are missing, and
 * only an operator can decide which ones are valid.
 */
export class Dispute {
  #found: Found | undefined;

  get found(): Pick<Found, 'blocks' | 'era'> | undefined {
    return this.#found;
  }

  /** Adopts a dispute reported by another replica, unless one is already known for this stream. */
  adopt(opening: Pick<StreamOpening, 'era'>, blocks: BlockRange | undefined): void {
    if (blocks !== undefined && this.#found?.era !== opening.era) this.notice(opening, blocks);
  }

  /** Records a dispute. The missing blocks are determined later, when the dispute is settled. */
  notice({ era }: Pick<StreamOpening, 'era'>, blocks: BlockRange): StreamLostError {
    this.#found = { era, blocks };
    return new StreamDisputedError(blocks);
  }

  assertUnknown({ era }: Pick<StreamOpening, 'era'>): void {
    if (this.#found?.era !== era) this.#found = undefined;
    if (this.#found?.error !== undefined) throw this.#found.error;
  }

  /**
   * Throws if this stream is disputed, because of a known dispute or because its block differs from
   * the newest local block.
   */
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
    // The error is kept only if it is certain, because a newly elected leader may not have all
    // blocks yet.
    if (isSure) found.error = error;
    throw error;
  }

  async #look({ copy, history, opening, stream }: Parties): Promise<Found | undefined> {
    const place = placeOf(opening, copy.lastSeq);
    if (place <= OPENING_PLACE) return undefined;
    const newest = await retryUntilAnswered(() => stream.messageAt(place));
    const blocks = history.contradicted(newest?.readPosition, copy.lastSeq);
    return blocks === undefined ? undefined : { era: opening.era, blocks };
  }
}

type Sides = {
  readonly stream: Pick<BlockStream, 'at'>;
  readonly opening: StreamOpening;
  readonly lastSeq: number;
  readonly copy: Pick<FileJournal, 'firstSeq' | 'lastSeq' | 'replay'>;
};

/**
 * Returns the first block that differs between a stream and the files of a replica, or undefined if
 * they agree as far as both go. Histories that have diverged do not converge again, so the newest
 * common block shows whether they have diverged, and bisection finds where.
 */
export async function firstDiffering(parties: Sides): Promise<number | undefined> {
  const { copy, lastSeq, opening } = parties;
  const first = Math.max(opening.firstSeq, copy.firstSeq);
  const last = Math.min(copy.lastSeq, lastSeq);
  if (await isAlikeUpTo(parties, first, last)) return undefined;
  // All blocks below `alike` agree; the block at `other` does not.
  let alike = first;
  let other = last;
  while (alike < other) {
    const middle = Math.floor((alike + other) / 2);
    if (await isAlikeUpTo(parties, alike, middle)) alike = middle + 1;
    else other = middle;
  }
  return other;
}

/**
 * The result of comparing blocks one by one. If `isSure` is false, the stream lacked some of the
 * blocks.
 */
type Compared = { readonly differing: number | undefined; readonly isSure: boolean };

/** Compares each block of a range, because blocks after a replaced one can match again. */
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
    const data = await retryUntilAnswered(() => stream.at(placeOf(opening, own.seq)));
    // A block missing from the stream does not count as different.
    if (data === undefined) isSure = false;
    else if (!isSame(own, data)) differing = own.seq;
  };
  if (first <= untilSeq) await copy.replay(first, compare, { untilSeq, withRequests: true });
  return { differing, isSure };
}

/**
 * Compares the newest of these blocks that has stored commands, because the copy does not store the
 * commands of blocks that did not count.
 */
async function isAlikeUpTo(parties: Sides, first: number, last: number): Promise<boolean> {
  for (let seq = last; seq >= first; seq -= 1) {
    const own = await entryAt(parties.copy, seq);
    if (own === undefined || own.commands.length === 0) continue;
    const data = await retryUntilAnswered(() => parties.stream.at(placeOf(parties.opening, seq)));
    // A newly elected leader may lack the block; that does not count as different.
    if (data !== undefined) return isSame(own, data);
  }
  return true;
}

/**
 * Returns whether a stored block and a message are the same block. Equal content is not enough,
 * because all venues append similar empty blocks. Blocks are identified by the proposal id, or by
 * the time if the block had no id before it was written to a stream; a replica assigns a later time
 * only to a block with an id.
 */
function isSame(own: LogEntry, data: Uint8Array): boolean {
  const { encoded, proposal, timeMs } = decodeBlockMessage(data);
  // A block that was not accepted is stored without content, and never with an earlier time than
  // that of the message.
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
