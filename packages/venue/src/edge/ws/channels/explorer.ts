import { explorerBlock, explorerTxs } from '../../../translate/explorer.ts';
import { instrumentLookup } from '../../../translate/instruments.ts';
import { type Asker, historyOf } from '../../../history/history.ts';
import { pastOfBlocks } from '../past-of-blocks.ts';
import type { PastSpan } from '../past.ts';
import type { Stream } from '../stream.ts';
import type { ChannelContext, NodeChannel, Opening } from './node-channel.ts';
import { pastBlocks, pastTxs } from './past-explorer.ts';

/** Every block, as it is made. */
export class ExplorerBlockChannel implements NodeChannel<object> {
  readonly #context: ChannelContext;
  #stream: Stream | undefined;

  constructor(context: ChannelContext) {
    this.#context = context;
  }

  open(): Opening {
    const { explorer, history, recent, state } = this.#context;
    const source = (stream: Stream) => {
      this.#stream = stream;
      return {
        snapshot: (occasion: 'subscribe' | 'resync') => lastOf(occasion, explorer.blocks),
        past: (span: PastSpan, asker: Asker) => {
          const blocks = recent.between(span.after, span.upTo);
          if (blocks === undefined) return pastBlocks(historyOf(history, asker), span);
          return pastOfBlocks(blocks, (block) => [JSON.stringify([explorerBlock(block)])]);
        },
        close: () => {
          this.#stream = undefined;
        },
      };
    };
    const height = (): number => state().height;
    return { ok: true, recipe: { key: 'explorerBlock', channel: 'explorerBlock', height, source } };
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
    const { explorer, history, recent, state } = this.#context;
    const instruments = instrumentLookup(state);
    const source = (stream: Stream) => {
      this.#stream = stream;
      const unwatch = explorer.watch();
      return {
        snapshot: (occasion: 'subscribe' | 'resync') => lastOf(occasion, explorer.txs),
        past: (span: PastSpan, asker: Asker) => {
          const blocks = recent.between(span.after, span.upTo);
          if (blocks === undefined) return pastTxs(historyOf(history, asker), span);
          return pastOfBlocks(blocks, (block) => {
            const txs = explorerTxs(block, instruments);
            return txs.length === 0 ? [] : [JSON.stringify(txs)];
          });
        },
        close: () => {
          unwatch();
          this.#stream = undefined;
        },
      };
    };
    const height = (): number => state().height;
    return { ok: true, recipe: { key: 'explorerTxs', channel: 'explorerTxs', height, source } };
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
