import { splitEvents } from '@oddlot/translate/read-models/block-events';
import type { BookArrival, BookObserver, OrderUpdated, State } from '@oddlot/engine';
import type { AppliedBlock } from '@oddlot/replica/block';
import { priceDecimals } from '@oddlot/translate/format';
import { present } from '@oddlot/units';
import { namedInstrument, type TradedSide } from './traded-sides.ts';
import { packedArrivals } from '../store/trace-rows.ts';
import {
  type ArrivalTrace,
  type BlockPlace,
  type EnteredBook,
  FILL_BLOCKS_MAX,
  type LaterTrace,
  MET_LEVELS_MAX,
  type MetLevel,
  type OrderEndRecord,
  type PackedArrivals,
  type Rest,
  type TakerPart,
  type TraceEnd,
} from './block-rows.ts';

/** The events of an order in one block, which become its `ArrivalTrace` if the order is new. */
class BlockTrace implements ArrivalTrace {
  orderId = 0;
  /** True if the order was changed, because other orders have no row. */
  isChanged = false;
  instrumentId = 0;
  szDecimals = 0;
  commandIndex = -1;
  received: BlockPlace | undefined;
  /** The book at the arrival; `met` contains all levels that the order reached until `finish`. */
  entered: Building<EnteredBook> | undefined;
  rest: Rest | undefined;
  taker: TakerPart | undefined;
  hasFills = false;
  ended: TraceEnd | undefined;
  txHash: string | undefined;
  /** The size ahead in the queue when the order left the book, if it is known. */
  aheadAtEnd: number | undefined;
  takenAt: number[] | undefined;

  begin(orderId: number): this {
    this.orderId = orderId;
    this.isChanged = false;
    this.commandIndex = -1;
    this.received = undefined;
    this.entered = undefined;
    this.rest = undefined;
    this.taker = undefined;
    this.hasFills = false;
    this.ended = undefined;
    this.txHash = undefined;
    this.aheadAtEnd = undefined;
    this.takenAt = undefined;
    return this;
  }

  /** Removes levels without a trade, at which the order only cancelled other orders. */
  finish(): void {
    const { entered, takenAt } = this;
    if (entered === undefined || entered.met === NONE_MET) return;
    entered.met = entered.met.filter(({ price }) => takenAt?.includes(price) === true);
  }
}

type Building<Value> = { -readonly [Key in keyof Value]: Value[Key] };

type Received = BlockPlace & { readonly txHash: string };

/**
 * Follows orders in their books for execution reports. Events in the block of an order's arrival
 * are stored with that block; later events are kept in memory and in snapshots until the order
 * ends.
 */
export class OrderTraces implements BookObserver {
  /** The new orders of the block by id, starting with its first one. The objects are reused. */
  readonly #arriving: BlockTrace[] = [];
  /** The orders of earlier blocks. */
  readonly #resting = new Map<number, BlockTrace>();
  readonly #later = new Map<number, LaterTrace>();
  readonly #decimals = new Map<number, number>();
  /** When each action with queued orders was received, by transaction hash. */
  readonly #queued = new Map<string, BlockPlace & { readonly waiting: number }>();
  /** The first order id of the current block; infinite until a block is observed. */
  #firstId = Infinity;

  begins(nextOrderId: number): void {
    this.#resting.clear();
    this.#firstId = nextOrderId;
  }

  enters(arrival: BookArrival): void {
    const trace = this.#of(arrival.orderId);
    const { bestAsk, bestBid, markHalves, oracle } = arrival;
    trace.entered ??= { bestBid, bestAsk, markHalves, oracle, met: NONE_MET };
  }

  meets(orderId: number, price: number, size: number): void {
    const { entered } = this.#of(orderId);
    if (entered === undefined || entered.met.length === MET_LEVELS_MAX) return;
    // If a fill is split, its second part starts at the level where the first ended.
    if (entered.met.at(-1)?.price === price) return;
    entered.met = [...entered.met, { price, size }];
  }

  rests(orderId: number, price: number, aheadAtStart: number | undefined): void {
    const trace = this.#of(orderId);
    trace.rest = { price, aheadAtStart };
    trace.aheadAtEnd = undefined;
  }

  leaves(orderId: number, ahead: number | undefined): void {
    this.#of(orderId).aheadAtEnd = ahead;
  }

