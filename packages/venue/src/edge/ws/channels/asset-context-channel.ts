import type { AppliedBlock } from '../../../block/block.ts';
import type { Instrument } from '../../../translate/instruments.ts';
import { assetContext } from '../../../translate/event-to-stream.ts';
import { findPerp } from '../../../translate/info/handler.ts';
import { marketContext } from '../../../translate/market-to-stream.ts';
import type { Source, Stream } from '../stream.ts';
import {
  instrumentOf,
  type ChannelContext,
  type NodeChannel,
  type Opening,
} from './node-channel.ts';
import { PacedState } from './paced-state.ts';
import { touchedInstruments } from './touched-instruments.ts';

/** Mark, oracle, volume and open interest of one instrument, at most a few times a second. */
export class AssetContextChannel implements NodeChannel<{ readonly coin: string }> {
  readonly #context: ChannelContext;
  readonly #sources = new Map<number, PacedState>();

  constructor(context: ChannelContext) {
    this.#context = context;
  }

  open({ coin }: { readonly coin: string }): Opening {
    const found = instrumentOf(this.#context, coin);
    if (!found.ok) return found;
    const { instrument } = found;
    const key = `activeAssetCtx:${instrument.instrumentId}`;
    const source = (stream: Stream): Source => this.#watch(stream, instrument);
    return { ok: true, recipe: { key, channel: 'activeAssetCtx', source } };
  }

  onBlock(block: AppliedBlock): void {
    if (this.#sources.size === 0) return;
    for (const id of touchedInstruments(block)) this.#sources.get(id)?.ask();
  }

  #watch(stream: Stream, instrument: Instrument): Source {
    const { instrumentId } = instrument;
    const { timing, limits } = this.#context;
    const source = new PacedState({
      stream,
      timing,
      intervalMs: limits.contextIntervalMs,
      content: () => JSON.stringify(this.#contextOf(instrument)),
      onClose: () => this.#sources.delete(instrumentId),
    });
    this.#sources.set(instrumentId, source);
    return source;
  }

  #contextOf(instrument: Instrument): object {
    const { markets } = this.#context;
    const state = this.#context.state();
    const perp = findPerp(state, instrument.instrumentId);
    return perp === undefined
      ? marketContext({ markets, state }, instrument)
      : assetContext(state, perp);
  }
}
