import { type AsOf, type History, HistoryBehindError } from '../../history/history.ts';
import { settledEventOf } from '../../history/rows/settled-event.ts';
import type { CandleRow } from '../../read-models/candles.ts';
import type { EventWithMarkets } from '../../read-models/catalogue.ts';
import {
  emptyPast,
  type Past,
  type PastBars,
  type PastList,
  type PastNeed,
  type PastRows,
} from '../../translate/info/past-need.ts';
import { type InfoContext, pastNeedOf, type StateQuery } from '../../translate/view-to-info.ts';
import { measured } from '../work-budget.ts';
import type { Spend } from './answers.ts';
import { ROWS_PER_MS } from './info-history.ts';

/** What the history says to queries that need more than memory has. */

/** A query needs events first and then perhaps their trades; an event may leave while it waits. */
const ROUNDS_MAX = 4;
/** Rows of one question; what is longer comes in several, between which others have their turn. */
const BARS_AT_ONCE = 5_000;
/** These events were settled long ago, so there is no newest block to wait for. */
const NO_WAIT = { minHeight: 0 } as const;

/** Who is asked, for whom, and the state as it is at the time. */
export type PastSource = {
  readonly history: History;
  readonly spend: Spend;
  readonly contextOf: () => InfoContext;
};

/** The context with all that a query needs, and how far the history was. */
export type ContextWithPast = { readonly context: InfoContext; readonly asOf: AsOf };

/** Asks until the query says that it needs nothing more. */
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

/** Null of an event that the history has deleted since; one that it has not seen yet is no answer. */
async function eventBySlug(
  { contextOf, history, spend }: PastSource,
  eventSlug: string,
): Promise<EventWithMarkets | null> {
  const { answer, asOf } = await history.ask('settledMarket', { eventSlug }, NO_WAIT);
  if (answer !== null) return measured(() => settledEventOf(answer), spend);
  const { markets, state } = contextOf();
  // What has left memory was settled before this.
  if (asOf.timeMs < state.timeMs - markets.catalogue.keptMs) {
    throw new HistoryBehindError(asOf, state.height);
  }
  return null;
}

async function takeList({ history, spend }: PastSource, list: PastList, past: Past): Promise<void> {
  const { descending, limit, seriesSlug, sortBy, tag } = list;
  // Where all keys are zero, they stand before or behind any place with another.
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
  const { answer } = await history.ask('settledEvents', question, NO_WAIT);
  const events = measured(() => answer.map(settledEventOf), spend);
  past.list = { events, isEnd: answer.length < limit };
}

/** Trades of the past, with the last ones before them. */
export async function pastRows(
  { history, spend }: Omit<PastSource, 'contextOf'>,
  bars: PastBars,
): Promise<PastRows> {
  const { endMs, instrumentId, stepMs } = bars;
  const rows: CandleRow[] = [];
  for (let { startMs } = bars; startMs <= endMs;) {
    const withPrevious = rows.length === 0;
    const question = { instrumentId, stepMs, startMs, endMs, limit: BARS_AT_ONCE, withPrevious };
    const { answer } = await history.ask('bars', question, NO_WAIT);
    for (const { close, high, low, lots, open, startMs: atMs, trades } of answer) {
      rows.push([atMs, open, high, low, close, lots, trades]);
    }
    const last = answer.at(-1);
    if (last === undefined || answer.length < BARS_AT_ONCE) break;
    startMs = last.startMs + stepMs;
  }
  spend(rows.length / ROWS_PER_MS);
  return { stepMs, rows };
}
