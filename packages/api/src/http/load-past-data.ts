import { measured } from '@oddlot/host/ports';
import type { Answer, Ask, AsOf, History, HistoryTopic } from '@oddlot/history/history';
import { settledEventOf } from '@oddlot/history/rows/market-rows';
import type { CandleRow } from '@oddlot/translate/read-models/candles';
import type { EventWithMarkets } from '@oddlot/translate/read-models/outcome-catalogue';
import {
  emptyPast,
  type Past,
  type PastBars,
  type PastList,
  type PastNeed,
  type PastRows,
} from '@oddlot/translate/info/info-context';
import {
  type InfoAnswer,
  type InfoContext,
  pastNeedOf,
  type StateQuery,
} from '@oddlot/translate/answer-info';
import type { Spend } from './answer-cache.ts';
import type { Candle } from '@oddlot/protocol';
import { type CandleQuery, candlesOf, missingBars } from '@oddlot/translate/info/candles';

/**
 * How often data is loaded for a query, at most. A query first needs events and may then need their
 * trades, and an event can be removed from memory in the meantime.
 */
const ROUNDS_MAX = 4;
/**
 * The maximum number of rows per query to the history. Longer periods are split into several
 * queries, and other work runs in between.
 */
const BARS_AT_ONCE = 5_000;

type PastSource = {
  readonly history: History;
  readonly spend: Spend;
  readonly contextOf: () => InfoContext;
};

type ContextWithPast = { readonly context: InfoContext; readonly asOf: AsOf };

/** Loads data from the history until the query can be answered. */
export async function withPast(source: PastSource, query: StateQuery): Promise<ContextWithPast> {
  const { contextOf, history } = source;
  const past = emptyPast();
  let need = pastNeedOf(contextOf(), query);
  for (let round = 0; need !== undefined && round < ROUNDS_MAX; round++) {
    await ask(source, need, past);
    need = pastNeedOf({ ...contextOf(), past }, query);
  }
  return { context: { ...contextOf(), past }, asOf: history.asOf };
}

async function ask(
  source: PastSource,
  { bars = [], list, slugs = [] }: PastNeed,
  past: Past,
): Promise<void> {
  await Promise.all([
    ...slugs.map(async (slug) => {
      past.events.set(slug, await eventBySlug(source, slug));
    }),
    ...bars.map(async (each) => {
      past.bars.set(each.instrumentId, await pastRows(source, each));
    }),
    list === undefined ? undefined : takeList(source, list, past),
  ]);
}

/**
 * Queries the history without waiting. If it has not reached the required time, the query is
 * repeated with the newest block as a requirement, so that it either waits for that block or is
 * refused.
 */
async function askAsOf<Topic extends HistoryTopic>(
  { history }: Pick<PastSource, 'history'>,
  topic: Topic,
  { neededMs, question }: { readonly question: Ask<Topic>; readonly neededMs: number },
): Promise<Answer<Topic>> {
  const known = await history.ask(topic, question, { minHeight: 0 });
  const { answer } = known.asOf.timeMs >= neededMs ? known : await history.ask(topic, question);
  return answer;
}

/**
 * Returns the time that the history must have reached. Events are removed from memory some time
 * after their settlement, and their rows are stored soon after the payout; half of that time is
 * enough for both.
 */
function leftMs({ contextOf }: PastSource): number {
  const { markets, state } = contextOf();
  return state.timeMs - markets.catalogue.retentionMs / 2;
}

/** Returns an event, or null if the history has deleted it. */
async function eventBySlug(
  source: PastSource,
  eventSlug: string,
): Promise<EventWithMarkets | null> {
  const asked = { question: { eventSlug }, neededMs: leftMs(source) };
  const answer = await askAsOf(source, 'settledMarket', asked);
  return answer === null ? null : measured(() => settledEventOf(answer), source.spend);
}

async function takeList(source: PastSource, list: PastList, past: Past): Promise<void> {
  const { descending, limit, seriesSlug, sortBy, tag } = list;
  // If all keys are zero, all rows are on the same side of a position with a nonzero key.
  const isBeyond = sortBy === 'zero' && list.after !== undefined && list.after[0] > 0;
  if (isBeyond && !descending) {
    past.list = { events: [], isEnd: true };
    return;
  }
  const after = isBeyond ? undefined : list.after;
  const question = {
    sortBy,
    order: descending ? 'desc' : 'asc',
    settledBeforeMs: list.settledBeforeMs,
    limit,
    ...(tag === undefined ? {} : { tag }),
    ...(seriesSlug === undefined ? {} : { seriesSlug }),
    ...(after === undefined ? {} : { after: { key: after[0], eventId: after[1] } }),
  } as const;
  const answer = await askAsOf(source, 'settledEvents', { question, neededMs: leftMs(source) });
  const events = measured(() => answer.map(settledEventOf), source.spend);
  past.list = { events, isEnd: answer.length < limit };
}

/** Loads the trades of a period, preceded by the last row before it. */
async function pastRows(
  { history }: Pick<PastSource, 'history'>,
  bars: PastBars,
): Promise<PastRows> {
  const { endMs, instrumentId, stepMs } = bars;
  const rows: CandleRow[] = [];
  for (let { startMs } = bars; startMs <= endMs;) {
    const withPrevious = rows.length === 0;
    const question = { instrumentId, stepMs, startMs, endMs, limit: BARS_AT_ONCE, withPrevious };
    // A bar is stored only once it has ended.
    const answer = await askAsOf({ history }, 'bars', { question, neededMs: endMs + stepMs });
    for (const { close, high, low, lots, open, startMs: atMs, trades } of answer) {
      rows.push([atMs, open, high, low, close, lots, trades]);
    }
    const last = answer.at(-1);
    if (last === undefined || answer.length < BARS_AT_ONCE) break;
    startMs = last.startMs + stepMs;
  }
  return { stepMs, rows };
}

export type CandleContext = Pick<InfoContext, 'state' | 'markets'> & { readonly history: History };

/**
 * Returns candles of any age, at most the latest 5,000 in a period. Candles that are not in memory
 * are loaded from the history.
 */
export async function candlesBetween(
  context: CandleContext,
  query: CandleQuery,
): Promise<InfoAnswer<Candle[]>> {
  const past = emptyPast();
  const bars = missingBars(context, query);
  if (bars !== undefined) {
    past.bars.set(bars.instrumentId, await pastRows(context, bars));
  }
  return candlesOf({ ...context, past }, query);
}
