import type { OutcomeTrade, OutcomeTradesUpdate } from '@oddlot/protocol';
import type { Snapshot, Stream } from '../stream.ts';
import type { ChannelContext, NodeChannel, Opening } from './node-channel.ts';
import { outcomeGroup } from './outcome-group.ts';
import type { TapeTrade } from '../../../history/trade-tape.ts';
import { pastTrades } from './past-trades.ts';
import { RESYNC_TRADES } from './trades-channel.ts';

type Params = { readonly instrumentIds: readonly number[] };

/** Trades of a group of outcome markets, one frame per block that has any. */
export class OutcomeTradesChannel implements NodeChannel<Params> {
  readonly #context: ChannelContext;
  readonly #streams = new Map<Stream, readonly number[]>();

  constructor(context: ChannelContext) {
    this.#context = context;
  }

  open({ instrumentIds }: Params): Opening {
    const group = outcomeGroup(this.#context, instrumentIds);
    if (!group.ok) return group;
    return {
      ok: true,
      recipe: {
        key: `outcomeTrades:${instrumentIds.join(',')}`,
        channel: 'outcomeTrades',
        height: () => this.#context.state().height,
        source: (stream) => {
          this.#streams.set(stream, instrumentIds);
          const unwatch = this.#context.tape.watch(instrumentIds);
          return {
            snapshot: (occasion) => (occasion === 'resync' ? this.#last(instrumentIds) : undefined),
            past: (span) =>
              pastTrades(this.#context, instrumentIds, span, (trades) => textOf(inOrder(trades))),
            close: () => {
              unwatch();
              this.#streams.delete(stream);
            },
          };
        },
      },
    };
  }

  onBlock(): void {
    const { fresh } = this.#context.tape;
    if (fresh.size === 0) return;
    for (const [stream, instrumentIds] of this.#streams) {
      const trades = inOrder(instrumentIds.flatMap((id) => fresh.get(id) ?? []));
      if (trades.length > 0) stream.publish(textOf(trades));
    }
  }

  #last(instrumentIds: readonly number[]): Snapshot {
    const { tape } = this.#context;
    const trades = inOrder(instrumentIds.flatMap((id) => tape.last(id, RESYNC_TRADES)));
    return { data: textOf(trades.slice(-RESYNC_TRADES)), isSnapshot: true };
  }
}

function textOf(trades: OutcomeTrade[]): string {
  const update: OutcomeTradesUpdate = { trades };
  return JSON.stringify(update);
}

/** Trade ids grow from trade to trade, whatever the market. */
function inOrder(trades: readonly TapeTrade[]): OutcomeTrade[] {
  return trades.filter((trade) => 'outcome' in trade).sort((a, b) => a.tid - b.tid);
}
