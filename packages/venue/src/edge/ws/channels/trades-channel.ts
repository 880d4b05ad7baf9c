import type { Trade } from '@oddlot/protocol';
import type { Past, PastSpan } from '../past.ts';
import type { Snapshot, Stream } from '../stream.ts';
import {
  instrumentOf,
  type ChannelContext,
  type NodeChannel,
  type Opening,
} from './node-channel.ts';
import type { TapeTrade } from '../../../history/trade-tape.ts';
import { pastTrades } from './past-trades.ts';

/** Trades that clients are shown who lost their place. */
export const RESYNC_TRADES = 50;

/** Trades of one instrument, one frame per block that has any. */
export class TradesChannel implements NodeChannel<{ readonly coin: string }> {
  readonly #context: ChannelContext;
  readonly #streams = new Map<number, Stream>();

  constructor(context: ChannelContext) {
    this.#context = context;
  }

  open({ coin }: { readonly coin: string }): Opening {
    const found = instrumentOf(this.#context, coin);
    if (!found.ok) return found;
    const { instrumentId } = found.instrument;
    return {
      ok: true,
      recipe: {
        key: `trades:${instrumentId}`,
        channel: 'trades',
        height: () => this.#context.state().height,
        source: (stream) => {
          this.#streams.set(instrumentId, stream);
          const unwatch = this.#context.tape.watch([instrumentId]);
          return {
            snapshot: (occasion) => (occasion === 'resync' ? this.#last(instrumentId) : undefined),
            past: (span) => this.#past(instrumentId, span),
            close: () => {
              unwatch();
              this.#streams.delete(instrumentId);
            },
          };
        },
      },
    };
  }

  onBlock(): void {
    for (const [instrumentId, trades] of this.#context.tape.fresh) {
      this.#streams.get(instrumentId)?.publish(JSON.stringify(trades.map(plainTrade)));
    }
  }

  #past(instrumentId: number, span: PastSpan): Past | 'tooOld' {
    const text = (trades: readonly TapeTrade[]) => JSON.stringify(trades.map(plainTrade));
    return pastTrades(this.#context, [instrumentId], span, text);
  }

  /** Oldest first, as they would have come. */
  #last(instrumentId: number): Snapshot {
    const trades = this.#context.tape.last(instrumentId, RESYNC_TRADES).toReversed();
    return { data: JSON.stringify(trades.map(plainTrade)), isSnapshot: true };
  }
}

/** A trade without what only the outcome channel tells. */
export function plainTrade(trade: TapeTrade): Trade {
  if (!('outcome' in trade)) return trade;
  const { outcome: _outcome, price: _price, ...plain } = trade;
  return plain;
}
