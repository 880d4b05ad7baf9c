import type { Command, EngineEvent, OrderSnapshot } from '@oddlot/engine';
import type {
  Book,
  Market,
  Position,
  ReferenceBooks,
  Resting,
  Standing,
} from './reference-books.ts';
import {
  ceilDiv,
  floorDiv,
  freeOf,
  leverageFor,
  max,
  min,
  ONE_E8,
  worstExposure,
} from './reference-margin.ts';

/** The reference ledger's orders: resting orders, and the reserves of isolated orders. */

/** Reasons for cancels that occur while another order is being matched. */
const WITHIN = new Set([
  'selfTrade',
  'marginCanceled',
  'reduceOnly',
  'siblingFilled',
  'parentCanceled',
]);
const DAY_MS = 86_400_000;

export class ReferenceOrders {
  readonly #books: ReferenceBooks;
  /** The state of each position before the current order was matched. */
  readonly #before = new Map<Position, Standing>();
  /** The amount, including fees, that the current taker has moved to its isolated position. */
  used = 0n;
  /** The amend in progress, with its order's maximum reserve. */
  amend: { readonly orderId: number; readonly reserve: bigint } | undefined;

  constructor(books: ReferenceBooks) {
    this.#books = books;
  }

  /**
   * Applies an order update. Returns true if the order ended while being matched, without resting.
   */
  order(event: Extract<EngineEvent, { type: 'orderUpdated' }>): boolean {
    const { order, status } = event;
    const resting = this.#books.resting.get(order.orderId);
    const isWaiting = order.trigger !== undefined && order.hasFired !== true;
    if (status !== 'open') {
      if (resting !== undefined) this.drop(order.orderId, resting);
      const isTaker = resting === undefined && !isWaiting;
      const isApart = event.cancelCause !== undefined && !WITHIN.has(event.cancelCause);
      if (isTaker || isApart) this.endExecution();
      return isTaker;
    }
    if (isWaiting) return false;
    if (resting === undefined) this.#rest(order);
    else if (this.amend?.orderId === order.orderId) this.#restAmended(order, resting);
    else if (order.reduceOnly) resting.remaining = BigInt(order.remaining);
    else same('what is left of an order', BigInt(order.remaining), resting.remaining);
    return false;
  }

  endExecution(): void {
    this.#before.clear();
    this.used = 0n;
  }

  drop(orderId: number, { owner, position, reserve }: Resting): void {
    this.note(owner, position);
    this.#books.resting.delete(orderId);
    owner.balance += reserve;
  }

  /** Adds an order to the book. The order is either new, or was amended and then traded. */
  #rest(order: OrderSnapshot): void {
    const owner = this.#books.book(order.account);
    const position = this.#books.ofOrder(owner, order);
    const standing = this.#before.get(position) ?? this.#books.standing(owner, position);
    const isAmended = this.amend?.orderId === order.orderId;
    const full = isAmended
      ? (this.amend?.reserve ?? 0n)
      : this.#reserveFor(owner, position, standing, {
          isBuy: order.isBuy,
          reduceOnly: order.reduceOnly,
          price: BigInt(order.price),
          size: BigInt(order.original),
        });
    const reserve = max(0n, full - this.used);
    owner.balance -= reserve;
    this.#books.resting.set(order.orderId, {
      owner,
      position,
      isBuy: order.isBuy,
      reduceOnly: order.reduceOnly,
      price: BigInt(order.price),
      filled: BigInt(order.filled),
      remaining: BigInt(order.remaining),
      reserve,
    });
    this.endExecution();
  }

  /**
   * R-modify: an amend that does not trade moves the difference between the balance and the
   * reserve.
   */
  #restAmended(order: OrderSnapshot, resting: Resting): void {
    const reserve = this.amend?.reserve ?? 0n;
    resting.owner.balance -= reserve - resting.reserve;
    resting.reserve = reserve;
    resting.price = BigInt(order.price);
    resting.remaining = BigInt(order.remaining);
    this.endExecution();
  }

  /** Computes an amend's maximum reserve before the first of its events. */
  beginAmend(command: Extract<Command, { type: 'modifyOrder' }>): void {
    if (!('orderId' in command.target)) throw new Error('amends name the order');
    const { orderId } = command.target;
    const resting = this.#books.resting.get(orderId);
    if (resting === undefined) return;
    const { owner, position } = resting;
    const standing = this.#books.standing(owner, position, orderId);
    const needed = this.#reserveFor(owner, position, standing, {
      isBuy: resting.isBuy,
      reduceOnly: resting.reduceOnly,
      price: BigInt(command.price),
      size: BigInt(command.size) - resting.filled,
    });
    const free = freeOf(owner.balance, this.#books.cross(owner)) + resting.reserve;
    this.amend = { orderId, reserve: min(needed, free) };
    this.used = 0n;
  }

  /**
   * R-isolated: returns size × mark / leverage, plus the open loss and the maximum fees on the
   * opened size.
   */
  #reserveFor(
    owner: Book,
    position: Position,
    standing: Standing,
    order: {
      readonly isBuy: boolean;
      readonly reduceOnly: boolean;
      readonly price: bigint;
      readonly size: bigint;
    },
  ): bigint {
    const { isIsolated, leverage } = this.#books.mode(owner, position);
    if (!isIsolated || order.reduceOnly) return 0n;
    const { market } = position;
    const buys = standing.buys + (order.isBuy ? order.size : 0n);
    const sells = standing.sells + (order.isBuy ? 0n : order.size);
    const largest = worstExposure({ ...standing, buys, sells });
    const size = largest - worstExposure(standing);
    if (size <= 0n) return 0n;
    const rate = this.#takerRate(owner, market);
    const margin = ceilDiv(size * market.mark, leverageFor(market, largest, leverage));
    return (
      margin +
      lossOf(order.isBuy, order.price, market.mark) * size +
      feeUp(order.price * size, rate)
    );
  }

  /**
   * R-fee-tiers: returns the instrument's rate or the rate of the tier for the volume of the last
   * 14 full UTC days, whichever is lower.
   */
  #takerRate(owner: Book, market: Market): bigint {
    const today = Math.floor(this.#books.nowMs / DAY_MS);
    let volume = 0n;
    for (const [day, value] of owner.volume) if (day < today && day >= today - 14) volume += value;
    const reached = this.#books.parameters.feeTiers.filter(
      ({ minVolumeMicroUsdc }) => volume >= BigInt(minVolumeMicroUsdc),
    );
    const tier = reached.at(-1);
    return BigInt(Math.min(tier?.takerFeeE8 ?? 0, market.definition.takerFeeE8));
  }

  /** Stores a position's state before the current order is matched. */
  note(owner: Book, position: Position): void {
    if (!this.#before.has(position))
      this.#before.set(position, this.#books.standing(owner, position));
  }
}

export function lossOf(isBuy: boolean, price: bigint, mark: bigint): bigint {
  return max(0n, isBuy ? price - mark : mark - price);
}

function feeUp(value: bigint, rateE8: bigint): bigint {
  return -floorDiv(-value * rateE8, ONE_E8);
}

export function same(what: string, fromEngine: unknown, own: unknown): void {
  if (fromEngine !== own)
    throw new Error(`${what}: the engine says ${String(fromEngine)}, not ${String(own)}`);
}
