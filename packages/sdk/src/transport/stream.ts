import {
  CLIENT_LIMITS,
  CLIENT_PAGE_LIMITS,
  type DataFrame,
  FACT_CHANNELS,
  type L2Diff,
  type LedgerUpdate,
  type LevelTuple,
  type OutcomeBbosUpdate,
  type RecentTradesUpdate,
  type ResumePoint,
  type ResyncFrame,
  type StreamPlace,
  type SubscriptionFields,
  type SubscriptionResponse,
  type TickersUpdate,
  type UserFillsUpdate,
  type UserFundingsUpdate,
  type UserHistoricalOrdersUpdate,
  type UserLedgerUpdate,
} from '@oddlot/protocol';
import type { SocketError } from '../errors.ts';

/** Data of a stream, in the order of `seq` and without gaps. */
export type StreamData<Data> = {
  readonly type: 'data';
  readonly data: Data;
  /** The whole state of the stream, not a change: the first frame, and the one after a reset. */
  readonly isSnapshot: boolean;
  readonly seq: number;
  /** On channels of facts, clearinghouseState and l2Diff: the block that the data reflect. */
  readonly height: number | undefined;
};

/** What was missed is gone: forget what came before. A snapshot follows on most channels. */
export type StreamReset = {
  readonly type: 'reset';
  /** `reconnected` where nothing is numbered: something may have been missed. */
  readonly reason: ResyncFrame['data']['reason'] | 'reconnected';
};

/** What a listener is told. */
export type StreamEvent<Data> = StreamData<Data> | StreamReset;

/** Where the events of a stream go. */
export type StreamSink = {
  /** The venue has confirmed the subscription for the first time. */
  readonly ready: () => void;
  readonly event: (event: StreamEvent<unknown>) => void;
  /** The last call: the stream was refused. */
  readonly fail: (error: SocketError) => void;
  /** The last call: the client was closed. */
  readonly end: () => void;
};

/** One subscription across all connections: its place in the sequence, and who listens. */
export class Stream {
  readonly key: string;
  readonly subscription: SubscriptionFields;
  /** The venue's number for it on the present connection, when it has one. */
  sub: number | undefined;
  readonly #sinks = new Set<StreamSink>();
  #place: StreamPlace | undefined;
  #awaitsSnapshot = false;
  /** What who joins now is told first. */
  #state: unknown;
  #height: number | undefined;
  /** The process of the venue that gave the place. */
  #at = '';
  /** Of channels that tell facts, the block up to which everything is told but the frames of the last one itself. */
  #told: { readonly height: number; readonly frames: number } | undefined;
  /** Frames that come again because a block was named instead of a place. */
  #again: { readonly height: number; frames: number } | undefined;
  /** The place was lost with its process: the next subscribe names the block. */
  #isByHeight = false;

  constructor(key: string, subscription: SubscriptionFields) {
    this.key = key;
    this.subscription = subscription;
  }

