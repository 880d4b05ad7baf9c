import { type EngineEvent, perpDefinitions } from '@oddlot/engine';
import type { AppliedBlock } from '@oddlot/replica/block';
import { OUTCOME_ID_MIN } from '@oddlot/protocol';
import { marketContext, tickerFields } from '@oddlot/translate/market-to-stream';
import type { Source, Stream } from '../stream.ts';
import {
  type ChannelContext,
  instrumentOf,
  type NodeChannel,
  type Opening,
  type ChannelFactories,
} from './node-channel.ts';
import { PacedRecords, PacedState } from './paced-streams.ts';
import { type CandleInterval, startOf } from '@oddlot/translate/read-models/candle-interval';
import type { CandleBar, CandlePrice } from '@oddlot/translate/read-models/candles';
import type { Instrument } from '@oddlot/translate/instruments';
import { candleRecord } from '@oddlot/translate/info/candles';
import { Pace } from '../timing.ts';
import { assetContext } from '@oddlot/translate/event-to-stream';
import { findPerp } from '@oddlot/translate/info/info-context';

type TickersParams = {
  readonly accountType?: 'perp' | 'outcome' | undefined;
  readonly instrumentIds?: readonly number[] | undefined;
};

type Selection = {
  readonly ids: () => number[];
  /**
   * True if the subscription lists its markets. Listed markets are shown even after they have
   * ended.
   */
  readonly isNamed: boolean;
  readonly isWanted: (id: number) => boolean;
};

/**
 * Publishes all instruments first, and then those that changed. A settled or delisted instrument is
 * published once more as removed, but only to clients whose subscription lists it.
 */
class TickersChannel implements NodeChannel<TickersParams> {
  readonly #context: ChannelContext;
  readonly #sources = new Map<PacedRecords, (id: number) => boolean>();

  constructor(context: ChannelContext) {
    this.#context = context;
  }

