import type { AppliedBlock } from '../../../block/block.ts';
import type { Instrument } from '../../../translate/instruments.ts';
import { bookDiff, bookSnapshot, wholeBook, type WholeBook } from '../../../translate/info/book.ts';
import type { Source, Stream } from '../stream.ts';
import {
  bookVersion,
  instrumentOf,
  type ChannelContext,
  type NodeChannel,
  type Opening,
} from './node-channel.ts';

type Watched = {
  readonly instrument: Instrument;
  readonly stream: Stream;
  version: number;
  book: WholeBook;
};

/** Every level of a book: all of them at first, then those that a block has changed. */
export class BookDiffsChannel implements NodeChannel<{ readonly coin: string }> {
  readonly #context: ChannelContext;
  readonly #watched = new Set<Watched>();

  constructor(context: ChannelContext) {
    this.#context = context;
  }

  open({ coin }: { readonly coin: string }): Opening {
    const found = instrumentOf(this.#context, coin);
    if (!found.ok) return found;
    const { instrument } = found;
    return {
      ok: true,
      recipe: {
        key: `l2Diff:${instrument.instrumentId}`,
        channel: 'l2Diff',
        height: () => this.#context.state().height,
        source: (stream) => this.#watch(stream, instrument),
      },
    };
  }

  onBlock(block: AppliedBlock): void {
    const state = this.#context.state();
    for (const watched of this.#watched) {
      const { instrument, stream, book: before } = watched;
      const version = bookVersion(state, instrument.instrumentId);
      if (version === watched.version) continue;
      const after = wholeBook(state, instrument);
      watched.version = version;
      watched.book = after;
      const diff = bookDiff(instrument, { before, after }, block.timeMs);
      if (diff !== undefined) stream.publish(JSON.stringify(diff));
    }
  }

  #watch(stream: Stream, instrument: Instrument): Source {
    const state = this.#context.state();
    const watched: Watched = {
      instrument,
      stream,
      version: bookVersion(state, instrument.instrumentId),
      book: wholeBook(state, instrument),
    };
    this.#watched.add(watched);
    return {
      snapshot: () => {
        const { timeMs } = this.#context.state();
        return { data: JSON.stringify(bookSnapshot(instrument, watched.book, timeMs)) };
      },
      close: () => this.#watched.delete(watched),
    };
  }
}
