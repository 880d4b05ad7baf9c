import { CLIENT_LIMITS, type OrderResult } from '@oddlot/protocol';
import type { TradingClient } from '../exchange/create-exchange.ts';
import type { OrderEntry, OrderParameters } from '../exchange/orders.ts';
import { ValidationError } from '../errors.ts';
import { limitOrder } from '../exchange/order-entries.ts';
import type { InfoClient } from '../info/create-info.ts';
import { type Instrument, onGrid, withPercent } from './instruments.ts';
import { sleep } from '../transport/backoff.ts';

/** Options for `placeOrders`. */
export type PlaceOptions = {
  readonly builder?: OrderParameters['builder'];
  /** Delays requests to keep them within the venue's rate limits. */
  readonly pacer?: Pacer | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** An order with its result, which is `undefined` while it is unknown. */
export type PlacedOrder = { readonly order: OrderEntry; readonly result: OrderResult | undefined };

/**
 * Places any number of orders. Each action includes as many orders as possible, and the actions are
 * sent one after another. Each order has its own result. If an action is rejected as a whole, the
 * error is thrown; actions already executed remain in effect.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export async function placeOrders(
  { exchange }: { readonly exchange: Pick<TradingClient, 'order'> },
  orders: readonly OrderEntry[],
  { builder, pacer, signal }: PlaceOptions = {},
): Promise<PlacedOrder[]> {
  const placed: PlacedOrder[] = [];
  for (let from = 0; from < orders.length; from += CLIENT_LIMITS.ordersMax) {
    const some = orders.slice(from, from + CLIENT_LIMITS.ordersMax);
    await waitFor(pacer, signal);
    const parameters = { orders: some, ...(builder === undefined ? {} : { builder }) };
    const reply = await exchange.order(parameters, { confirm: 'executed', signal });
    const results = reply.status === 'executed' ? reply.orders : [];
    placed.push(...some.map((order, index) => ({ order, result: results[index] })));
  }
  return placed;
}

/** A perp market order, for `marketOrder`. */
export type MarketOrder = {
  readonly instrument: Instrument;
  readonly side: 'buy' | 'sell';
  /** The size as a decimal string, a multiple of the instrument's size step. */
  readonly size: string;
  /** The maximum slippage from the current best price in percent, such as `'0.5'`. */
  readonly slippagePercent: string;
  readonly reduceOnly?: boolean | undefined;
  readonly cloid?: string | undefined;
};

/**
 * Builds an order that fills immediately or is cancelled. Its limit is the best opposite price plus
 * the slippage, rounded to the grid so that it is never worse than requested.
 *
 * @throws ValidationError when the opposite side is empty, HttpError, ApiError
 */
export async function marketOrder(
  { info }: { readonly info: InfoClient },
  { instrument, side, size, slippagePercent, reduceOnly, cloid }: MarketOrder,
): Promise<OrderEntry> {
  const { id, isOutcome, name, priceTick } = instrument;
  if (isOutcome) throw new ValidationError(`${name} is an outcome market: its orders need a price`);
  if (!/^[0-9]{1,2}(\.[0-9]+)?$/.test(slippagePercent)) {
    throw new ValidationError(
      `Invalid slippage: ${slippagePercent}. Use a percentage from 0 to 100`,
    );
  }
  const { levels } = await info.l2Book({ coin: String(id) });
  const best = levels[side === 'buy' ? 1 : 0][0]?.px;
  if (best === undefined) {
    throw new ValidationError(`There are no ${side === 'buy' ? 'asks' : 'bids'} on ${name}`);
  }
  const bound = withPercent(best, side === 'buy' ? slippagePercent : `-${slippagePercent}`);
  const price = onGrid(bound, priceTick, side === 'buy' ? 'down' : 'up');
  return limitOrder({ asset: id, side, price, size, tif: 'Ioc', reduceOnly, cloid });
}

/**
 * Returns a random client order id of 16 bytes. Store it before you send the order: after a crash,
 * you can use it to find the order in `frontendOpenOrders` and in the fills, and cancel it with
 * `cancelByCloid`.
 */
export function newCloid(): `0x${string}` {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** The number of requests that the venue accepts within a window. */
type Budget = { readonly limit: number; readonly windowMs: number };

/**
 * Delays requests to keep them within the venue's rate limits. It queries the limits on first use,
 * and leaves part of them for other clients at the same address.
 */
export class Pacer {
  readonly #ask: () => Promise<Budget>;
  readonly #now: () => number;
  #budget: Promise<Budget> | undefined;
  /** The times of the requests in the current window. */
  #sent: number[] = [];
  #queue: Promise<void> = Promise.resolve();

  constructor(
    { info }: { readonly info: Pick<InfoClient, 'rateLimit'> },
    {
      path = 'exchange',
      share = 0.8,
      now = () => performance.now(),
    }: {
      readonly path?: 'exchange' | 'info' | undefined;
      /** The fraction of the limit to use; 0.8 by default. */
      readonly share?: number | undefined;
      readonly now?: (() => number) | undefined;
    } = {},
  ) {
    this.#now = now;
    this.#ask = async () => {
      const { limit, windowMs } = (await info.rateLimit())[path];
      return { limit: Math.max(1, Math.floor(limit * share)), windowMs };
    };
  }

  /** Resolves when the next request may be sent, in call order. */
  turn(signal?: AbortSignal): Promise<void> {
    const turn = this.#queue.then(() => this.#wait(signal));
    // An aborted call does not delay the next one.
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    this.#budget ??= this.#ask().catch((error: unknown) => {
      // The limits are still unknown, so the next call must request them again.
      this.#budget = undefined;
      throw error;
    });
    const { limit, windowMs } = await this.#budget;
    for (;;) {
      const now = this.#now();
      this.#sent = this.#sent.filter((at) => at > now - windowMs);
      const oldest = this.#sent[0];
      if (oldest === undefined || this.#sent.length < limit) break;
      await sleep(Math.max(1, oldest + windowMs - now), signal);
    }
    this.#sent.push(this.#now());
  }
}

/** Waits until a request may be sent, if there is a pacer. */
async function waitFor(pacer: Pacer | undefined, signal?: AbortSignal): Promise<void> {
  await pacer?.turn(signal);
}
