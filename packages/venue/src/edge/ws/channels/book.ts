import { perpView, type PerpDefinition } from '@oddlot/engine';
import { bookSides, findBook, type BookRequest } from '../../../translate/info/book.ts';
import type { Source, Stream } from '../stream.ts';
import type { ChannelContext, NodeChannel, Opening } from './node-channel.ts';
import { PacedState } from './paced-state.ts';

type Watched = { readonly perp: PerpDefinition; version: number; readonly state: PacedState };

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
    const { perp, tick } = found;
    const key = `l2Book:${perp.instrumentId}:${tick}`;
    const source = (stream: Stream): Source => this.#watch(stream, perp, tick);
    return { ok: true, recipe: { key, channel: 'l2Book', source } };
  }

  onBlock(): void {
    for (const watched of this.#watched) {
      const version = this.#version(watched.perp);
      if (version === watched.version) continue;
      watched.version = version;
      watched.state.ask();
    }
  }

  #watch(stream: Stream, perp: PerpDefinition, tick: number): Source {
    const { state, timing, limits } = this.#context;
    const name = JSON.stringify(perp.name);
    const watched: Watched = {
      perp,
      version: this.#version(perp),
      state: new PacedState({
        stream,
        timing,
        intervalMs: limits.bookIntervalMs,
        // Changes below the levels that are shown are no news, nor is the time.
        content: () => JSON.stringify(bookSides(state(), perp, tick)),
        wrap: (levels) => `{"coin":${name},"time":${state().timeMs},"levels":${levels}}`,
        onClose: () => this.#watched.delete(watched),
      }),
    };
    this.#watched.add(watched);
    return watched.state;
  }

  #version({ instrumentId }: PerpDefinition): number {
    return perpView(this.#context.state(), instrumentId)?.bookVersion ?? 0;
  }
}
