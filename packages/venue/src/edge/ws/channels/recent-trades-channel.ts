import type { RecentTradesUpdate } from '@oddlot/protocol';
import type { Instrument } from '../../../translate/instruments.ts';
import type { Source, Stream } from '../stream.ts';
import {
  instrumentOf,
  type ChannelContext,
  type NodeChannel,
  type Opening,
} from './node-channel.ts';
import type { TapeTrade } from '../../../history/trade-tape.ts';
import { pastTrades } from './past-trades.ts';
import { plainTrade } from './trades-channel.ts';

type Params = { readonly coin: string; readonly limit: number };

/** The last trades of one instrument, then one frame per block that has any. */
export class RecentTradesChannel implements NodeChannel<Params> {
  readonly #context: ChannelContext;
  readonly #streams = new Map<Stream, Instrument>();

  constructor(context: ChannelContext) {
    this.#context = context;
  }

  open({ coin, limit }: Params): Opening {
    const found = instrumentOf(this.#context, coin);
    if (!found.ok) return found;
    const { instrument } = found;
    const key = `recentTrades:${instrument.instrumentId}:${limit}`;
    const source = (stream: Stream): Source => this.#watch(stream, instrument, limit);
    const height = (): number => this.#context.state().height;
    return { ok: true, recipe: { key, channel: 'recentTrades', height, source } };
  }

  onBlock(): void {
    const { fresh } = this.#context.tape;
    if (fresh.size === 0) return;
    for (const [stream, instrument] of this.#streams) {
      const trades = fresh.get(instrument.instrumentId);
      if (trades !== undefined) stream.publish(textOf(instrument, trades));
    }
  }

  #watch(stream: Stream, instrument: Instrument, limit: number): Source {
    const { tape } = this.#context;
    const { instrumentId } = instrument;
    this.#streams.set(stream, instrument);
    const unwatch = tape.watch([instrumentId]);
    return {
      snapshot: () => ({ data: textOf(instrument, tape.last(instrumentId, limit), true) }),
      past: (span) =>
        pastTrades(this.#context, [instrumentId], span, (trades) => textOf(instrument, trades)),
      close: () => {
        unwatch();
        this.#streams.delete(stream);
      },
    };
  }
}

function textOf({ name }: Instrument, trades: readonly TapeTrade[], isSnapshot?: true): string {
  const update: RecentTradesUpdate = {
    coin: name,
    ...(isSnapshot === undefined ? {} : { isSnapshot }),
    trades: trades.map(plainTrade),
  };
  return JSON.stringify(update);
}
