import type { EngineEvent, OrderSnapshot, OrderUpdated, TradeExecuted } from '@oddlot/engine';
import type { Address } from '@oddlot/units';
import { demand, usdc } from './finding.ts';
import { sidesOf } from './flows.ts';
import {
  hasValidMark,
  larger,
  magnitude,
  type Held,
  type Market,
  type Funds,
} from './state-copy.ts';
import type { Entry } from './venue.ts';

/**
 * R-fillable, R-tif: checks three properties of honest orders. First, an order is not cancelled for
 * lack of margin while its owner has enough margin to fill its whole remaining size. Second, a
 * post-only order is not rejected solely because of orders that cannot fill. Third, the best prices
 * behind a mark come from orders that can fill. The judge uses exact arithmetic on balances,
 * positions and order events. It covers cross accounts with one position per market.
 */

const E8 = 100_000_000n;
/** The highest maker fee. */
const MAKER_FEE_E8 = 15_000n;
const LIQUIDATION_FEE_E8 = 500_000n;
/** The maximum difference, in micro-USDC, between fees and margins that are each rounded once. */
const ROUNDING = 3n;

export type MarginFigures = {
  cancelled: number;
  /** The number of orders cancelled in a stale market, where no fill may increase exposure. */
  stale: number;
  /** The number of cancelled orders that it was possible to check. */
  judged: number;
  refused: number;
};

export class MarginJudge {
  readonly #owners: ReadonlySet<Address>;
  readonly #fund: Address;
  readonly #orders = new Map<number, OrderSnapshot>();
  readonly figures: MarginFigures = { cancelled: 0, stale: 0, judged: 0, refused: 0 };

  constructor(owners: ReadonlySet<Address>, fund: Address) {
    this.#owners = owners;
    this.#fund = fund;
  }

  judge(entry: Entry): void {
    const changes = new Changes(entry);
    let hasMarks = false;
    for (const event of entry.result.events) {
      // The venue checks every book before the first mark of the entry changes.
      if (event.type === 'markUpdated' && !hasMarks) {
        hasMarks = true;
        this.#judgeBooks(entry, changes);
      }
      if (event.type === 'orderUpdated') this.#order(entry, changes, event);
      else changes.note(event);
    }
  }

