import type { PerpDefinition } from '@oddlot/engine';
import { assetContext } from '../../../translate/event-to-stream.ts';
import { perpOf } from '../../../translate/info/handler.ts';
import type { AppliedBlock } from '../../../replica/replica.ts';
import type { Source, Stream } from '../stream.ts';
import type { ChannelContext, NodeChannel, Opening } from './node-channel.ts';
import { PacedState } from './paced-state.ts';

/** Mark, oracle, volume and open interest of one instrument, at most a few times a second. */
export class AssetContextChannel implements NodeChannel<{ readonly coin: string }> {
  readonly #context: ChannelContext;
  readonly #sources = new Map<number, PacedState>();

  constructor(context: ChannelContext) {
    this.#context = context;
  }

  open({ coin }: { readonly coin: string }): Opening {
    const found = perpOf(this.#context.state(), coin);
    if (!found.ok) return { ok: false, message: found.error.message };
    const { perp } = found;
    const key = `activeAssetCtx:${perp.instrumentId}`;
    const source = (stream: Stream): Source => this.#watch(stream, perp);
    return { ok: true, recipe: { key, channel: 'activeAssetCtx', source } };
  }

  onBlock(block: AppliedBlock): void {
    if (this.#sources.size === 0) return;
    for (const event of block.result.events) {
      if (event.type !== 'markUpdated' && event.type !== 'tradeExecuted') continue;
      this.#sources.get(event.instrumentId)?.ask();
    }
  }

  #watch(stream: Stream, perp: PerpDefinition): Source {
    const { state, timing, limits } = this.#context;
    const source = new PacedState({
      stream,
      timing,
      intervalMs: limits.contextIntervalMs,
      content: () => JSON.stringify(assetContext(state(), perp)),
      onClose: () => this.#sources.delete(perp.instrumentId),
    });
    this.#sources.set(perp.instrumentId, source);
    return source;
  }
}
