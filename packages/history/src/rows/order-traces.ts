import type { BookArrival, BookObserver, OrderUpdated, State } from '@oddlot/engine';
import type { AppliedBlock } from '@oddlot/replica/block';
import { priceDecimals } from '@oddlot/translate/format';
import { namedInstrument, type TradedSide } from './traded-sides.ts';
import {
  type ArrivalTrace,
  type BlockPlace,
  FILL_BLOCKS_MAX,
  type LaterTrace,
  MET_LEVELS_MAX,
  type MetLevel,
  type OrderEndRecord,
  type Rest,
  type TraceEnd,
} from './block-rows.ts';

type BlockTrace = {
  commandIndex: number | undefined;
  arrival: BookArrival | undefined;
  rest: Rest | undefined;
  /**
   * This field is present when the order has left the book; `ahead` is undefined if the queue ahead
   * of it is unknown.
   */
  left: { readonly ahead: number | undefined } | undefined;
  lots: number;
  notional: number;
  /** The levels that the order reached, with or without a trade, in the price units of the book. */
  met: MetLevel[];
  takenAt: Set<number> | undefined;
  hasFills: boolean;
};

type Received = BlockPlace & { readonly txHash: string };

/**
 * Follows orders in their books for execution reports. Events in the block of an order's arrival
 * are stored with that block; later events are kept in memory and in snapshots until the order
 * ends.
 */
export class OrderTraces implements BookObserver {
  readonly #block = new Map<number, BlockTrace>();
  readonly #later = new Map<number, LaterTrace>();
  readonly #decimals = new Map<number, number>();
  /** The time at which each action with queued orders was received, by transaction hash. */
  readonly #queued = new Map<string, BlockPlace & { readonly waiting: number }>();
  /** The first order id of the current block; infinite until a block is observed. */
  #firstId = Infinity;

  begins(nextOrderId: number): void {
    this.#block.clear();
    this.#firstId = nextOrderId;
  }

  enters(arrival: BookArrival): void {
    const trace = this.#of(arrival.orderId);
    trace.arrival ??= arrival;
  }

  meets(orderId: number, price: number, size: number): void {
    const trace = this.#of(orderId);
    const isNoted = trace.arrival === undefined || trace.met.length === MET_LEVELS_MAX;
    // If a fill is split, its second portion starts at the level where the first one ended.
    if (isNoted || trace.met.at(-1)?.price === price) return;
    if (trace.met === NONE_MET) trace.met = [];
    trace.met.push({ price, size });
  }

  rests(orderId: number, price: number, aheadAtStart: number | undefined): void {
    const trace = this.#of(orderId);
    trace.rest = { price, aheadAtStart };
    trace.left = undefined;
  }

  leaves(orderId: number, ahead: number | undefined): void {
    this.#of(orderId).left = { ahead };
  }

