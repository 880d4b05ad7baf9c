import { splitEvents } from '@oddlot/translate/read-models/block-events';
import {
  type BookObserver,
  findOrder,
  liveOrderOf,
  lotsAhead,
  type OrderSnapshot,
  type OrderUpdated,
  type State,
  waitingSince,
} from '@oddlot/engine';
import { type HistOrder, type HistOrderRow, OUTCOME_ID_MIN } from '@oddlot/protocol';
import { type Address, present, type TimeMs, timeMs } from '@oddlot/units';
import type { AppliedBlock } from '@oddlot/replica/block';
import { formatAveragePrice, formatSize } from '@oddlot/translate/format';
import {
  type AccountType,
  type BlockPlace,
  type EarningRecord,
  isLive,
  type LiveRows,
  type OrderEndRecord,
  type OrderRecord,
  type PackedArrivals,
  type UnstoredOrders,
} from './block-rows.ts';
import { OrderTraces, type OrderTracesDump } from './order-traces.ts';
import { isNamed, namedInstrument, type TradedSide, tradedSides } from './traded-sides.ts';
import {
  addChild,
  addFill,
  dumpSums,
  emptySums,
  histOrder,
  orderRecord,
  type OrderSums,
  restingRow,
  restoreSums,
  settingsCode,
  settingsOf,
  settingsOfCode,
  type SumsDump,
} from './order-rows.ts';

/**
 * Data about live orders needed for their next row: totals of fills, children, and placement times
 * of trigger orders. Orders without this data and ended orders have no entry.
 */
export class LiveOrders {
  readonly #sums = new Map<number, OrderSums>();
  /** The parent of each child, because a triggered child no longer has its parent's id. */
  readonly #parents = new Map<number, number>();
  readonly #placedMs = new Map<number, TimeMs>();
  /** The last rows of parents with live children, including parents that have ended. */
  readonly #families = new OrderFamilies();
  readonly #last = new LastChanges();
  readonly #traces = new OrderTraces();
  readonly observer: BookObserver = this.#traces;
  readonly #isReported: (user: Address) => boolean;

  constructor(isReported: (user: Address) => boolean) {
    this.#isReported = isReported;
  }