  updated({ commandIndex, order: { orderId } }: OrderUpdated): void {
    if (orderId >= this.#firstId) this.#of(orderId).commandIndex = commandIndex;
  }

  filled(state: State, { instrumentId, leg, orderId, price, role, size }: TradedSide): void {
    const trace = this.#of(orderId);
    trace.hasFills = true;
    if (role === 'Maker') return;
    trace.taker ??= { lots: 0, notional: 0 };
    trace.taker.lots += size;
    trace.taker.notional += price * size;
    if (trace.entered === undefined) return;
    const bookPrice = leg === 'no' ? this.#unitOf(state, instrumentId) - price : price;
    trace.takenAt ??= [];
    if (trace.takenAt.at(-1) !== bookPrice) trace.takenAt.push(bookPrice);
  }

  /** Returns the traces to store with a block. `state` is the state after the block. */
  take(
    state: State,
    block: AppliedBlock,
    changed: ReadonlyMap<number, OrderUpdated>,
    builderFeeOf: (orderId: number) => number,
  ): {
    readonly arrivals: PackedArrivals | undefined;
    readonly ends: readonly OrderEndRecord[];
  } {
    const received = this.#received(block);
    const ends: OrderEndRecord[] = [];
    for (const trace of this.#resting.values()) {
      trace.finish();
      this.#note(trace, block);
    }
    let lastId = 0;
    for (const { order, status } of changed.values()) {
      const { instrumentId, orderId } = order;
      const isNew = orderId >= this.#firstId;
      const hasEnded = status !== 'open';
      if (!isNew && !hasEnded) continue;
      const trace = isNew ? this.#of(orderId) : this.#resting.get(orderId);
      const szDecimals = this.#decimalsOf(state, instrumentId);
      const end = hasEnded
        ? { ahead: trace?.aheadAtEnd, builderFee: builderFeeOf(orderId) }
        : undefined;
      if (isNew && trace !== undefined) {
        const from = received.get(orderId);
        trace.finish();
        trace.isChanged = true;
        trace.instrumentId = instrumentId;
        trace.szDecimals = szDecimals;
        trace.received = from && { height: from.height, timeMs: from.timeMs };
        trace.txHash = from?.txHash;
        trace.ended = end;
        lastId = Math.max(lastId, orderId);
      } else if (end !== undefined) {
        ends.push({ orderId, szDecimals, trace: this.later(orderId), end });
        this.#later.delete(orderId);
      }
    }
    const arrivals = this.#arrivals(lastId);
    this.#resting.clear();
    this.#decimals.clear();
    return { arrivals, ends };
  }

  /** Packs the new orders up to an id; some ids belong to orders without a row. */
  #arrivals(lastId: number): PackedArrivals | undefined {
    if (lastId < this.#firstId) return undefined;
    const traces = this.#arriving.slice(0, lastId - this.#firstId + 1);
    return packedArrivals(
      traces.filter((each, at) => each.orderId === this.#firstId + at && each.isChanged),
    );
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
    this.#arriving.length = 0;
    this.#resting.clear();
    this.#later.clear();
    this.#queued.clear();
    this.#firstId = Infinity;
  }

  #of(orderId: number): BlockTrace {
    const at = orderId - this.#firstId;
    if (at < 0) {
      let trace = this.#resting.get(orderId);
      if (trace === undefined) {
        trace = new BlockTrace().begin(orderId);
        this.#resting.set(orderId, trace);
      }
      return trace;
    }
    while (this.#arriving.length <= at) this.#arriving.push(new BlockTrace());
    const trace = present(this.#arriving[at], 'the trace of a new order');
    return trace.orderId === orderId ? trace : trace.begin(orderId);
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

  #note(
    { entered, hasFills, orderId, rest, taker }: BlockTrace,
    { height, timeMs }: AppliedBlock,
  ): void {
    if (entered === undefined && rest === undefined && !hasFills) return;
    const later = this.#later.get(orderId) ?? {};
    this.#later.set(orderId, later);
    if (entered !== undefined) later.entered ??= { height, timeMs, book: entered };
    if (rest !== undefined) later.rest = { ...rest, fromMs: timeMs };
    if (taker !== undefined && taker.lots > 0) {
      const { lots, notional } = later.taker ?? { lots: 0, notional: 0 };
      later.taker = { lots: lots + taker.lots, notional: notional + taker.notional };
    }
    if (!hasFills) return;
    later.fills ??= [];
    later.fills.push(timeMs, height);
    if (later.fills.length > 2 * FILL_BLOCKS_MAX) later.fills.splice(0, 2);
  }

  /**
   * Returns the orders that left the delay queue, with the times at which their actions were
   * received.
   */
  #received(block: AppliedBlock): ReadonlyMap<number, Received> {
    const received = new Map<number, Received>();
    const { height, timeMs } = block;
    for (const event of splitEvents(block).others) {
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

/** An empty list to share, because most orders do not reach any level. */
const NONE_MET: readonly MetLevel[] = [];
const NOTHING: LaterTrace = Object.freeze({});

export type OrderTracesDump = {
  readonly later: readonly (readonly [orderId: number, trace: LaterTrace])[];
  readonly queued: readonly (readonly [
    txHash: string,
    action: BlockPlace & { readonly waiting: number },
  ])[];
};
