import type {
  Answer,
  Ask,
  AsOf,
  History,
  HistoryTopic,
  SettledEventsAsk,
} from '../history/history.ts';
import type { CandleRecord, SettledEventRecord } from '../history/rows/block-rows.ts';
import { settledEventsOf } from '../history/rows/settled-event.ts';
import type { AppliedBlock } from '../block/applied-block.ts';
import type { MarketData } from '../read-models/market-data.ts';
import type { State } from '@oddlot/engine';

/**
 * The part of a history that is about settled markets and candles, in lists that are searched from one
 * end to the other: what a real store must answer, without any of its means.
 */
export class PlainHistory implements Pick<History, 'ask' | 'asOf'> {
  readonly events = new Map<number, SettledEventRecord>();
  readonly bars = new Map<string, CandleRecord>();
  /** Names of the questions that were asked. */
  readonly asked: HistoryTopic[] = [];
  asOf: AsOf = { height: 0, timeMs: 0 };

  /** After the read models have seen the block. */
  onBlock(state: State, { catalogue }: MarketData, block: AppliedBlock): void {
    this.asOf = { height: block.height, timeMs: block.timeMs };
    for (const record of settledEventsOf(state, catalogue, block)) {
      this.events.set(record.eventId, record);
    }
    for (const event of block.result.events) {
      if (event.type !== 'outcomeTraded' && event.type !== 'tradeExecuted') continue;
      for (const stepMs of STEPS) this.#addTrade(stepMs, block.timeMs, event);
    }
  }

  async ask<Topic extends HistoryTopic>(
    topic: Topic,
    question: Ask<Topic>,
  ): Promise<{ readonly asOf: AsOf; readonly answer: Answer<Topic> }> {
    this.asked.push(topic);
    // An answer comes in a later turn, as from another thread.
    await new Promise((resolve) => setImmediate(resolve));
    return { asOf: this.asOf, answer: this.#answer(topic, question) as Answer<Topic> };
  }

  #answer(topic: HistoryTopic, question: unknown): unknown {
    if (topic === 'settledEvents') return this.#list(question as SettledEventsAsk);
    if (topic === 'bars') return this.#barsOf(question as Ask<'bars'>);
    if (topic !== 'settledMarket') throw new Error(`no rows of ${topic} here`);
    const { eventSlug } = question as { readonly eventSlug: string };
    return [...this.events.values()].find(({ slug }) => slug === eventSlug) ?? null;
  }

  #list(ask: SettledEventsAsk): SettledEventRecord[] {
    const { after, limit, order, seriesSlug, settledBeforeMs, tag } = ask;
    const sign = order === 'asc' ? 1 : -1;
    const compare = (one: Place, other: Place): number =>
      sign * (one.key - other.key || one.eventId - other.eventId);
    return [...this.events.values()]
      .filter((record) => record.settledMs <= settledBeforeMs)
      .filter((record) => tag === undefined || record.tags.includes(tag))
      .filter((record) => seriesSlug === undefined || record.seriesSlug === seriesSlug)
      .map((record) => ({ record, key: keyOf(ask, record), eventId: record.eventId }))
      .filter((place) => after === undefined || compare(place, after) > 0)
      .sort(compare)
      .slice(0, limit)
      .map(({ record }) => record);
  }

  #barsOf({ endMs, instrumentId, limit, startMs, stepMs, withPrevious }: Ask<'bars'>) {
    const all = [...this.bars.values()].filter(
      (bar) => bar.instrumentId === instrumentId && bar.stepMs === stepMs && bar.startMs <= endMs,
    );
    const previous = all.filter((bar) => bar.startMs < startMs).slice(-1);
    const inSpan = all.filter((bar) => bar.startMs >= startMs).slice(0, limit);
    return withPrevious === true ? [...previous, ...inSpan] : inSpan;
  }

  #addTrade(
    stepMs: number,
    timeMs: number,
    trade: { readonly instrumentId: number; readonly price: number; readonly size: number },
  ): void {
    const { instrumentId, price, size } = trade;
    const startMs = timeMs - (timeMs % stepMs);
    const key = `${instrumentId}/${stepMs}/${startMs}`;
    const bar = this.bars.get(key);
    this.bars.set(key, {
      instrumentId,
      stepMs,
      startMs,
      open: bar?.open ?? price,
      high: Math.max(bar?.high ?? price, price),
      low: Math.min(bar?.low ?? price, price),
      close: price,
      lots: (bar?.lots ?? 0) + size,
      trades: (bar?.trades ?? 0) + 1,
    });
  }
}

type Place = { readonly key: number; readonly eventId: number };

const STEPS = [60_000, 900_000, 14_400_000] as const;

function keyOf({ sortBy }: SettledEventsAsk, record: SettledEventRecord): number {
  switch (sortBy) {
    case 'volume':
      return record.volumeMicroUsdc;
    case 'newest':
      return record.createdMs;
    case 'endingSoon':
      return record.endMs;
    case 'start':
      return record.startMs;
    case 'zero':
      return 0;
  }
}