  updated({ commandIndex, order: { orderId } }: OrderUpdated): void {
    if (orderId >= this.#firstId) this.#of(orderId).commandIndex ??= commandIndex;
  }

  filled(state: State, { instrumentId, leg, orderId, price, role, size }: TradedSide): void {
    const trace = this.#of(orderId);
    trace.hasFills = true;
    if (role === 'Maker') return;
    trace.lots += size;
    trace.notional += price * size;
    if (trace.arrival === undefined) return;
    trace.takenAt ??= new Set();
    const isNo = leg === 'no';
    trace.takenAt.add(isNo ? this.#unitOf(state, instrumentId) - price : price);
  }

  /** Returns the traces to store with a block. `state` is the state after the block. */
  take(
    state: State,
    block: AppliedBlock,
    changed: ReadonlyMap<number, OrderUpdated>,
    builderFeeOf: (orderId: number) => number,
  ): { readonly arrivals: readonly ArrivalTrace[]; readonly ends: readonly OrderEndRecord[] } {
    const received = this.#received(block);
    const arrivals: ArrivalTrace[] = [];
    const ends: OrderEndRecord[] = [];
    for (const [orderId, trace] of this.#block) {
      if (orderId < this.#firstId) this.#note(orderId, trace, block);
    }
    for (const [orderId, { order, status }] of changed) {
      const isNew = orderId >= this.#firstId;
      const hasEnded = status !== 'open';
      if (!isNew && !hasEnded) continue;
      const trace = this.#block.get(orderId);
      const { instrumentId } = order;
      const szDecimals = this.#decimalsOf(state, instrumentId);
      const end = hasEnded
        ? { ahead: trace?.left?.ahead, builderFee: builderFeeOf(orderId) }
        : undefined;
      if (isNew) {
        const instrument = { instrumentId, szDecimals };
        if (trace === undefined) continue;
        arrivals.push(arrivalOf(orderId, instrument, trace, end, received.get(orderId)));
      } else if (end !== undefined) {
        ends.push({ orderId, szDecimals, trace: this.later(orderId), end });
        this.#later.delete(orderId);
      }
    }
    arrivals.sort((left, right) => left.orderId - right.orderId);
    this.#block.clear();
    this.#decimals.clear();
    return { arrivals, ends };
  }

  later(orderId: number): LaterTrace {
    return this.#later.get(orderId) ?? NOTHING;
  }

  ids(): Iterable<number> {
    return this.#later.keys();
  }

  dump(): OrderTracesDump {
    return { later: [...this.#later], queued: [...this.#queued] };
  }

  restore({ later, queued }: OrderTracesDump): void {
    for (const [orderId, trace] of later) this.#later.set(orderId, trace);
    for (const [txHash, action] of queued) this.#queued.set(txHash, action);
  }

  clear(): void {
    this.#block.clear();
    this.#later.clear();
    this.#queued.clear();
    this.#firstId = Infinity;
  }

  #of(orderId: number): BlockTrace {
    let trace = this.#block.get(orderId);
    if (trace === undefined) {
      trace = {
        commandIndex: undefined,
        arrival: undefined,
        rest: undefined,
        left: undefined,
        lots: 0,
        notional: 0,
        met: NONE_MET,
        takenAt: undefined,
        hasFills: false,
      };
      this.#block.set(orderId, trace);
    }
    return trace;
  }

  /** The result is cached during a block, because finding an outcome market requires a search. */
  #decimalsOf(state: State, instrumentId: number): number {
    let szDecimals = this.#decimals.get(instrumentId);
    if (szDecimals === undefined) {
      ({ szDecimals } = namedInstrument(state, instrumentId).scale);
      this.#decimals.set(instrumentId, szDecimals);
    }
    return szDecimals;
  }

  /** Returns a price of 1.00 USDC in price units. */
  #unitOf(state: State, instrumentId: number): number {
    return 10 ** priceDecimals({ szDecimals: this.#decimalsOf(state, instrumentId) });
  }

  #note(orderId: number, trace: BlockTrace, { height, timeMs }: AppliedBlock): void {
    const { arrival, hasFills, lots, notional, rest } = trace;
    if (arrival === undefined && rest === undefined && !hasFills) return;
    const later = this.#later.get(orderId) ?? {};
    this.#later.set(orderId, later);
    if (arrival !== undefined) {
      later.entered ??= { height, timeMs, book: enteredBook(arrival, trace) };
    }
    if (rest !== undefined) later.rest = { ...rest, fromMs: timeMs };
    if (lots > 0) {
      const { taker = { lots: 0, notional: 0 } } = later;
      later.taker = { lots: taker.lots + lots, notional: taker.notional + notional };
    }
    if (!hasFills) return;
    later.fills ??= [];
    later.fills.push(timeMs, height);
    if (later.fills.length > 2 * FILL_BLOCKS_MAX) later.fills.splice(0, 2);
  }

  /**
   * Returns the orders that left the delay queue, with the time at which their actions were
   * received.
   */
  #received({ height, result, timeMs }: AppliedBlock): ReadonlyMap<number, Received> {
    const received = new Map<number, Received>();
    for (const event of result.events) {
      if (event.type === 'outcomeOrderQueued') {
        const { txHash } = event;
        const waiting = (this.#queued.get(txHash)?.waiting ?? 0) + 1;
        this.#queued.set(txHash, { height, timeMs, waiting });
      } else if (event.type === 'outcomeOrderReleased' && event.wasQueued) {
        const action = this.#queued.get(event.txHash);
        if (action === undefined) continue;
        const { waiting, ...place } = action;
        const { entry, txHash } = event;
        if (entry.orderId !== undefined) received.set(entry.orderId, { ...place, txHash });
        if (waiting > 1) this.#queued.set(event.txHash, { ...action, waiting: waiting - 1 });
        else this.#queued.delete(event.txHash);
      }
    }
    return received;
  }
}

/** This empty list is shared, because most orders reach no level. */
const NONE_MET: MetLevel[] = [];
const NOTHING: LaterTrace = Object.freeze({});

export type OrderTracesDump = {
  readonly later: readonly (readonly [orderId: number, trace: LaterTrace])[];
  readonly queued: readonly (readonly [
    txHash: string,
    action: BlockPlace & { readonly waiting: number },
  ])[];
};

function arrivalOf(
  orderId: number,
  { instrumentId, szDecimals }: Pick<ArrivalTrace, 'instrumentId' | 'szDecimals'>,
  trace: BlockTrace,
  ended: TraceEnd | undefined,
  from: Received | undefined,
): ArrivalTrace {
  const { arrival, commandIndex = -1, hasFills, lots, notional, rest } = trace;
  return {
    orderId,
    instrumentId,
    szDecimals,
    commandIndex,
    received: from === undefined ? undefined : { height: from.height, timeMs: from.timeMs },
    entered: arrival === undefined ? undefined : enteredBook(arrival, trace),
    rest,
    taker: lots === 0 ? undefined : { lots, notional },
    hasFills,
    ended,
    txHash: from?.txHash,
  };
}

function enteredBook(
  { bestAsk, bestBid, markHalves, oracle }: BookArrival,
  { met: reached, takenAt }: BlockTrace,
) {
  const met = takenAt === undefined ? NONE_MET : reached.filter(({ price }) => takenAt.has(price));
  return { bestBid, bestAsk, markHalves, oracle, met };
}
