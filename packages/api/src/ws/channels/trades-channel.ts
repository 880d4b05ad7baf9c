import type {
  OutcomeTrade,
  OutcomeTradesUpdate,
  RecentTradesUpdate,
  Trade,
} from '@oddlot/protocol';
import {
  type Past,
  pastOfBlocks,
  type PastSpan,
  type Snapshot,
  type Source,
  type Stream,
} from '../stream.ts';
import {
  type ChannelContext,
  instrumentOf,
  type NodeChannel,
  type Opening,
  outcomeGroup,
  type ChannelFactories,
} from './node-channel.ts';
import type { TapeTrade } from '@oddlot/history/trade-tape';
import type { Instrument } from '@oddlot/translate/instruments';
import type { AppliedBlock } from '@oddlot/replica/block';

const RESYNC_TRADES = 50;

/** Publishes the trades of one instrument, with one frame for each block that contains any. */
class TradesChannel implements NodeChannel<{ readonly coin: string }> {
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

  /** Trades are listed oldest first, as in the stream. */
  #last(instrumentId: number): Snapshot {
    const trades = this.#context.tape.last(instrumentId, RESYNC_TRADES).toReversed();
    return { data: JSON.stringify(trades.map(plainTrade)), isSnapshot: true };
  }
}

/** Removes the fields that only the outcome channel publishes. */
function plainTrade(trade: TapeTrade): Trade {
  if (!('outcome' in trade)) return trade;
  const { outcome: _outcome, price: _price, ...plain } = trade;
  return plain;
}

type RecentParams = { readonly coin: string; readonly limit: number };

/**
 * Publishes the last trades of one instrument, and then one frame for each block that contains
 * trades.
 */
class RecentTradesChannel implements NodeChannel<RecentParams> {
  readonly #context: ChannelContext;
  readonly #streams = new Map<Stream, Instrument>();

  constructor(context: ChannelContext) {
    this.#context = context;
  }

  open({ coin, limit }: RecentParams): Opening {
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
      if (trades !== undefined) stream.publish(recentText(instrument, trades));
    }
  }

  #watch(stream: Stream, instrument: Instrument, limit: number): Source {
    const { tape } = this.#context;
    const { instrumentId } = instrument;
    this.#streams.set(stream, instrument);
    const unwatch = tape.watch([instrumentId]);
    return {
      snapshot: () => ({ data: recentText(instrument, tape.last(instrumentId, limit), true) }),
      past: (span) =>
        pastTrades(this.#context, [instrumentId], span, (trades) => recentText(instrument, trades)),
      close: () => {
        unwatch();
        this.#streams.delete(stream);
      },
    };
  }
}

function recentText({ name }: Instrument, trades: readonly TapeTrade[], isSnapshot?: true): string {
  const update: RecentTradesUpdate = {
    coin: name,
    ...(isSnapshot === undefined ? {} : { isSnapshot }),
    trades: trades.map(plainTrade),
  };
  return JSON.stringify(update);
}

type OutcomeParams = { readonly instrumentIds: readonly number[] };

/**
 * Publishes the trades of a group of outcome markets, with one frame for each block that contains
 * any.
 */
class OutcomeTradesChannel implements NodeChannel<OutcomeParams> {
  readonly #context: ChannelContext;
  readonly #streams = new Map<Stream, readonly number[]>();

  constructor(context: ChannelContext) {
    this.#context = context;
  }

  open({ instrumentIds }: OutcomeParams): Opening {
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
              pastTrades(this.#context, instrumentIds, span, (trades) =>
                outcomeText(inOrder(trades)),
              ),
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
      if (trades.length > 0) stream.publish(outcomeText(trades));
    }
  }

  #last(instrumentIds: readonly number[]): Snapshot {
    const { tape } = this.#context;
    const trades = inOrder(instrumentIds.flatMap((id) => tape.last(id, RESYNC_TRADES)));
    return { data: outcomeText(trades.slice(-RESYNC_TRADES)), isSnapshot: true };
  }
}

function outcomeText(trades: OutcomeTrade[]): string {
  const update: OutcomeTradesUpdate = { trades };
  return JSON.stringify(update);
}

/** Sorts trades by id, because ids increase across all markets. */
function inOrder(trades: readonly TapeTrade[]): OutcomeTrade[] {
  return trades.filter((trade) => 'outcome' in trade).sort((a, b) => a.tid - b.tid);
}

/**
 * Returns one frame for each block with trades. Blocks that are no longer in memory are read from
 * the instruments' tapes, which go far back if an instrument rarely trades.
 */
function pastTrades(
  { recent, tape }: Pick<ChannelContext, 'recent' | 'tape'>,
  instrumentIds: readonly number[],
  { after, upTo }: PastSpan,
  textOf: (trades: readonly TapeTrade[]) => string,
): Past | 'tooOld' {
  const blocks = recent.between(after, upTo);
  if (blocks !== undefined) {
    const ofBlock = (block: AppliedBlock): readonly string[] => {
      const traded = instrumentIds.filter((id) => recent.hasTradesOf(block, id));
      const trades = traded.flatMap((id) => tape.tradesOf(block, id));
      return trades.length === 0 ? [] : [textOf(trades)];
    };
    return pastOfBlocks(blocks, ofBlock);
  }
  const byHeight = new Map<number, TapeTrade[]>();
  for (const id of instrumentIds) {
    const since = tape.since(id, after);
    if (since === undefined) return 'tooOld';
    for (const { height, trade } of since) {
      if (height > upTo) continue;
      const trades = byHeight.get(height);
      if (trades === undefined) byHeight.set(height, [trade]);
      else trades.push(trade);
    }
  }
  const heights = [...byHeight.keys()].sort((a, b) => a - b);
  const frames = heights.map((height) => ({ height, data: textOf(byHeight.get(height) ?? []) }));
  let isRead = false;
  const next = () => {
    const remaining = isRead ? [] : frames;
    isRead = true;
    return remaining;
  };
  return { count: frames.length, next };
}

export const TRADE_CHANNELS = {
  trades: (context) => new TradesChannel(context),
  outcomeTrades: (context) => new OutcomeTradesChannel(context),
  recentTrades: (context) => new RecentTradesChannel(context),
} as const satisfies ChannelFactories;
