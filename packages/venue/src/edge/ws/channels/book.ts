import {
  bookSides,
  findBook,
  type BookOwner,
  type BookRequest,
} from '../../../translate/info/book.ts';
import type { Source, Stream } from '../stream.ts';
import {
  bookVersion,
  type ChannelContext,
  type NodeChannel,
  type Opening,
} from './node-channel.ts';
import { PacedState } from './paced-state.ts';

type Watched = { readonly instrumentId: number; version: number; readonly state: PacedState };

/** The top of one book, whole each time. */
export class BookChannel implements NodeChannel<BookRequest> {
  readonly #context: ChannelContext;
  readonly #watched = new Set<Watched>();

  constructor(context: ChannelContext) {
    this.#context = context;
  }

  open(request: BookRequest): Opening {
    const found = findBook(this.#context.state(), request);
    if (!found.ok) return { ok: false, message: found.error.message };
    const { owner, tick } = found;
    const key = `l2Book:${owner.instrumentId}:${tick}`;
    const source = (stream: Stream): Source => this.#watch(stream, owner, tick);
    return { ok: true, recipe: { key, channel: 'l2Book', source } };
  }

  onBlock(): void {
    const state = this.#context.state();
    for (const watched of this.#watched) {
      const version = bookVersion(state, watched.instrumentId);
      if (version === watched.version) continue;
      watched.version = version;
      watched.state.ask();
    }
  }

  #watch(stream: Stream, owner: BookOwner, tick: number): Source {
    const { state, timing, limits } = this.#context;
    const { instrumentId } = owner;
    const name = JSON.stringify(owner.name);
    const watched: Watched = {
      instrumentId,
      version: bookVersion(state(), instrumentId),
      state: new PacedState({
        stream,
        timing,
        intervalMs: limits.bookIntervalMs,
        // Changes below the levels that are shown are no news, nor is the time.
        content: () => JSON.stringify(bookSides(state(), owner, tick)),
        wrap: (levels) => `{"coin":${name},"time":${state().timeMs},"levels":${levels}}`,
        onClose: () => this.#watched.delete(watched),
      }),
    };
    this.#watched.add(watched);
    return watched.state;
  }
}