  take(
    state: State,
    block: AppliedBlock,
  ): {
    readonly orders: OrderRecord[];
    readonly updatedParents: OrderRecord[];
    readonly unstoredOrders: UnstoredOrders;
    readonly earnings: EarningRecord[];
    readonly arrivals: PackedArrivals | undefined;
    readonly ends: readonly OrderEndRecord[];
  } {
    const { height, timeMs: atMs } = block;
    const earned = this.#addFills(state, block);
    const changed = lastUpdates(state, block, this.#traces);
    for (const [orderId, event] of changed) {
      if (event.order.trigger !== undefined) changed.set(orderId, this.#asPlaced(event));
    }
    this.#addChildren(state, changed);
    const orders: OrderRecord[] = [];
    const unstored = new ChangedOrders(state, atMs);
    const place = { height, timeMs: atMs };
    let index = 0;
    for (const event of changed.values()) {
      const record = this.#change(state, event, { place, index }, unstored);
      if (record !== undefined) orders.push(record);
      index += 1;
    }
    const traces = this.#traces.take(state, block, changed, (id) => this.#builderFee(id));
    const earnings = [...earned.values()].map((added) => this.#earning(state, block, added));
    for (const { order, status } of changed.values()) {
      if (status !== 'open') this.#forget(order.orderId);
    }
    return {
      orders,
      updatedParents: this.#families.take(orders),
      unstoredOrders: unstored,
      earnings,
      ...traces,
    };
  }

  /**
   * Records a change, and returns the row if it must be reported or stored. For a live order
   * without a subscriber, no row is returned, because one can be built on demand.
   */
  #change(
    state: State,
    event: OrderUpdated,
    at: Pick<LastChange, 'place' | 'index'>,
    unstored: ChangedOrders,
  ): OrderRecord | undefined {
    const { index, place } = at;
    const { account: user, instrumentId, orderId } = event.order;
    const sums = this.#sums.get(orderId);
    const recordAt = { timeMs: place.timeMs, index };
    if (event.status !== 'open') {
      this.#last.delete(user, orderId);
      const record = orderRecord(state, event, sums, recordAt);
      return this.#isChild(event.order) ? { ...record, isChild: true } : record;
    }
    if (this.#isPlain(event.order, sums)) {
      const settings = settingsCode(settingsOf(state, event.order));
      this.#last.set(user, orderId, { place, index, instrumentId, settings, record: undefined });
      if (this.#isReported(user)) return orderRecord(state, event, sums, recordAt);
      unstored.add(event.order, { index, settings, sums });
      return undefined;
    }
    const record = orderRecord(state, event, sums, recordAt);
    this.#last.set(user, orderId, { place, index, instrumentId, settings: 0, record });
    return record;
  }

  /**
   * Returns true for a resting order without parent or children, whose row changes only through its
   * own events.
   */
  #isPlain(order: OrderSnapshot, sums: OrderSums | undefined): boolean {
    const { hasFired, isTriggered, trigger } = order;
    if (trigger !== undefined || hasFired === true || isTriggered === true) return false;
    return (sums === undefined || sums.children.size === 0) && !this.#isChild(order);
  }

  #isChild({ orderId, parentOrderId }: OrderSnapshot): boolean {
    if (parentOrderId !== undefined || this.#parents.has(orderId)) return true;
    return this.#families.isChild(orderId);
  }

  rows(state: () => State): LiveRows {
    const rowOf = (orderId: number, change: LastChange): HistOrderRow => {
      if (change.record !== undefined) return change.record.row;
      const order = present(findOrder(state(), orderId), 'a live order');
      const at = { timeMs: change.place.timeMs, settings: settingsOfCode(change.settings) };
      return restingRow(state(), order, this.#sums.get(orderId), at);
    };
    return {
      of: (user) =>
        [...this.#last.of(user)].map(([orderId, change]) => ({
          orderId,
          position: [change.place.timeMs, change.place.height, change.index],
          accountType: accountTypeOf(change),
          instrumentId: change.instrumentId,
          row: () => rowOf(orderId, change),
        })),
      find: (user, orderId) => {
        const change = this.#last.of(user).get(orderId);
        return change === undefined ? undefined : rowOf(orderId, change);
      },
      traceOf: (orderId) => {
        const order = findOrder(state(), orderId);
        if (order === undefined) return undefined;
        return {
          szDecimals: namedInstrument(state(), order.instrumentId).scale.szDecimals,
          trace: this.#traces.later(orderId),
          end: { ahead: lotsAhead(state(), orderId), builderFee: this.#builderFee(orderId) },
        };
      },
      withClientId: (user, clientOrderId) => liveOrderOf(state(), user, clientOrderId),
      isUnchanged: (user, orderId) =>
        !this.#last.of(user).has(orderId) && findOrder(state(), orderId) !== undefined,
    };
  }

  /** Records the placement times of trigger orders that already exist when the history begins. */
  begin(state: State): void {
    for (const [orderId, placedMs] of waitingSince(state)) this.#placedMs.set(orderId, placedMs);
  }

  /** A trigger order is accepted anew when it triggers, but its rows keep its placement time. */
  #asPlaced(event: OrderUpdated): OrderUpdated {
    const { order } = event;
    const { acceptedMs, hasFired, orderId } = order;
    const placedMs = hasFired === true ? this.#placedMs.get(orderId) : undefined;
    if (placedMs !== undefined) return { ...event, order: { ...order, acceptedMs: placedMs } };
    this.#placedMs.set(orderId, acceptedMs);
    return event;
  }

  /** Adds the fills of a block and returns what each order earned for its builder. */
  #addFills(state: State, block: AppliedBlock): Map<number, Earned> {
    const earned = new Map<number, Earned>();
    for (const side of tradedSides(block).flat()) {
      const { account: user, builderFee, instrumentId, orderId } = side;
      addFill(this.#of(orderId), side);
      this.#traces.filled(state, side);
      if (builderFee === undefined) continue;
      const fee = (earned.get(orderId)?.fee ?? 0n) + builderFee.amount;
      earned.set(orderId, { orderId, user, instrumentId, fee });
    }
    return earned;
  }

  /** A child is shown with its parent while the parent is live, and in the parent's last row. */
  #addChildren(state: State, changed: ReadonlyMap<number, OrderUpdated>): void {
    for (const event of changed.values()) {
      const { orderId } = event.order;
      const parentId = event.order.parentOrderId ?? this.#parents.get(orderId);
      if (parentId === undefined) continue;
      if (!changed.has(parentId) && !this.#sums.has(parentId)) continue;
      const child = histOrder(state, event, this.#sums.get(orderId));
      addChild(this.#of(parentId), orderId, child);
      this.#parents.set(orderId, parentId);
    }
  }

  #builderFee(orderId: number): number {
    return Number(this.#sums.get(orderId)?.earned?.fee ?? 0);
  }

  #forget(orderId: number): void {
    for (const childId of this.#sums.get(orderId)?.children.keys() ?? []) {
      this.#parents.delete(childId);
    }
    this.#sums.delete(orderId);
    this.#placedMs.delete(orderId);
  }

  #of(orderId: number): OrderSums {
    let sums = this.#sums.get(orderId);
    if (sums === undefined) {
      sums = emptySums();
      this.#sums.set(orderId, sums);
    }
    return sums;
  }

  #earning(state: State, block: AppliedBlock, added: Earned): EarningRecord {
    const { instrumentId, orderId, user } = added;
    const sums = present(this.#sums.get(orderId)?.earned, 'the builder fee earned by an order');
    const { accountType, scale, symbol } = namedInstrument(state, instrumentId);
    return {
      builder: sums.builder,
      user,
      orderId,
      instrumentId,
      instrumentName: symbol,
      accountType,
      feeTenthsBp: sums.feeTenthsBp,
      feeMicroUsdc: Number(sums.fee),
      addedFeeMicroUsdc: Number(added.fee),
      notionalMicroUsdc: Number(sums.notional),
      qty: formatSize(scale, sums.lots),
      price: formatAveragePrice(scale, sums.notional, sums.lots),
      role: sums.role,
      tradeId: sums.tradeId,
      txHash: sums.hash,
      timeMs: block.timeMs,
    };
  }

  ids(): Iterable<number> {
    const children = this.#families.liveChildren();
    return new Set([
      ...this.#sums.keys(),
      ...this.#placedMs.keys(),
      ...children,
      ...this.#last.ids(),
      ...this.#traces.ids(),
    ]);
  }

  dump(): LiveOrdersDump {
    return {
      orders: [...this.#sums].map(([orderId, sums]) => dumpSums(orderId, sums)),
      placed: [...this.#placedMs],
      families: this.#families.dump(),
      live: this.#last.dump(),
      traces: this.#traces.dump(),
    };
  }

  restore({ families, live, orders, placed, traces }: LiveOrdersDump): void {
    this.#traces.restore(traces);
    this.#families.restore(families);
    this.#last.restore(live);
    for (const row of orders) {
      const [orderId] = row;
      const sums = restoreSums(row);
      this.#sums.set(orderId, sums);
      for (const childId of sums.children.keys()) this.#parents.set(childId, orderId);
    }
    for (const [orderId, placedMs] of placed) this.#placedMs.set(orderId, timeMs(placedMs));
  }

  clear(): void {
    this.#sums.clear();
    this.#parents.clear();
    this.#placedMs.clear();
    this.#families.clear();
    this.#last.clear();
    this.#traces.clear();
  }
}

/** Keeps the orders as they were in a block, because a later one can change them. */
class ChangedOrders implements UnstoredOrders {
  readonly #state: State;
  readonly #timeMs: number;
  readonly #orders: OrderSnapshot[] = [];
  readonly #indexes: number[] = [];
  readonly #settings: number[] = [];
  /** The totals of the orders that have fills, by their position in the other lists. */
  readonly #sums = new Map<number, OrderSums>();

  constructor(state: State, atMs: number) {
    this.#state = state;
    this.#timeMs = atMs;
  }

  get length(): number {
    return this.#orders.length;
  }

  add(
    order: OrderSnapshot,
    {
      index,
      settings,
      sums,
    }: Pick<LastChange, 'index' | 'settings'> & { sums: OrderSums | undefined },
  ): void {
    if (sums !== undefined) this.#sums.set(this.#orders.length, { ...sums });
    this.#orders.push(order);
    this.#indexes.push(index);
    this.#settings.push(settings);
  }

  records(user?: string): OrderRecord[] {
    const records: OrderRecord[] = [];
    for (const [at, order] of this.#orders.entries()) {
      const { account, instrumentId, orderId } = order;
      if (user !== undefined && account !== user) continue;
      const settings = settingsOfCode(this.#settings[at] ?? 0);
      const row = restingRow(this.#state, order, this.#sums.get(at), {
        timeMs: this.#timeMs,
        settings,
      });
      const accountType = accountTypeOf(order);
      records.push({
        user: account,
        accountType,
        instrumentId,
        orderId,
        index: this.#indexes[at] ?? 0,
        row,
      });
    }
    return records;
  }
}

export type LiveOrdersDump = {
  readonly orders: readonly SumsDump[];
  readonly placed: readonly (readonly [orderId: number, placedMs: number])[];
  readonly families: readonly OrderRecord[];
  readonly live: LastChangesDump;
  readonly traces: OrderTracesDump;
};

type Earned = Pick<TradedSide, 'orderId' | 'instrumentId'> & {
  readonly user: Address;
  readonly fee: bigint;
};

function lastUpdates(
  state: State,
  block: AppliedBlock,
  traces: OrderTraces,
): Map<number, OrderUpdated> {
  const changed = new Map<number, OrderUpdated>();
  for (const event of splitEvents(block).orders) {
    if (event.reject !== undefined && !isNamed(state, event.order.instrumentId)) continue;
    if (!changed.delete(event.order.orderId)) traces.updated(event);
    changed.set(event.order.orderId, event);
  }
  return changed;
}

/**
 * The parents whose children can still change, with their last rows. A subscriber receives a parent
 * again when only a child changes. Most of these parents have ended, because TP/SL orders become
 * active when their parent fills.
 */
class OrderFamilies {
  readonly #parents = new Map<number, OrderRecord>();
  readonly #parentOf = new Map<number, number>();

  take(records: readonly OrderRecord[]): OrderRecord[] {
    const changedParents = new Map<number, OrderRecord>();
    const changed = new Set(records.map(({ orderId }) => orderId));
    for (const { orderId, row } of records) {
      const parentId = this.#parentOf.get(orderId);
      const parent = parentId === undefined ? undefined : this.#parents.get(parentId);
      if (parent === undefined || parentId === undefined || changed.has(parentId)) continue;
      const updated = withChild(parent, row.order);
      this.#keep(updated);
      changedParents.set(parentId, updated);
    }
    for (const record of records) if (record.row.order.children.length > 0) this.#keep(record);
    return [...changedParents.values()];
  }

  /** Keeps a parent and its children while any of the children is live. */
  #keep(parent: OrderRecord): void {
    const { orderId, row } = parent;
    const { children } = row.order;
    if (children.some(isLive)) {
      this.#parents.set(orderId, parent);
      for (const { oid } of children) this.#parentOf.set(oid, orderId);
      return;
    }
    this.#parents.delete(orderId);
    for (const { oid } of children) this.#parentOf.delete(oid);
  }

  isChild(orderId: number): boolean {
    return this.#parentOf.has(orderId);
  }

  liveChildren(): number[] {
    const families = [...this.#parents.values()].map(({ row }) => row.order.children);
    return families.flatMap((children) => children.filter(isLive).map(({ oid }) => oid));
  }

  dump(): readonly OrderRecord[] {
    return [...this.#parents.values()];
  }

  restore(parents: readonly OrderRecord[]): void {
    for (const parent of parents) this.#keep(parent);
  }

  clear(): void {
    this.#parents.clear();
    this.#parentOf.clear();
  }
}

function withChild(parent: OrderRecord, changed: HistOrder): OrderRecord {
  const { order } = parent.row;
  const children = order.children.map((child) => (child.oid === changed.oid ? changed : child));
  return { ...parent, row: { ...parent.row, order: { ...order, children } } };
}

function accountTypeOf({ instrumentId }: { readonly instrumentId: number }): AccountType {
  return instrumentId < OUTCOME_ID_MIN ? 'perp' : 'outcome';
}

/** The position of a live order's row, and the data for the row that the engine does not keep. */
type LastChange = {
  /** The block of the change, which its orders share because there are many of them. */
  readonly place: BlockPlace;
  readonly index: number;
  readonly instrumentId: number;
  /** The account settings at the time of the row, encoded as in `order-rows.ts`. */
  readonly settings: number;
  /** The complete row, for an order whose row cannot be built from its state. */
  readonly record: OrderRecord | undefined;
};

/**
 * The last changes of live orders by account. Their rows are not stored: an order is written only
 * once, when it has ended.
 */
class LastChanges {
  readonly #byUser = new Map<Address, Map<number, LastChange>>();

  set(user: Address, orderId: number, change: LastChange): void {
    const his = this.#byUser.get(user);
    if (his === undefined) this.#byUser.set(user, new Map([[orderId, change]]));
    else his.set(orderId, change);
  }

  delete(user: Address, orderId: number): void {
    const his = this.#byUser.get(user);
    if (his?.delete(orderId) === true && his.size === 0) this.#byUser.delete(user);
  }

  of(user: Address): ReadonlyMap<number, LastChange> {
    return this.#byUser.get(user) ?? NONE;
  }

  *ids(): Iterable<number> {
    for (const his of this.#byUser.values()) yield* his.keys();
  }

  /**
   * Numbers are stored as differences from the previous order, which are short because most ids are
   * consecutive.
   */
  dump(): LastChangesDump {
    return [...this.#byUser].map(([user, his]) => {
      const values: DumpedValue[] = [];
      let before = FIRST_CHANGE;
      for (const [orderId, change] of his) {
        const { index, instrumentId, place, record, settings } = change;
        const { height, timeMs: atMs } = place;
        values.push(orderId - before.orderId, atMs - before.timeMs, height - before.height);
        values.push(index, instrumentId, record ?? settings);
        before = { orderId, timeMs: atMs, height };
      }
      return [user, values] as const;
    });
  }

  restore(dumped: LastChangesDump): void {
    for (const [user, values] of dumped) {
      let { height, orderId, timeMs: atMs } = FIRST_CHANGE;
      for (let at = 0; at < values.length; at += VALUES_EACH) {
        orderId += Number(values[at]);
        atMs += Number(values[at + 1]);
        height += Number(values[at + 2]);
        const place = { height, timeMs: atMs };
        const index = Number(values[at + 3]);
        const last = values[at + 5];
        const record = typeof last === 'object' ? last : undefined;
        const settings = typeof last === 'number' ? last : 0;
        const instrumentId = Number(values[at + 4]);
        this.set(user, orderId, { place, index, instrumentId, settings, record });
      }
    }
  }

  clear(): void {
    this.#byUser.clear();
  }
}

const NONE: ReadonlyMap<number, LastChange> = new Map();
const FIRST_CHANGE = { orderId: 0, timeMs: 0, height: 0 };
const VALUES_EACH = 6;

type DumpedValue = number | OrderRecord;

/** Six values per order; the last is its settings or its complete row. */
type LastChangesDump = readonly (readonly [user: Address, values: readonly DumpedValue[]])[];
