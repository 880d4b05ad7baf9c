import type { Trade } from '@oddlot/protocol';
import { causeHash, tradeRecord, type TimedTrade } from '../../../translate/event-to-stream.ts';
import { findPerp, perpOf } from '../../../translate/info/handler.ts';
import type { AppliedBlock } from '../../../replica/replica.ts';
import type { Snapshot, Stream } from '../stream.ts';
import type { ChannelContext, NodeChannel, Opening } from './node-channel.ts';

/** Trades that are remembered per instrument for clients that lost their place. */
const RECENT_MAX = 50;

/** Trades of one instrument, one frame per block that has any. */
export class TradesChannel implements NodeChannel<{ readonly coin: string }> {
  readonly #context: ChannelContext;
  readonly #streams = new Map<number, Stream>();
  /** By instrument, oldest first. */
  readonly #recent = new Map<number, readonly Trade[]>();

  constructor(context: ChannelContext) {
    this.#context = context;
  }

  open({ coin }: { readonly coin: string }): Opening {
    const found = perpOf(this.#context.state(), coin);
    if (!found.ok) return { ok: false, message: found.error.message };
    const { instrumentId } = found.perp;
    return {
      ok: true,
      recipe: {
        key: `trades:${instrumentId}`,
        channel: 'trades',
        source: (stream) => {
          this.#streams.set(instrumentId, stream);
          return {
            snapshot: (occasion) => (occasion === 'resync' ? this.#last(instrumentId) : undefined),
            close: () => this.#streams.delete(instrumentId),
          };
        },
      },
    };
  }

  onBlock(block: AppliedBlock): void {
    const fresh = new Map<number, TimedTrade[]>();
    for (const event of block.result.events) {
      if (event.type !== 'tradeExecuted') continue;
      const hash = causeHash(block, event.commandIndex);
      const trade = { event, timeMs: block.timeMs, hash };
      const trades = fresh.get(event.instrumentId);
      if (trades === undefined) fresh.set(event.instrumentId, [trade]);
      else trades.push(trade);
    }
    for (const [instrumentId, trades] of fresh) {
      const stream = this.#streams.get(instrumentId);
      const shown = stream === undefined ? trades.slice(-RECENT_MAX) : trades;
      const records = this.#records(instrumentId, shown);
      const recent = this.#recent.get(instrumentId) ?? [];
      this.#recent.set(instrumentId, [...recent, ...records].slice(-RECENT_MAX));
      stream?.publish(JSON.stringify(records));
    }
  }

  /** For snapshots of the venue: the last trades, whose blocks may not be replayed again. */
  dump(): readonly (readonly [number, readonly Trade[]])[] {
    return [...this.#recent.entries()];
  }

  restore(data: unknown): void {
    for (const [instrumentId, trades] of data as ReturnType<TradesChannel['dump']>) {
      this.#recent.set(instrumentId, trades);
    }
  }

  #last(instrumentId: number): Snapshot {
    const recent = this.#recent.get(instrumentId) ?? [];
    return { data: JSON.stringify(recent), isSnapshot: true };
  }

  #records(instrumentId: number, trades: readonly TimedTrade[]): Trade[] {
    const perp = findPerp(this.#context.state(), instrumentId);
    return perp === undefined ? [] : trades.map((trade) => tradeRecord(perp, trade));
  }
}
