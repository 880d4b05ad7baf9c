import type { Authority, Command } from '@oddlot/engine';
import { type Address, hash } from '@oddlot/units';
import type { ControlledVenue } from '../controlled-venue.ts';
import type { BookOrder, CrowdOrder, ReplayedMarket } from './replayed-market.ts';

/**
 * The balance of each crowd account in micro-USDC, larger than the volume of any recording. The
 * crowd is the set of accounts that replay recorded orders and trades.
 */
const MONEY_MICRO_USDC = 4_000_000_000_000_000;
const ORDERS_PER_ACTION = 50;

/** An account that trades the recorded volume. */
type Counterparty = { readonly address: Address; lastNonce: number };

/**
 * Rejections expected for crowd orders: the order would match one of the bot's, or its price is
 * outside the limits.
 */
const EXPECTED: ReadonlySet<string> = new Set([
  'postOnlyWouldTrade',
  'priceTooFar',
  'orderUnknown',
]);

/**
 * Accounts that place the recorded orders and trades. Their commands enter the log directly,
 * without signatures, because signing would take most of the time. The engine executes them like
 * any others.
 */
export class Crowd {
  readonly #venue: ControlledVenue;
  readonly #market: ReplayedMarket;
  readonly #addressOf: (name: string) => Address;
  readonly #name: string;
  readonly #members: Counterparty[] = [];
  #sent = 0;

  constructor(
    name: string,
    options: {
      readonly venue: ControlledVenue;
      readonly market: ReplayedMarket;
      /** Derives an address from the seed and a name. */
      readonly addressOf: (name: string) => Address;
    },
  ) {
    this.#name = name;
    this.#venue = options.venue;
    this.#market = options.market;
    this.#addressOf = options.addressOf;
  }

  get members(): readonly Counterparty[] {
    return this.#members;
  }

  /** Adds a funded account that is ready to trade. */
  async join(): Promise<Counterparty> {
    const account = this.#addressOf(`${this.#name} ${this.#members.length}`);
    const member = { address: account, lastNonce: 0 };
    const { subAccount } = this.#market;
    const money = { subAccount, amountMicroUsdc: MONEY_MICRO_USDC };
    await this.#venue.execute([{ type: 'creditFaucet', account, ...money }]);
    const first = this.#market.prepare(this.#authority(member));
    if (first.length > 0) await this.#venue.execute(first);
    this.#members.push(member);
    return member;
  }

