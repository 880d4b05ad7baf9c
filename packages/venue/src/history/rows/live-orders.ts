import { waitingSince, type OrderUpdated, type State } from '@oddlot/engine';
import { present, timeMs, type Address, type TimeMs } from '@oddlot/units';
import type { AppliedBlock } from '../../block/applied-block.ts';
import { formatAveragePrice, formatSize } from '../../translate/format.ts';
import type { EarningRecord, OrderRecord } from './block-rows.ts';
import { isNamed, namedInstrument } from './instrument-names.ts';
import { OrderFamilies } from './order-families.ts';
import { histOrder, orderRecord } from './order-rows.ts';
import {
  addFill,
  dumpSums,
  emptySums,
  restoreSums,
  type OrderSums,
  type SumsDump,
} from './order-sums.ts';
import { tradedSides, type TradedSide } from './traded-sides.ts';

/**
 * What is to be remembered of live orders so that their next row can be made: the sums of their
 * fills, the children that came with them, and when those that wait, or waited, for the mark were
 * placed. An order without any of it is not in here, and none is once it has ended.
 */
export class LiveOrders {
  readonly #sums = new Map<number, OrderSums>();
  /** The parents of children that are shown with them: one that has fired does not name its own. */
  readonly #parents = new Map<number, number>();
  readonly #placedMs = new Map<number, TimeMs>();
  /** The last rows of parents whose children live, those included that have ended themselves. */
  readonly #families = new OrderFamilies();

  /** The rows of a block: an order that changed has one, as it is after the block. */
  take(
    state: State,
    block: AppliedBlock,
  ): {
    readonly orders: OrderRecord[];
    readonly retold: OrderRecord[];
    readonly earnings: EarningRecord[];
  } {
    const earned = this.#addFills(block);
    const changed = new Map<number, OrderUpdated>();
    for (const [orderId, event] of lastUpdates(state, block)) {
      changed.set(orderId, this.#asPlaced(event));
    }
    this.#addChildren(state, changed);
    const orders = [...changed.values()].map((event) =>
      orderRecord(state, event, this.#sums.get(event.order.orderId), block.timeMs),
    );
    const earnings = [...earned.values()].map((added) => this.#earning(state, block, added));
    for (const { order, status } of changed.values()) {
      if (status !== 'open') this.#forget(order.orderId);
    }
    return { orders, retold: this.#families.take(orders), earnings };
  }

  /** What waits already where rows begin: nobody has told when it was placed. */
  begin(state: State): void {
    for (const [orderId, placedMs] of waitingSince(state)) this.#placedMs.set(orderId, placedMs);
  }

  /** An order that has fired counts as accepted from then on; its rows keep when it was placed. */
  #asPlaced(event: OrderUpdated): OrderUpdated {
    const { order } = event;
    const { acceptedMs, hasFired, orderId, trigger } = order;
    if (trigger === undefined) return event;
    const placedMs = hasFired === true ? this.#placedMs.get(orderId) : undefined;
    if (placedMs !== undefined) return { ...event, order: { ...order, acceptedMs: placedMs } };
    this.#placedMs.set(orderId, acceptedMs);
    return event;
  }

  /** Returns what the block added to builders' earnings, by order. */
  #addFills(block: AppliedBlock): Map<number, Earned> {
    const earned = new Map<number, Earned>();
    for (const side of tradedSides(block)) {
      const { account: user, builderFee, instrumentId, orderId } = side;
      addFill(this.#of(orderId), side);
      if (builderFee === undefined) continue;
      const fee = (earned.get(orderId)?.fee ?? 0n) + builderFee.amount;
      earned.set(orderId, { orderId, user, instrumentId, fee });
    }
    return earned;
  }

  /** A child is shown with its parent for as long as that lives, and in its last row. */
  #addChildren(state: State, changed: ReadonlyMap<number, OrderUpdated>): void {
    for (const event of changed.values()) {
      const { orderId } = event.order;
      const parentId = event.order.parentOrderId ?? this.#parents.get(orderId);
      if (parentId === undefined) continue;
      if (!changed.has(parentId) && !this.#sums.has(parentId)) continue;
      const child = histOrder(state, event, this.#sums.get(orderId));
      this.#of(parentId).children.set(orderId, child);
      this.#parents.set(orderId, parentId);
    }
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
    const sums = present(this.#sums.get(orderId)?.earned, 'what an order has earned its builder');
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

  /** The orders for whose sake something is remembered, for whoever checks that nothing stays behind. */
  ids(): Iterable<number> {
    const children = this.#families.liveChildren();
    return new Set([...this.#sums.keys(), ...this.#placedMs.keys(), ...children]);
  }

  dump(): LiveOrdersDump {
    return {
      orders: [...this.#sums].map(([orderId, sums]) => dumpSums(orderId, sums)),
      placed: [...this.#placedMs],
      families: this.#families.dump(),
    };
  }

  restore({ families, orders, placed }: LiveOrdersDump): void {
    this.#families.restore(families);
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
  }
}

/** Plain data. */
export type LiveOrdersDump = {
  readonly orders: readonly SumsDump[];
  /** When orders that wait, or waited, for the mark were placed. */
  readonly placed: readonly (readonly [orderId: number, placedMs: number])[];
  /** Rows of parents whose children live. */
  readonly families: readonly OrderRecord[];
};

type Earned = Pick<TradedSide, 'orderId' | 'instrumentId'> & {
  readonly user: Address;
  readonly fee: bigint;
};

/** The last update of each order, in the order in which those came. */
function lastUpdates(state: State, { result }: AppliedBlock): Map<number, OrderUpdated> {
  const changed = new Map<number, OrderUpdated>();
  for (const event of result.events) {
    if (event.type !== 'orderUpdated') continue;
    if (event.reject !== undefined && !isNamed(state, event.order.instrumentId)) continue;
    changed.delete(event.order.orderId);
    changed.set(event.order.orderId, event);
  }
  return changed;
}
