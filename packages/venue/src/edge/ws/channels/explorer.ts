import type { Stream } from '../stream.ts';
import type { ChannelContext, NodeChannel, Opening } from './node-channel.ts';

/** Every block, as it is made. */
export class ExplorerBlockChannel implements NodeChannel<object> {
  readonly #context: ChannelContext;
  #stream: Stream | undefined;

  constructor(context: ChannelContext) {
    this.#context = context;
  }

  open(): Opening {
    const { explorer } = this.#context;
    const source = (stream: Stream) => {
      this.#stream = stream;
      return {
        snapshot: (occasion: 'subscribe' | 'resync') => lastOf(occasion, explorer.blocks),
        close: () => {
          this.#stream = undefined;
        },
      };
    };
    return { ok: true, recipe: { key: 'explorerBlock', channel: 'explorerBlock', source } };
  }

  onBlock(): void {
    this.#stream?.publish(JSON.stringify(this.#context.explorer.blocks.slice(-1)));
  }
}

/** Every signed request that was executed, one frame per block that has any. */
export class ExplorerTxsChannel implements NodeChannel<object> {
  readonly #context: ChannelContext;
  #stream: Stream | undefined;

  constructor(context: ChannelContext) {
    this.#context = context;
  }

  open(): Opening {
    const { explorer } = this.#context;
    const source = (stream: Stream) => {
      this.#stream = stream;
      const unwatch = explorer.watch();
      return {
        snapshot: (occasion: 'subscribe' | 'resync') => lastOf(occasion, explorer.txs),
        close: () => {
          unwatch();
          this.#stream = undefined;
        },
      };
    };
    return { ok: true, recipe: { key: 'explorerTxs', channel: 'explorerTxs', source } };
  }

  onBlock(): void {
    const { fresh } = this.#context.explorer;
    if (fresh.length > 0) this.#stream?.publish(JSON.stringify(fresh));
  }
}

/** Oldest first, as they would have come; a newcomer is told only what happens from now on. */
function lastOf(occasion: 'subscribe' | 'resync', rows: readonly object[]) {
  if (occasion === 'subscribe') return undefined;
  return { data: JSON.stringify(rows), isSnapshot: true } as const;
}
