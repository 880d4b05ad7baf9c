import type { EngineEvent, State } from '@oddlot/engine';
import { RTDS_TOPICS, type RtdsSeries, type RtdsTopic } from '@oddlot/protocol';
import { divHalfUp, formatDecimal } from '@oddlot/units';
import type { ReferencePrices } from '../../read-models/reference-prices.ts';
import type { AppliedBlock } from '../../block/block.ts';
import { textFrame } from './frame.ts';
import { Pace, type Timing } from './timing.ts';
import type { WsLimits } from './ws-limits.ts';

/** A client of /ws-rtds, as its topics see it. */
export interface PriceListener {
  /** Told in every frame. */
  readonly connectionId: string;
  wants(topic: RtdsTopic, symbol: string): boolean;
  send(frame: Buffer): void;
}

type PriceTopicsOptions = {
  readonly state: () => State;
  readonly prices: ReferencePrices;
  readonly limits: Pick<WsLimits, 'priceIntervalMs'>;
  readonly timing: Timing;
};

type PriceTaken = Extract<EngineEvent, { type: 'referencePriceTaken' }>;
/** A price with a time; `e18` is exact where the other two are rounded. */
type Quote = { readonly timeMs: number; readonly value: string; readonly e18: bigint };

const SECOND_MS = 1_000;
const DUMP_SECONDS = 60;
const E8_TO_E18 = 10n ** 10n;
const WINDOW_SECONDS = { twap30: 30, twap60: 60 } as const;

const TOPICS = Object.entries(RTDS_TOPICS) as [RtdsTopic, RtdsSeries][];

/**
 * The topics of /ws-rtds. Prices go out when they come, at most once a second for each symbol;
 * averages with the first block of each second, by the sampling of R-series.
 */
export class PriceTopics {
  readonly #options: PriceTopicsOptions;
  readonly #listeners = new Set<PriceListener>();
  /** By series and symbol. */
  readonly #paces = new Map<string, Pace>();
  #secondMs = 0;

  constructor(options: PriceTopicsOptions) {
    this.#options = options;
  }

  add(listener: PriceListener): void {
    this.#listeners.add(listener);
  }

  remove(listener: PriceListener): void {
    this.#listeners.delete(listener);
  }

  onBlock(block: AppliedBlock): void {
    const secondMs = block.timeMs - (block.timeMs % SECOND_MS);
    const isNewSecond = secondMs > this.#secondMs;
    this.#secondMs = secondMs;
    if (this.#listeners.size === 0) return;
    for (const event of block.result.events) {
      if (event.type === 'referencePriceTaken') this.#paceOf(event).ask();
    }
    if (isNewSecond) this.#publishAverages(secondMs);
  }

  /** The last minute of one symbol as a frame for one client. */
  dump(topic: RtdsTopic, shown: string, { connectionId }: PriceListener): Buffer {
    const series = RTDS_TOPICS[topic];
    const symbol = this.#symbols().find((each) => shownSymbol(series, each) === shown);
    const quotes = symbol === undefined ? [] : this.#lastMinute(series, symbol);
    const data = quotes.map(({ timeMs, value }) => `{"timestamp":${timeMs},"value":${value}}`);
    const payload = `{"symbol":${JSON.stringify(shown)},"data":[${data.join(',')}]}`;
    return closedFrame(this.#openFrame(topic, 'subscribe', payload), connectionId);
  }

  close(): void {
    for (const pace of this.#paces.values()) pace.stop();
    this.#listeners.clear();
  }

  #paceOf({ source, symbol }: PriceTaken): Pace {
    const key = `${source}/${symbol}`;
    const known = this.#paces.get(key);
    if (known !== undefined) return known;
    const { limits, prices, timing } = this.#options;
    const pace = new Pace(timing, limits.priceIntervalMs, () => {
      const latest = prices.latest(symbol, source);
      if (latest === undefined) return false;
      return this.#publish(source, symbol, quoteOf(latest.atMs, latest.priceE8));
    });
    this.#paces.set(key, pace);
    return pace;
  }

  #publishAverages(secondMs: number): void {
    for (const symbol of this.#symbols()) {
      for (const series of ['twap30', 'twap60'] as const) {
        const quote = this.#average(series, symbol, secondMs);
        if (quote !== undefined) this.#publish(series, symbol, quote);
      }
    }
  }

  /** False when nobody wanted it. */
  #publish(series: RtdsSeries, symbol: string, { e18, timeMs, value }: Quote): boolean {
    const shown = shownSymbol(series, symbol);
    const price = `"timestamp":${timeMs},"value":${value},"full_accuracy_value":"${e18}"`;
    const payload = `{"symbol":${JSON.stringify(shown)},${price}}`;
    let isWanted = false;
    for (const [topic, of] of TOPICS) {
      if (of !== series) continue;
      let body: Buffer | undefined;
      for (const listener of this.#listeners) {
        if (!listener.wants(topic, shown)) continue;
        isWanted = true;
        body ??= this.#openFrame(topic, 'update', payload);
        listener.send(closedFrame(body, listener.connectionId));
      }
    }
    return isWanted;
  }