  /** Returns the account with the most remaining capacity to buy or to sell. */
  async withRoom(isBuy: boolean): Promise<Counterparty> {
    const sign = isBuy ? 1 : -1;
    const { state } = this.#venue;
    const [best] = this.#members
      .map((member) => ({ member, held: sign * this.#market.heldBy(state, member.address) }))
      .sort((a, b) => a.held - b.held);
    return best === undefined || best.held > this.#market.roomMax ? this.join() : best.member;
  }

  /** Returns one account's orders, in as many actions as necessary. */
  place(member: Counterparty, orders: readonly CrowdOrder[]): readonly Command[] {
    const commands: Command[] = [];
    for (let from = 0; from < orders.length; from += ORDERS_PER_ACTION) {
      const some = orders
        .slice(from, from + ORDERS_PER_ACTION)
        .map((order) => this.#market.requestOf(order));
      commands.push({ type: 'placeOrders', authority: this.#authority(member), orders: some });
    }
    return commands;
  }

  cancelAll(member: Counterparty): Command {
    return { type: 'cancelAll', authority: this.#authority(member) };
  }

  cancel(member: Counterparty, orderId: number): Command {
    const cancels = [{ instrumentId: this.#market.instrumentId, orderId }];
    return { type: 'cancelOrders', authority: this.#authority(member), cancels };
  }

  /** Reduces an order's size; the order keeps its position in the queue. */
  lower(member: Counterparty, { isBuy, orderId, price }: BookOrder, size: number): Command {
    const request = this.#market.requestOf({ isBuy, price, size, timeInForce: 'alo' });
    const authority = this.#authority(member);
    const { instrumentId } = request;
    const target = { orderId };
    return { type: 'modifyOrder', authority, instrumentId, target, price: request.price, size };
  }

  #authority(member: Counterparty): Authority {
    member.lastNonce = Math.max(member.lastNonce + 1, this.#venue.nowMs);
    this.#sent += 1;
    // The action has no signature, so a generated value is used in place of its hash.
    const name = Buffer.from(`${this.#name} ${this.#sent}`).toString('hex').padStart(64, '0');
    return { signer: member.address, nonce: member.lastNonce, txHash: hash(`0x${name}`) };
  }
}

/**
 * Executes the crowd's commands in one block. Throws if a command is rejected for an unexpected
 * reason.
 */
export async function executeCrowd(
  venue: ControlledVenue,
  commands: readonly Command[],
): Promise<void> {
  if (commands.length === 0) return;
  for (const { entries = [], reject } of await venue.execute(commands)) {
    for (const each of [reject, ...entries.map((entry) => entry.reject)]) {
      if (each === undefined || EXPECTED.has(each.reason)) continue;
      throw new Error(`the recorded market cannot be replayed: ${JSON.stringify(each)}`);
    }
  }
}

/** A price level, in the market's price units and lots. */
export type Level = { readonly price: number; readonly size: number };

/** Both sides of a book, best price first. */
export type Levels = { readonly bids: readonly Level[]; readonly asks: readonly Level[] };

/** A resting order of the crowd. */
type Standing = {
  readonly orderId: number;
  readonly isBuy: boolean;
  readonly price: number;
  readonly remaining: number;
};

type Changes<Order> = {
  readonly cancelled: readonly Order[];
  readonly lowered: readonly { readonly order: Order; readonly remaining: number }[];
  readonly missing: readonly (Level & { readonly isBuy: boolean })[];
};

/**
 * Returns the changes that turn the resting orders into the recorded book. The newest orders are
 * removed first, so that the remaining ones and the bot's orders behind them keep their queue
 * positions.
 */
export function bookChanges<Order extends Standing>(
  standing: readonly Order[],
  { asks, bids }: Levels,
): Changes<Order> {
  const wanted = new Map<string, number>();
  const keyOf = ({ isBuy, price }: { isBuy: boolean; price: number }): string =>
    `${isBuy ? 'bid' : 'ask'} ${price}`;
  const levels = [
    ...bids.map((level) => ({ ...level, isBuy: true })),
    ...asks.map((level) => ({ ...level, isBuy: false })),
  ];
  for (const level of levels) {
    wanted.set(keyOf(level), (wanted.get(keyOf(level)) ?? 0) + level.size);
  }
  const cancelled: Order[] = [];
  const lowered: { order: Order; remaining: number }[] = [];
  // The oldest order is the first to count towards a level.
  for (const order of standing.toSorted((a, b) => a.orderId - b.orderId)) {
    const left = wanted.get(keyOf(order)) ?? 0;
    const remaining = Math.min(left, order.remaining);
    if (remaining === 0) cancelled.push(order);
    else if (remaining < order.remaining) lowered.push({ order, remaining });
    wanted.set(keyOf(order), left - remaining);
  }
  const missing = levels.flatMap((level) => {
    const size = wanted.get(keyOf(level)) ?? 0;
    // A price that occurs twice in a recording is treated as one level.
    wanted.set(keyOf(level), 0);
    return size > 0 ? [{ isBuy: level.isBuy, price: level.price, size }] : [];
  });
  return { cancelled, lowered, missing };
}

type OrderInTheWay = {
  readonly orderId: number;
  readonly price: number;
  readonly remaining: number;
  /** The crowd account of the order. Undefined for one of the bot's orders. */
  readonly member: unknown;
};

type Through<Order> = {
  /** The remaining size of each crowd order that was executed. */
  readonly used: readonly { readonly order: Order; readonly remaining: number }[];
  /** The number of lots that were executed against the bot. */
  readonly reached: number;
};

/** Returns the resting orders that a taker order would match, sorted by price, then by age. */
export function tradeThrough<Order extends OrderInTheWay>(
  standing: readonly Order[],
  { isBuy, price, size }: Omit<CrowdOrder, 'timeInForce'>,
): Through<Order> {
  const sign = isBuy ? 1 : -1;
  const inTheWay = standing
    .filter((order) => sign * order.price <= sign * price)
    .sort((a, b) => sign * (a.price - b.price) || a.orderId - b.orderId);
  const used: { order: Order; remaining: number }[] = [];
  let left = size;
  let reached = 0;
  for (const order of inTheWay) {
    const taken = Math.min(left, order.remaining);
    if (taken === 0) break;
    if (order.member === undefined) reached += taken;
    else used.push({ order, remaining: order.remaining - taken });
    left -= taken;
  }
  return { used, reached };
}