  /**
   * Where a connection to a process of the venue should go on; undefined before the first answer. Places are of one process;
   * blocks are of the venue, so that facts go on behind one anywhere. A state is shown anew.
   */
  resumeAt(process: string): ResumePoint | undefined {
    // Who has not got its snapshot has nothing to go on from.
    const isWithout = this.#awaitsSnapshot && hasState(this.subscription);
    const isHere = process === this.#at && !this.#isByHeight;
    this.#at = process;
    this.#isByHeight = false;
    this.#again = undefined;
    if (isWithout) return undefined;
    if (isHere || this.#place === undefined) return this.#place;
    const told = this.#told;
    if (told === undefined) return undefined;
    // A block may have several frames, and the connection may have broken between them.
    if (told.frames === 0) return { height: told.height };
    this.#again = { ...told };
    return { height: told.height - 1 };
  }

  /** The venue has confirmed it, on this connection or an earlier one. */
  get hasStood(): boolean {
    return this.#place !== undefined;
  }

  get sinkCount(): number {
    return this.#sinks.size;
  }

  add(sink: StreamSink): void {
    this.#sinks.add(sink);
    if (this.#place !== undefined) sink.ready();
    if (this.#place === undefined || this.#state === undefined) return;
    const { seq } = this.#place;
    sink.event({ type: 'data', data: this.#state, isSnapshot: true, seq, height: this.#height });
  }

  remove(sink: StreamSink): boolean {
    return this.#sinks.delete(sink);
  }

  /** The venue took the subscription. A resume keeps its place; otherwise it begins at `seq`. */
  subscribed(data: SubscriptionResponse['data'], resumeFrom: ResumePoint | undefined): void {
    this.sub = data.sub;
    if (resumeFrom !== undefined && 'epoch' in resumeFrom) return;
    this.#place = { epoch: data.epoch, seq: data.seq };
    if (resumeFrom !== undefined) return;
    this.#awaitsSnapshot = true;
    if (isOfFacts(this.subscription) && data.fromHeight !== undefined) {
      this.#told = { height: data.fromHeight, frames: 0 };
    }
    for (const sink of Array.from(this.#sinks)) sink.ready();
  }

  /** What was missed can't be told from the place; by the block perhaps it can. */
  resync({ epoch, seq, reason }: ResyncFrame['data']): 'byHeight' | undefined {
    const isWithout = this.#awaitsSnapshot && hasState(this.subscription);
    if (reason === 'epoch' && this.#told !== undefined && !isWithout) {
      this.#isByHeight = true;
      return 'byHeight';
    }
    this.#again = undefined;
    this.#place = { epoch, seq };
    this.#awaitsSnapshot = true;
    this.#state = undefined;
    this.#tell({ type: 'reset', reason });
    return undefined;
  }

  /** Takes a data frame; false when one before it is missing. */
  receive(frame: DataFrame<unknown>): boolean {
    const place = this.#place;
    if (place === undefined) return true;
    const { seq, data, height } = frame;
    // A snapshot carries the number of the last frame that it includes.
    const isSnapshot = this.#awaitsSnapshot && seq === place.seq;
    if (seq > place.seq + 1) return false;
    if (seq <= place.seq && !isSnapshot) return true;
    this.#awaitsSnapshot = false;
    this.#place = { epoch: place.epoch, seq };
    if (this.#isAgain(height)) return true;
    this.#noteHeight(height, isSnapshot);
    this.#state = stateAfter(this.subscription, isSnapshot ? undefined : this.#state, data);
    this.#height = height;
    this.#tell({ type: 'data', data, isSnapshot, seq, height });
    return true;
  }

  /** A frame that was told before, of the block that was named. */
  #isAgain(height: number | undefined): boolean {
    const again = this.#again;
    if (again === undefined || again.frames === 0 || height !== again.height) return false;
    again.frames -= 1;
    return true;
  }

  #noteHeight(height: number | undefined, isSnapshot: boolean): void {
    if (height === undefined || !isOfFacts(this.subscription)) return;
    const { frames, height: last } = this.#told ?? { height: 0, frames: 0 };
    // A snapshot has all of its block.
    if (isSnapshot) this.#told = { height, frames: 0 };
    else this.#told = { height, frames: height === last ? frames + 1 : 1 };
  }

  fail(error: SocketError): void {
    for (const sink of this.#takeSinks()) sink.fail(error);
  }

  end(): void {
    for (const sink of this.#takeSinks()) sink.end();
  }

  #tell(event: StreamEvent<unknown>): void {
    // A copy: who joins while the others are told has the event already.
    for (const sink of Array.from(this.#sinks)) sink.event(event);
  }

  #takeSinks(): StreamSink[] {
    const sinks = [...this.#sinks];
    this.#sinks.clear();
    return sinks;
  }
}

function isOfFacts({ type }: SubscriptionFields): boolean {
  return (FACT_CHANNELS as readonly string[]).includes(type);
}

/**
 * What somebody who joins a running stream has to be told first: the state that all its frames so far
 * make together. Undefined for channels of events, where nothing is owed.
 */
export function stateAfter(
  subscription: SubscriptionFields,
  before: unknown,
  frame: unknown,
): unknown {
  const join = JOINS[subscription.type];
  if (join === undefined) return undefined;
  return before === undefined ? frame : join(before, frame, subscription);
}

/** True for channels whose first frame is what holds: without it those that follow mean little. */
function hasState({ type }: SubscriptionFields): boolean {
  return Object.hasOwn(JOINS, type);
}

type Join = (before: unknown, frame: unknown, subscription: SubscriptionFields) => unknown;

/** How a frame changes the state of its channel. */
const JOINS: Readonly<Record<string, Join>> = {
  l2Book: (_, frame) => frame,
  l2Diff: (before, frame) => {
    const [known, told] = [before as L2Diff, frame as L2Diff];
    const bids = byPrice(known.bids, told.bids);
    return { ...told, isSnapshot: true, bids, asks: byPrice(known.asks, told.asks) };
  },
  clearinghouseState: (_, frame) => frame,
  activeAssetCtx: (_, frame) => frame,
  candle: (_, frame) => frame,
  outcomeBbos: (before, frame) => {
    const { bbos } = before as OutcomeBbosUpdate;
    return { bbos: byInstrument(bbos, (frame as OutcomeBbosUpdate).bbos) };
  },
  tickers: (before, frame, { instrumentIds }) => {
    const { tickers } = before as TickersUpdate;
    const joined = byInstrument(tickers, (frame as TickersUpdate).tickers);
    // As the venue does: what is gone is shown to those who name it.
    const shown = joined.filter(({ gone }) => gone !== true || instrumentIds !== undefined);
    return { tickers: shown, isSnapshot: true };
  },
  recentTrades: (before, frame, { limit }) => {
    const { coin, trades } = before as RecentTradesUpdate;
    const max = typeof limit === 'number' ? limit : CLIENT_PAGE_LIMITS.recentTrades.default;
    const rows = newestFirst(trades, (frame as RecentTradesUpdate).trades, max);
    return { coin, isSnapshot: true, trades: rows };
  },
  userFundings: (before, frame) => {
    const { user, fundings } = before as UserFundingsUpdate;
    const rows = newestFirst(fundings, (frame as UserFundingsUpdate).fundings);
    return { user, isSnapshot: true, fundings: rows };
  },
  userFills: (before, frame) => {
    const { user, fills } = before as UserFillsUpdate;
    const rows = newestFirst(fills, (frame as UserFillsUpdate).fills);
    return { user, isSnapshot: true, fills: rows };
  },
  userHistoricalOrders: (before, frame) => {
    const { user, orderHistory: known } = before as UserHistoricalOrdersUpdate;
    const { orderHistory: told } = frame as UserHistoricalOrdersUpdate;
    const changed = new Set(told.map(({ order }) => order.oid));
    const others = known.filter(({ order }) => !changed.has(order.oid));
    return { user, isSnapshot: true, orderHistory: newestFirst(others, told) };
  },
  userNonFundingLedgerUpdates: (before, frame) => {
    const { user, nonFundingLedgerUpdates: known } = before as UserLedgerUpdate;
    const { nonFundingLedgerUpdates: told } = frame as UserLedgerUpdate;
    const isKnown = (row: LedgerUpdate) => known.some((each) => isSameWithdrawal(each, row));
    // A withdrawal keeps its place when its row comes again with another status.
    const kept = known.map((row) => told.findLast((each) => isSameWithdrawal(each, row)) ?? row);
    const rows = newestFirst(
      kept,
      told.filter((row) => !isKnown(row)),
    );
    return { user, isSnapshot: true, nonFundingLedgerUpdates: rows };
  },
};

/** The records of before with those of a frame in their places. */
function byInstrument<Item extends { readonly instrumentId: number }>(
  before: readonly Item[],
  frame: readonly Item[],
): Item[] {
  const items = new Map(before.map((item) => [item.instrumentId, item]));
  for (const item of frame) items.set(item.instrumentId, item);
  return [...items.values()];
}

/** The levels of before with those of a frame in their places; one without a size is gone. */
function byPrice(before: readonly LevelTuple[], frame: readonly LevelTuple[]): LevelTuple[] {
  const levels = new Map(before.map((level) => [level[0], level]));
  for (const level of frame) {
    if (level[1] === '0') levels.delete(level[0]);
    else levels.set(level[0], level);
  }
  return [...levels.values()];
}

function isSameWithdrawal({ delta, hash }: LedgerUpdate, other: LedgerUpdate): boolean {
  return delta.type === 'withdraw' && other.delta.type === 'withdraw' && hash === other.hash;
}

/** Lists begin with the newest row; later frames are in the order in which it happened. */
function newestFirst<Row>(
  before: readonly Row[],
  frame: readonly Row[],
  max: number = CLIENT_LIMITS.snapshotRowsMax,
): Row[] {
  return [...frame.toReversed(), ...before].slice(0, max);
}

/** Names a subscription: two that mean the same have one name. An error where the venue would refuse it. */
export type SubscriptionKey = (subscription: SubscriptionFields) => string | SocketError;

/** By its text alone, the keys in order: enough where one program writes all subscriptions alike. */
export const plainKey: SubscriptionKey = (subscription) =>
  JSON.stringify(Object.entries(subscription).sort(([a], [b]) => (a < b ? -1 : 1)));
