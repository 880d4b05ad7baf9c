import type { FileJournal } from '../log/file-journal.ts';
import type { StreamOpening } from './block-message.ts';
import type { BlockStream } from './block-stream.ts';
import { compareBlocks } from './first-differing.ts';
import { patiently } from './patiently.ts';
import type { BlockRange, ReadHistory } from './read-history.ts';
import { StreamDisputedError, type StreamLostError, StreamReplacedError } from './stream-error.ts';
import { OPENING_PLACE, placeOf } from './stream-places.ts';

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
