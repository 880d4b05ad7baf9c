import {
  bookDiff,
  type BookOwner,
  type BookRequest,
  bookSides,
  bookSnapshot,
  findBook,
  type WholeBook,
  wholeBook,
} from '@oddlot/translate/info/book';
import { findPerp } from '@oddlot/translate/info/info-context';
import type { Source, Stream } from '../stream.ts';
import {
  bookVersion,
  type ChannelContext,
  instrumentOf,
  type NodeChannel,
  type Opening,
  type ChannelFactories,
} from './node-channel.ts';
import { PacedState } from './paced-streams.ts';
import type { AppliedBlock } from '@oddlot/replica/block';
import type { Instrument } from '@oddlot/translate/instruments';

type Watched = {
  readonly instrumentId: number;
  version: number;
  /**
   * The definition of a perp. A new definition replaces it when the operator changes the perp, and
   * the ticks can change with it.
   */
  definition: object | undefined;
  readonly state: PacedState;
};

/** The book being shown, and the tick of its levels. */
type ShownBook = { readonly owner: BookOwner; readonly tick: number };

/** Publishes the top levels of a book. Each frame contains all of them. */
class BookChannel implements NodeChannel<BookRequest> {
  readonly #context: ChannelContext;
  readonly #watched = new Set<Watched>();

  constructor(context: ChannelContext) {
    this.#context = context;
  }

  open(request: BookRequest): Opening {
    const found = findBook(this.#context.state(), request);
    if (!found.ok) {
      const { message, details } = found.error;
      return { ok: false, message, details };
    }
    const { owner, tick } = found;
    // The key includes the requested tick, because the finest tick can change.
    const key = `l2Book:${owner.instrumentId}:${request.tick ?? ''}`;
    const source = (stream: Stream): Source => this.#watch(stream, request, { owner, tick });
    return { ok: true, recipe: { key, channel: 'l2Book', source } };
  }

  onBlock(): void {
    const state = this.#context.state();
    for (const watched of this.#watched) {
      const version = bookVersion(state, watched.instrumentId);
      const definition = findPerp(state, watched.instrumentId);
      if (version === watched.version && definition === watched.definition) continue;
      watched.version = version;
      watched.definition = definition;
      watched.state.ask();
    }
  }

  #watch(stream: Stream, request: BookRequest, opened: ShownBook): Source {
    const { state, timing, limits } = this.#context;
    const { instrumentId } = opened.owner;
    const name = JSON.stringify(opened.owner.name);
    let shown = opened;
    /**
     * Returns the levels at the requested tick while the book has that tick, and otherwise at the
     * last valid tick.
     */
    const levels = (): unknown => {
      const found = findBook(state(), request);
      if (found.ok) shown = found;
      return bookSides(state(), shown.owner, shown.tick);
    };
    const watched: Watched = {
      instrumentId,
      version: bookVersion(state(), instrumentId),
      definition: findPerp(state(), instrumentId),
      state: new PacedState({
        stream,
        timing,
        intervalMs: limits.bookIntervalMs,
        // Changes beyond the displayed levels are not published, nor are changes in the time alone.
        content: () => JSON.stringify(levels()),
        wrap: (text) => `{"coin":${name},"time":${state().timeMs},"levels":${text}}`,
        onClose: () => this.#watched.delete(watched),
      }),
    };
    this.#watched.add(watched);
    return watched.state;
  }
}

type WatchedDiffs = {
  readonly instrument: Instrument;
  readonly stream: Stream;
  version: number;
  book: WholeBook;
};

/** Publishes all levels of a book first, and then the levels changed by each block. */
class BookDiffsChannel implements NodeChannel<{ readonly coin: string }> {
  readonly #context: ChannelContext;
  readonly #watched = new Set<WatchedDiffs>();

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
    const watched: WatchedDiffs = {
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

export const BOOK_CHANNELS = {
  l2Book: (context) => new BookChannel(context),
  l2Diff: (context) => new BookDiffsChannel(context),
} as const satisfies ChannelFactories;