  open({ accountType, instrumentIds }: TickersParams): Opening {
    for (const id of instrumentIds ?? []) {
      const found = instrumentOf(this.#context, id);
      if (!found.ok) return found;
    }
    const asked = instrumentIds === undefined ? undefined : new Set(instrumentIds);
    const isWanted = (id: number): boolean =>
      (asked?.has(id) ?? true) && (accountType ?? typeOf(id)) === typeOf(id);
    const key = `tickers:${accountType ?? ''}:${instrumentIds?.join(',') ?? ''}`;
    const ids = (): number[] => (instrumentIds ?? this.#listed()).filter(isWanted);
    const isNamed = asked !== undefined;
    const source = (stream: Stream): Source => this.#watch(stream, { ids, isNamed, isWanted });
    return { ok: true, recipe: { key, channel: 'tickers', source } };
  }

  onBlock(block: AppliedBlock): void {
    if (this.#sources.size === 0) return;
    for (const id of touchedInstruments(block)) {
      for (const [source, isWanted] of this.#sources) if (isWanted(id)) source.ask(id);
    }
  }

  #isListed(id: number): boolean {
    const { outcomes, perps } = this.#context.state();
    return perps.get(id)?.delisted === false || outcomes.markets.has(id);
  }

  #listed(): readonly number[] {
    const state = this.#context.state();
    const perps = perpDefinitions(state).map(({ instrumentId }) => instrumentId);
    return [...perps, ...state.outcomes.marketIds].filter((id) => this.#isListed(id));
  }

  /** Builds a row without its time, because a change in the time alone is not published. */
  #row(id: number): string | undefined {
    const found = instrumentOf(this.#context, id);
    if (!found.ok) return undefined;
    const { markets, state } = this.#context;
    const fields = tickerFields({ markets, state: state() }, found.instrument);
    return JSON.stringify(this.#isListed(id) ? fields : { ...fields, gone: true });
  }

  #watch(stream: Stream, { ids, isNamed, isWanted }: Selection): Source {
    const { limits, state, timing } = this.#context;
    const source: PacedRecords = new PacedRecords({
      stream,
      timing,
      intervalMs: limits.contextIntervalMs,
      ids,
      record: (id) => (isNamed || this.#isListed(id) ? this.#row(id) : undefined),
      lastOf: (id) => this.#row(id),
      wrap: (records, isSnapshot) => {
        const end = `,"time":${state().timeMs}}`;
        const tickers = records.map((record) => record.slice(0, -1) + end).join(',');
        return `{"tickers":[${tickers}]${isSnapshot ? ',"isSnapshot":true' : ''}}`;
      },
      onClose: () => this.#sources.delete(source),
    });
    this.#sources.set(source, isWanted);
    return source;
  }
}

function typeOf(instrumentId: number): 'perp' | 'outcome' {
  return instrumentId >= OUTCOME_ID_MIN ? 'outcome' : 'perp';
}

type CandleParams = {
  readonly coin: string;
  readonly interval: CandleInterval;
  readonly price: CandlePrice;
};

/**
 * Publishes the current candle of an instrument and interval as it changes, and each candle once it
 * is complete.
 */
class CandleChannel implements NodeChannel<CandleParams> {
  readonly #context: ChannelContext;
  readonly #sources = new Set<CandleSource>();

  constructor(context: ChannelContext) {
    this.#context = context;
  }

  open({ coin, interval, price }: CandleParams): Opening {
    const found = instrumentOf(this.#context, coin);
    if (!found.ok) return found;
    const { instrument } = found;
    const source = (stream: Stream): Source => {
      const opened: CandleSource = new CandleSource(this.#context, stream, {
        instrument,
        interval,
        price,
        onClose: () => this.#sources.delete(opened),
      });
      this.#sources.add(opened);
      return opened;
    };
    const key = `candle:${instrument.instrumentId}:${interval}:${price}`;
    return { ok: true, recipe: { key, channel: 'candle', source } };
  }

  onBlock(block: AppliedBlock): void {
    if (this.#sources.size === 0) return;
    const marked = markedInstruments(block);
    for (const source of this.#sources) source.onBlock(block, marked);
  }
}

function markedInstruments({ result }: AppliedBlock): ReadonlySet<number> {
  const marked = new Set<number>();
  for (const event of result.events) {
    if (event.type === 'markUpdated') marked.add(event.instrumentId);
  }
  return marked;
}

type Subject = {
  readonly instrument: Instrument;
  readonly interval: CandleInterval;
  readonly price: CandlePrice;
  readonly onClose: () => void;
};

class CandleSource implements Source {
  readonly #context: ChannelContext;
  readonly #subject: Subject;
  readonly #stream: Stream;
  readonly #pace: Pace;
  /** The start of the current candle. */
  #startMs: number;
  /** The content received by all subscribers; undefined if it differs between them. */
  #seen: string | undefined;

  constructor(context: ChannelContext, stream: Stream, subject: Subject) {
    this.#context = context;
    this.#subject = subject;
    this.#stream = stream;
    this.#startMs = startOf(subject.interval, context.state().timeMs);
    this.#seen = this.#text(this.#running());
    const { contextIntervalMs } = context.limits;
    this.#pace = new Pace(context.timing, contextIntervalMs, () => this.#publish(this.#running()));
  }

  onBlock(block: AppliedBlock, marked: ReadonlySet<number>): void {
    const { instrument, interval, price } = this.#subject;
    const { instrumentId } = instrument;
    const startMs = startOf(interval, block.timeMs);
    const hasEnded = startMs !== this.#startMs;
    const changed = price === 'trade' ? this.#context.tape.fresh : marked;
    if (!hasEnded && !changed.has(instrumentId)) return;
    if (hasEnded) {
      // The minimum interval may have delayed the final content of the candle.
      const candles = this.#context.markets.candlesOf(price);
      const [ended] = candles.snapshot(instrumentId, interval, this.#startMs, this.#startMs);
      this.#publish(ended);
      this.#startMs = startMs;
    }
    this.#pace.ask();
  }

  snapshot() {
    const text = this.#text(this.#running());
    if (text !== this.#seen) this.#seen = undefined;
    return text === undefined ? undefined : { data: text };
  }

  close(): void {
    this.#pace.stop();
    this.#subject.onClose();
  }

  #publish(bar: CandleBar | undefined): boolean {
    const text = this.#text(bar);
    if (text === undefined || text === this.#seen) return false;
    this.#seen = text;
    this.#stream.publish(text);
    return true;
  }

  #running(): CandleBar | undefined {
    const { instrument, interval, price } = this.#subject;
    return this.#context.markets.candlesOf(price).running(instrument.instrumentId, interval);
  }

  #text(bar: CandleBar | undefined): string | undefined {
    if (bar === undefined) return undefined;
    return JSON.stringify(candleRecord(this.#subject.instrument, this.#subject, bar));
  }
}

/**
 * Publishes mark, oracle price, volume and open interest of one instrument, at most a few times per
 * second.
 */
class AssetContextChannel implements NodeChannel<{ readonly coin: string }> {
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

/**
 * Returns the instruments whose price, volume, open interest or start price a block can have
 * changed.
 */
function touchedInstruments({ result }: AppliedBlock): ReadonlySet<number> {
  const touched = new Set<number>();
  for (const event of result.events) {
    const id = touchedBy(event);
    if (id !== undefined) touched.add(id);
  }
  return touched;
}

function touchedBy(event: EngineEvent): number | undefined {
  switch (event.type) {
    case 'markUpdated':
    case 'tradeExecuted':
    case 'perpRegistered':
    case 'perpChanged':
    case 'perpSettled':
    case 'outcomeTraded':
    case 'outcomeMarketListed':
    case 'sharesOperated':
    case 'marketPhaseChanged':
    case 'seriesStruck':
    case 'marketSettled':
      return event.instrumentId;
    case 'orderUpdated':
      // The mark of an outcome market depends on its book.
      return event.order.outcome === undefined ? undefined : event.order.instrumentId;
    default:
      return undefined;
  }
}

export const MARKET_CHANNELS = {
  activeAssetCtx: (context) => new AssetContextChannel(context),
  candle: (context) => new CandleChannel(context),
  tickers: (context) => new TickersChannel(context),
} as const satisfies ChannelFactories;