  #order(entry: Entry, changes: Changes, event: OrderUpdated): void {
    const { cancelCause, order, reject, status } = event;
    const isHonest = !this.#owners.has(order.account) && order.account !== this.#fund;
    if (isHonest && status === 'cancelled' && cancelCause === 'marginCanceled') {
      this.#judgeCancel(entry, changes, order);
    }
    if (isHonest && reject?.reason === 'postOnlyWouldTrade') {
      this.#judgeRefusal(entry, changes, order);
    }
    // A trigger order enters the book only once it has triggered.
    const isWaiting = order.trigger !== undefined && order.hasFired !== true;
    if (status === 'open' && !isWaiting) this.#orders.set(order.orderId, order);
    else this.#orders.delete(order.orderId);
  }

  #judgeCancel(entry: Entry, changes: Changes, order: OrderSnapshot): void {
    this.figures.cancelled += 1;
    if (entry.after.markets.get(order.instrumentId)?.isStale === true) this.figures.stale += 1;
    // An order that never rested is a taker order, whose remaining size is cancelled.
    if (!this.#orders.has(order.orderId)) return;
    const numbers = this.#fillOf(entry, changes, order, -ROUNDING);
    if (numbers === undefined) return;
    this.figures.judged += 1;
    // A taker may want only part of the order. At a price better than the mark, a smaller fill adds
    // less value for the same margin, and the first lot that does not reduce the position adds the
    // least. If the account can cover both this lot and the whole order, it can cover a fill of any
    // size.
    const opening = Math.min(order.remaining, Math.abs(numbers.start) + 1);
    const least = this.#fillOf(entry, changes, order, -ROUNDING, opening);
    const isCovered = numbers.isCovered && (least?.isCovered ?? true);
    demand(!isCovered, 'cancelled with margin', () => say(order, numbers));
  }

  #judgeRefusal(entry: Entry, changes: Changes, order: OrderSnapshot): void {
    this.figures.refused += 1;
    const market = entry.after.markets.get(order.instrumentId);
    // R-fillable does not apply to markets without a valid price.
    if (market === undefined || !hasValidMark(market) || market.isClosing) return;
    const crossing = [...this.#orders.values()].filter(
      (each) =>
        each.instrumentId === order.instrumentId &&
        each.isBuy !== order.isBuy &&
        (order.isBuy ? each.price <= order.price : each.price >= order.price),
    );
    const canFill = crossing.some((each) => {
      if (each.account === order.account) return true;
      return this.#fillOf(entry, changes, each, ROUNDING)?.isCovered ?? true;
    });
    demand(
      canFill || crossing.length === 0,
      'refused by a phantom',
      () =>
        `${order.account} at ${order.price} by ${crossing.map(({ account, price, remaining }) => `${remaining} lots of ${account} at ${price}`).join(', ')}`,
    );
  }

  #judgeBooks(entry: Entry, changes: Changes): void {
    const best = this.#bestOrders();
    for (const event of entry.result.events) {
      if (event.type !== 'markUpdated') continue;
      const market = entry.after.markets.get(event.instrumentId);
      if (market === undefined || !hasValidMark(market) || market.isClosing) continue;
      if (changes.markOf(market.id) === 0) continue;
      for (const isBuy of [true, false]) {
        const orders = best.get(sideOf(market.id, isBuy)) ?? [];
        // Of several orders at the best price, only the first has passed the fill test, so one
        // fillable order is enough.
        const canFill = orders.some(
          (each) => this.#fillOf(entry, changes, each, ROUNDING)?.isCovered ?? true,
        );
        const [first] = orders;
        demand(
          canFill || first === undefined,
          'mark of a phantom',
          () =>
            `${first?.remaining} lots of ${first?.account} at ${first?.price} are the best of market ${market.id}`,
        );
      }
    }
  }

  #bestOrders(): Map<string, OrderSnapshot[]> {
    const best = new Map<string, OrderSnapshot[]>();
    for (const order of this.#orders.values()) {
      const key = sideOf(order.instrumentId, order.isBuy);
      const known = best.get(key);
      const [first] = known ?? [];
      if (known === undefined || first === undefined) best.set(key, [order]);
      else if (order.price === first.price) known.push(order);
      else if (order.price > first.price === order.isBuy) best.set(key, [order]);
    }
    return best;
  }

  /**
   * R-fill-check: returns the account after a fill, or undefined if the fill cannot be checked. By
   * default, the fill is of the whole remaining size. `rounding` is the maximum rounding
   * difference.
   */
  #fillOf(
    entry: Entry,
    changes: Changes,
    order: OrderSnapshot,
    rounding: bigint,
    lots = order.remaining,
  ): Fill | undefined {
    const funds = entry.before.fundsByAccount.get(order.account);
    if (funds === undefined || funds.isHedged || changes.isUnknown(order.account)) return undefined;
    if (funds.held.some(({ isIsolated }) => isIsolated)) return undefined;
    const id = order.instrumentId;
    const signed = order.isBuy ? lots : -lots;
    const resting = this.#restingOf(order.account);
    const before = scopeOf(entry, changes, funds, resting);
    if (!order.reduceOnly) add(resting, id, order.isBuy, -lots);
    const after = scopeOf(entry, changes, funds, resting, { id, signed });
    const mark = changes.markOf(id);
    const value = BigInt(order.price) * BigInt(lots);
    const fee = (value * MAKER_FEE_E8 + E8 - 1n) / E8;
    const worth = after.worth + BigInt(signed) * BigInt(mark - order.price) - fee + rounding;
    const start = changes.sizeOf(funds, id);
    const reduces = start !== 0 && Math.abs(start + signed) + Math.abs(signed) === Math.abs(start);
    const isMarginRestricted = before.doubt > 0n && before.worth - before.doubt < before.initial;
    // A reducing fill by a margin-restricted account has additional bounds, which this judge does
    // not check.
    if (isMarginRestricted && reduces) return undefined;
    const market = entry.after.markets.get(id);
    // R-oracle-stale: no fill increases exposure without a valid price, regardless of the margin.
    if (market?.isStale === true && !reduces) return undefined;
    const isOpenCovered = worth - after.doubt >= after.initial;
    const isReduceCovered =
      reduces && worth >= 0n && worth * before.risk >= (before.worth - rounding) * after.risk;
    const isCovered = isMarginRestricted ? false : isOpenCovered || isReduceCovered;
    return { isCovered, worth, initial: after.initial, mark, start };
  }

  /** Returns an account's resting lots by market, excluding reduce-only orders. */
  #restingOf(account: Address): Resting {
    const resting: Resting = new Map();
    for (const order of this.#orders.values()) {
      if (order.account !== account || order.reduceOnly) continue;
      add(resting, order.instrumentId, order.isBuy, order.remaining);
    }
    return resting;
  }
}

function sideOf(id: number, isBuy: boolean): string {
  return `${id} ${isBuy}`;
}

type Resting = Map<number, { buys: number; sells: number }>;

type Fill = {
  readonly isCovered: boolean;
  readonly worth: bigint;
  readonly initial: bigint;
  readonly mark: number;
  readonly start: number;
};

function add(resting: Resting, id: number, isBuy: boolean, lots: number): void {
  const known = resting.get(id) ?? { buys: 0, sells: 0 };
  resting.set(id, known);
  if (isBuy) known.buys += lots;
  else known.sells += lots;
}

/** Changes caused by trades, funding and new marks in an entry, up to the event being checked. */
class Changes {
  readonly #marks = new Map<number, number>();
  readonly #sizes = new Map<string, number>();
  readonly #worth = new Map<Address, bigint>();
  readonly #unknown = new Set<Address>();

