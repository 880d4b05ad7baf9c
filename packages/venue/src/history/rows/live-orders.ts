import type { OrderUpdated, State } from '@oddlot/engine';
import { present, type Address } from '@oddlot/units';
import type { AppliedBlock } from '../../block/applied-block.ts';
import { formatAveragePrice, formatSize } from '../../translate/format.ts';
import type { EarningRecord, OrderRecord } from './block-rows.ts';
import { isNamed, namedInstrument } from './instrument-names.ts';
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
 * fills, and the children that came with them. An order without either is not in here, and none is
 * once it has ended.
 */
export class LiveOrders {
  readonly #sums = new Map<number, OrderSums>();

  /** The rows of a block: an order that changed has one, as it is after the block. */
  take(
    state: State,
    block: AppliedBlock,
  ): { readonly orders: OrderRecord[]; readonly earnings: EarningRecord[] } {
    const earned = this.#addFills(block);
    const changed = lastUpdates(state, block);
    this.#addChildren(state, changed);
    const orders = [...changed.values()].map((event) =>
      orderRecord(state, event, this.#sums.get(event.order.orderId), block.timeMs),
    );
    const earnings = [...earned.values()].map((added) => this.#earning(state, block, added));
    for (const { order, status } of changed.values()) {
      if (status !== 'open') this.#sums.delete(order.orderId);
    }
    return { orders, earnings };
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
      const { orderId, parentOrderId } = event.order;
      if (parentOrderId === undefined) continue;
      if (!changed.has(parentOrderId) && !this.#sums.has(parentOrderId)) continue;
      this.#of(parentOrderId).children.set(orderId, histOrder(state, event, undefined));
    }
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

  /** The ids that are remembered, for whoever checks that nothing stays behind. */
  ids(): Iterable<number> {
    return this.#sums.keys();
  }

  dump(): readonly SumsDump[] {
    return [...this.#sums].map(([orderId, sums]) => dumpSums(orderId, sums));
  }

  restore(rows: readonly SumsDump[]): void {
    for (const row of rows) this.#sums.set(row[0], restoreSums(row));
  }

  clear(): void {
    this.#sums.clear();
  }
}

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