  /** The text of a frame up to the connection that it goes to. */
  #openFrame(topic: RtdsTopic, type: 'subscribe' | 'update', payload: string): Buffer {
    const { timeMs } = this.#options.state();
    return Buffer.from(
      `{"topic":"${topic}","type":"${type}","timestamp":${timeMs},"payload":${payload}`,
    );
  }

  #symbols(): string[] {
    const feeds = this.#options.state().outcomes.prices.values();
    return [...new Set([...feeds].map(({ symbol }) => symbol))];
  }

  #lastMinute(series: RtdsSeries, symbol: string): Quote[] {
    const { prices, state } = this.#options;
    const toMs = state().timeMs;
    if (series === 'spot' || series === 'oracle') {
      const span = { fromMs: toMs - DUMP_SECONDS * SECOND_MS, toMs, max: 2 * DUMP_SECONDS };
      const points = prices.history(symbol, series, span);
      return points.map(({ atMs, priceE8 }) => quoteOf(atMs, priceE8));
    }
    const quotes: Quote[] = [];
    const lastMs = toMs - (toMs % SECOND_MS);
    for (let second = DUMP_SECONDS - 1; second >= 0; second--) {
      const quote = this.#average(series, symbol, lastMs - second * SECOND_MS);
      if (quote !== undefined) quotes.push(quote);
    }
    return quotes;
  }

  /** Of the oracle's prices where there are any, as everywhere. */
  #average(series: 'twap30' | 'twap60', symbol: string, atMs: number): Quote | undefined {
    const { prices } = this.#options;
    const source = prices.latest(symbol, 'oracle') === undefined ? 'spot' : 'oracle';
    const twap = prices.twap(symbol, source, atMs, WINDOW_SECONDS[series]);
    if (twap === undefined) return undefined;
    const samples = BigInt(twap.samples);
    return {
      timeMs: atMs,
      value: formatDecimal(divHalfUp(twap.sumE8, samples), 8),
      e18: divHalfUp(twap.sumE8 * E8_TO_E18, samples),
    };
  }
}

function quoteOf(timeMs: number, priceE8: number): Quote {
  return { timeMs, value: formatDecimal(priceE8, 8), e18: BigInt(priceE8) * E8_TO_E18 };
}

/** `btcusdt` where the price is one of a spot market, `btc/usd` elsewhere. */
function shownSymbol(series: RtdsSeries, symbol: string): string {
  const base = symbol.toLowerCase();
  return series === 'spot' ? `${base}usdt` : `${base}/usd`;
}

function closedFrame(body: Buffer, connectionId: string): Buffer {
  return textFrame(body, `,"connection_id":"${connectionId}"}`);
}