  constructor({ before }: Entry) {
    for (const { id, mark } of before.markets.values()) this.#marks.set(id, mark);
  }

  note(event: EngineEvent): void {
    switch (event.type) {
      case 'markUpdated':
        this.#marks.set(event.instrumentId, event.mark);
        break;
      case 'tradeExecuted':
        this.#trade(event);
        break;
      case 'fundingPaid':
        this.#gain(event.account, event.amount);
        break;
      case 'positionTraded':
      case 'fundSettled':
      case 'tokenSent':
      case 'faucetCredited':
      case 'settingsChanged':
        this.#unknown.add(event.account);
        break;
      default:
    }
  }

  #trade(event: TradeExecuted): void {
    const id = event.instrumentId;
    for (const { side, signed } of sidesOf(event)) {
      const key = `${side.account} ${id}`;
      this.#sizes.set(key, (this.#sizes.get(key) ?? 0) + signed);
      // Values the fill at its trade price. `worthOf` then adds the marks.
      this.#gain(side.account, -side.fee - BigInt(signed) * BigInt(event.price));
    }
  }

  #gain(account: Address, amount: bigint): void {
    this.#worth.set(account, (this.#worth.get(account) ?? 0n) + amount);
  }

  isUnknown(account: Address): boolean {
    return this.#unknown.has(account);
  }

  markOf(id: number): number {
    return this.#marks.get(id) ?? 0;
  }

  sizeOf({ address, held }: Funds, id: number): number {
    const before = held.find((each) => each.id === id)?.size ?? 0;
    return before + (this.#sizes.get(`${address} ${id}`) ?? 0);
  }

  /** Returns the account value at the current marks. */
  worthOf({ address, balance, held }: Funds, ids: Iterable<number>): bigint {
    let worth = balance + (this.#worth.get(address) ?? 0n);
    for (const { cost } of held) worth -= cost;
    for (const id of ids) {
      worth +=
        BigInt(this.sizeOf({ address, balance, held } as Funds, id)) * BigInt(this.markOf(id));
    }
    return worth;
  }
}

type Scope = {
  readonly worth: bigint;
  readonly initial: bigint;
  /** R-oracle-stale: twice the notional of positions in markets without a valid price. */
  readonly doubt: bigint;
  /** R-ratio: the maintenance margin plus the liquidation fee, in 10^-8 micro-USDC. */
  readonly risk: bigint;
};

function scopeOf(
  { after, before, judged }: Entry,
  changes: Changes,
  funds: Funds,
  resting: Resting,
  fill?: { readonly id: number; readonly signed: number },
): Scope {
  let initial = 0n;
  let doubt = 0n;
  let risk = 0n;
  for (const market of after.markets.values()) {
    const { id } = market;
    const mark = BigInt(changes.markOf(id));
    const size = changes.sizeOf(funds, id) + (fill?.id === id ? fill.signed : 0);
    const { buys, sells } = resting.get(id) ?? { buys: 0, sells: 0 };
    const exposure = Math.max(Math.abs(size + buys), Math.abs(size - sells));
    const leverage = BigInt(leverageIn(market, funds.held, exposure));
    initial += (BigInt(exposure) * mark + leverage - 1n) / leverage;
    const mmrE8 = BigInt(market.tiers[0]?.mmrE8 ?? 0);
    risk += magnitude(size) * mark * (mmrE8 + LIQUIDATION_FEE_E8);
    if (size === 0 || hasValidMark(asTested(market, before.markets.get(id)))) continue;
    doubt += 2n * magnitude(size) * larger(mark, BigInt(judged.get(id) ?? 0));
  }
  const worth = changes.worthOf(funds, after.markets.keys());
  return { worth, initial, doubt, risk };
}

/**
 * Returns the market as the fill test saw it. A settlement or a wait for a price begins only after
 * the entry's fill tests (R-delist).
 */
function asTested(after: Market, before: Market | undefined): Market {
  const isLater = after.isSettled || after.isWaiting;
  if (before === undefined || !isLater || before.isSettled || before.isWaiting) return after;
  return { ...after, isWaiting: false, isHalted: before.isHalted };
}

function leverageIn({ id, tiers }: Market, held: readonly Held[], exposure: number): number {
  const tier = tiers.find(({ maxSize }) => exposure <= maxSize) ?? tiers.at(-1);
  const own = held.find((each) => each.id === id)?.leverage;
  return Math.max(1, Math.min(own ?? 1, tier?.maxLeverage ?? 1));
}

function say(
  { account, instrumentId, isBuy, price, remaining }: OrderSnapshot,
  { initial, mark, start, worth }: Fill,
): string {
  const side = isBuy ? 'buys' : 'sells';
  return (
    `${account} ${side} ${remaining} lots of ${instrumentId} at ${price}, mark ${mark}, from ${start}: ` +
    `${usdc(worth)} after the fill, ${usdc(initial)} needed`
  );
}
