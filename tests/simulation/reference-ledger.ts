import type {
  Command,
  EngineEvent,
  LiquidationStep,
  OrderSnapshot,
  TradeExecuted,
  TradeSide,
} from '@oddlot/engine';
import { isCut, isFollowed, isSettlementMark } from './event-kinds.ts';
import { type Book, part, type Position, ReferenceBooks } from './reference-books.ts';
import {
  abs,
  bankruptcyOf,
  ceilDiv,
  isAtRisk,
  leverageFor,
  max,
  min,
  ONE_E8,
} from './reference-margin.ts';
import { lossOf, ReferenceOrders, same } from './reference-orders.ts';
import { endEntry, healthOf, isMarginRestricted, lossesOf, readPrices } from './reference-sight.ts';

/**
 * Follows a venue through its commands and events, and predicts every balance, position, isolated
 * margin and reserve. It recomputes from the rulebook how trades, funding, liquidation steps,
 * deleveraging, settlements and settings change money. Matching, validation, fees and funding rates
 * come from the engine.
 */

const DAY_MS = 86_400_000;

export class ReferenceLedger {
  readonly books = new ReferenceBooks();
  /** The number of funding hours in which the insurance fund had a position. */
  fundHours = 0;
  readonly #orders = new ReferenceOrders(this.books);
  #fundingLeft = 0n;
  #target: bigint | undefined;
  /** The account whose liquidation order is in the market. */
  #forced: string | undefined;
  #adl:
    | {
        readonly owner: Book;
        readonly position: Position;
        readonly price: bigint;
        readonly isSolvent: boolean;
      }
    | undefined;
  /** Margin accounts that the current step may have closed below zero. */
  readonly #ended: { readonly owner: Book; readonly position: Position | undefined }[] = [];

  follow(timeMs: number, commands: readonly Command[], engineEvents: readonly EngineEvent[]): void {
    if (timeMs <= this.books.nowMs) throw new Error('blocks are later and later');
    const events = engineEvents.filter(isFollowed);
    this.books.nowMs = timeMs;
    this.#target = undefined;
    this.#orders.endExecution();
    for (const command of commands) readPrices(this.books, command);
    const orders = new Map<number, OrderSnapshot>();
    for (const event of events) {
      if (event.type === 'orderUpdated') orders.set(event.order.orderId, event.order);
    }
    for (const [at, event] of events.entries()) {
      this.#between(event, commands, events, at);
      this.#take(event, commands, orders);
    }
    this.#endFunding();
    this.#endDeleveraging();
    this.#coverDeficits();
    if (this.books.hasFund) this.books.liftFund();
    if (this.books.hasFund) endEntry(this.books);
    this.#forced = undefined;
    this.#orders.amend = undefined;
  }

  // Applies the effects between two events that are not reported by any event.

  #between(
    event: EngineEvent,
    commands: readonly Command[],
    events: readonly EngineEvent[],
    at: number,
  ): void {
    const previous = events[at - 1];
    if (previous?.commandIndex !== event.commandIndex) {
      this.#orders.endExecution();
      this.#orders.amend = undefined;
    }
    if (event.type !== 'fundingPaid') this.#endFunding();
    const isOfDeleveraging = event.type === 'deleveraged' || this.#isRest(event);
    if (event.type === 'orderUpdated' ? !isCut(event) : !isOfDeleveraging) this.#endDeleveraging();
    const command = commands[event.commandIndex];
    if (this.#startsWork(event, command)) this.#coverDeficits();
    const needsTarget = event.type === 'tradeExecuted' || event.type === 'liquidationStep';
    const isSettlement = isSettlementMark(event, events.slice(at + 1));
    if (needsTarget || isSettlement) this.#target ??= this.books.insuranceTarget();
    // A settled market's price no longer changes.
    if (isSettlement && event.type === 'markUpdated') {
      this.books.market(event.instrumentId).isDelisted = true;
    }
    if (command?.type === 'modifyOrder' && this.#orders.amend === undefined)
      this.#orders.beginAmend(command);
  }

  /**
   * Returns true if the event shows that the venue has finished working on a margin account. The
   * event may be another account's step, a trade by the fund, or an order.
   */
  #startsWork(event: EngineEvent, command: Command | undefined): boolean {
    if (event.type === 'liquidationStep') return true;
    if (event.type !== 'tradeExecuted' || this.#forced !== undefined) return false;
    return (
      command !== undefined || event.taker.account === this.books.parameters.insuranceFundAddress
    );
  }

  #endFunding(): void {
    if (this.#fundingLeft > 0n) this.books.fund.balance += this.#fundingLeft;
    this.#fundingLeft = 0n;
  }

  /** Returns true if the event transfers to the fund the size that no account took. */
  #isRest(event: EngineEvent): boolean {
    const isLeft = this.#adl !== undefined && this.#adl.position.size !== 0n;
    return isLeft && event.type === 'liquidationStep' && event.step === 'insurance';
  }

  #endDeleveraging(): void {
    if (this.#adl === undefined) return;
    const { isSolvent, owner, position } = this.#adl;
    this.#adl = undefined;
    // A solvent account's remaining size is left to the next entry.
    if (position.size !== 0n && isSolvent) return;
    same('what is left untold', position.size, 0n);
    this.#endTakeOver(owner, position);
  }

  /**
   * Transfers a margin account's remaining money to the fund after its last position has been taken
   * over.
   */
  #endTakeOver(owner: Book, position: Position): void {
    const { isIsolated } = this.books.mode(owner, position);
    if (isIsolated) {
      this.#ended.push({ owner, position });
      const paid = this.books.paidOut;
      this.books.paidOut = 0n;
      owner.balance -= paid;
      this.books.fund.balance += paid;
      return;
    }
    const isEmpty = this.books.legs(owner).every(({ leg }) => leg.isIsolated || leg.size === 0n);
    if (!isEmpty) return;
    this.#ended.push({ owner, position: undefined });
    if (owner.balance <= 0n) return;
    this.books.fund.balance += owner.balance;
    owner.balance = 0n;
  }

  /**
   * R-deficit: the fund pays first, then the treasury. Any remainder takes the fund's value below
   * zero.
   */
  #coverDeficits(): void {
    for (const { owner, position } of this.#ended.splice(0))
      this.books.coverDeficit(owner, position);
  }

  #take(
    event: EngineEvent,
    commands: readonly Command[],
    orders: ReadonlyMap<number, OrderSnapshot>,
  ): void {
    const command = commands[event.commandIndex];
    switch (event.type) {
      case 'accountCreated':
        if (command?.type === 'genesis') this.books.parameters = command.parameters;
        this.books.open(event.account);
        break;
      case 'faucetCredited':
      case 'depositCredited':
        this.books.deposited += event.amount;
        this.books.book(event.account).balance += event.amount;
        break;
      case 'perpRegistered':
        if (command?.type === 'registerPerp') this.books.list(event.instrumentId, command.perp);
        break;
      case 'perpChanged':
        if (command?.type === 'setPerp') {
          this.books.redefine(event.instrumentId, command.changes);
          const market = this.books.market(event.instrumentId);
          market.isHalted = command.halted ?? market.isHalted;
        }
        break;
      case 'feeTiersChanged':
        if (command?.type === 'setFeeTiers') {
          this.books.parameters = { ...this.books.parameters, feeTiers: command.tiers };
        }
        break;
      case 'markUpdated':
        this.books.market(event.instrumentId).mark = BigInt(event.mark);
        break;
      case 'settingsChanged':
        this.books.changeSettings(event.account, command);
        break;
      case 'orderUpdated':
        this.#orderUpdated(event);
        break;
      case 'tradeExecuted':
        this.#trade(event, orders);
        break;
      case 'fundingPaid': {
        const owner = this.books.book(event.account);
        const position = this.books.signed(owner, event.instrumentId, event.size);
        same('the size that funding is about', BigInt(event.size), position.size);
        const due = this.books.fundingOf(owner, position, event.dueMs, BigInt(event.rateE10));
        same('the funding of an hour', event.amount as bigint, due);
        if (owner === this.books.fund) this.fundHours += 1;
        if (this.books.mode(owner, position).isIsolated) position.margin += event.amount;
        else owner.balance += event.amount;
        const paid: bigint = -event.amount;
        if (paid > 0n) position.funded = { paid, size: position.size };
        this.#fundingLeft -= event.amount;
        break;
      }
      case 'liquidationStep':
        this.#step(event);
        break;
      case 'deleveraged':
        this.#deleverage(event.account, event.size, event.realised);
        break;
      case 'perpSettled': {
        const market = this.books.market(event.instrumentId);
        same('the mark of the settlement', BigInt(event.price), market.mark);
        market.isDelisted = true;
        break;
      }
      case 'positionSettled': {
        const owner = this.books.book(event.account);
        const position = this.books.signed(owner, event.instrumentId, event.size);
        same('the size that is settled', BigInt(event.size), position.size);
        const { isIsolated } = this.books.mode(owner, position);
        const realised = this.books.tradeOff(owner, position, -position.size, BigInt(event.price));
        same('what a settlement realises', event.realised, realised);
        if (isIsolated) this.books.coverDeficit(owner, position);
        else this.#ended.push({ owner, position: undefined });
        break;
      }
      default:
        break;
    }
  }

  #orderUpdated(event: Extract<EngineEvent, { type: 'orderUpdated' }>): void {
    const isTaker = this.#orders.order(event);
    if (!isTaker || this.#forced !== event.order.account) return;
    // The venue's own order has ended, possibly together with the last position of a margin
    // account.
    this.#forced = undefined;
    const owner = this.books.book(event.order.account);
    this.#ended.push({ owner, position: undefined });
    for (const { position } of this.books.legs(owner)) this.#ended.push({ owner, position });
  }

  #trade(event: TradeExecuted, orders: ReadonlyMap<number, OrderSnapshot>): void {
    const { maker, price, size, taker, takerIsBuy } = event;
    const makerOrder = this.books.resting.get(maker.orderId);
    if (makerOrder === undefined) throw new Error('a maker that does not rest');
    const takerSnapshot = orders.get(taker.orderId);
    if (takerSnapshot === undefined) throw new Error('a taker without a snapshot');
    const owner = this.books.book(taker.account);
    const position = this.books.ofOrder(owner, takerSnapshot);
    const amended = this.books.resting.get(taker.orderId);
    if (amended !== undefined) this.#orders.drop(taker.orderId, amended);
    this.#orders.note(owner, position);
    this.#orders.note(makerOrder.owner, makerOrder.position);
    makerOrder.remaining -= BigInt(size);
    makerOrder.filled += BigInt(size);
    const isForced = this.#forced === taker.account;
    const signed = BigInt(takerIsBuy ? size : -size);
    const feeTo = isForced ? 'fund' : 'treasury';
    this.#orders.used += this.#fill(owner, position, taker, signed, BigInt(price), feeTo);
    const opened = this.#fill(
      makerOrder.owner,
      makerOrder.position,
      maker,
      -signed,
      BigInt(price),
      'treasury',
    );
    const fromReserve = min(opened, makerOrder.reserve);
    makerOrder.reserve -= fromReserve;
    makerOrder.owner.balance += fromReserve;
    if (isForced) return;
    const day = Math.floor(this.books.nowMs / DAY_MS);
    for (const side of [owner, makerOrder.owner]) {
      side.volume.set(day, (side.volume.get(day) ?? 0n) + BigInt(price * size));
    }
  }

  /**
   * Applies one side of a fill. Returns the amount, including its fee, that opening an isolated
   * position moved out of the balance.
   */
  #fill(
    owner: Book,
    position: Position,
    side: TradeSide,
    signed: bigint,
    price: bigint,
    feeTo: 'fund' | 'treasury',
  ): bigint {
    const { isIsolated, leverage } = this.books.mode(owner, position);
    const { market } = position;
    same('the position before a trade', BigInt(side.startPosition), position.size);
    same('the margin mode of a trade', side.marginMode, isIsolated ? 'isolated' : 'cross');
    same('the leverage of a trade', BigInt(side.leverage), leverage);
    const fee: bigint = side.fee;
    const held = abs(position.size);
    const isClosing = position.size !== 0n && position.size > 0n !== signed > 0n;
    const closed = isClosing ? min(held, abs(signed)) : 0n;
    const opens = abs(signed) - closed;
    const released = closed === 0n ? 0n : part(position.margin, closed, held);
    const shortBefore = isIsolated ? this.#short(owner, position) : 0n;
    const realised = this.books.move(position, signed, price);
    same('what a trade realises', side.realised, realised);
    let taken = 0n;
    if (!isIsolated) {
      owner.balance += realised - fee;
    } else if (opens === 0n) {
      this.books.payOut(owner, position, released, realised - fee);
    } else {
      position.margin -= released;
      const lost = lossOf(signed > 0n, price, market.mark) * opens;
      const margin = ceilDiv(
        opens * market.mark,
        leverageFor(market, abs(position.size), leverage),
      );
      position.margin += margin + lost;
      // If the tier now allows less leverage than before, the order also adds the margin that
      // earlier fills lack.
      const further = this.#short(owner, position) - max(shortBefore, 0n);
      const more = max(further, 0n);
      position.margin += more;
      taken = margin + lost + more + fee;
      owner.balance += released + realised - taken;
    }
    this.#collect(fee, feeTo);
    return taken;
  }

  /**
   * R-isolated: returns the margin that an isolated position lacks. A negative result is a surplus.
   */
  #short(owner: Book, position: Position): bigint {
    const { market, size } = position;
    const { leverage } = this.books.mode(owner, position);
    if (size === 0n) return 0n;
    const notional = abs(size) * market.mark;
    const initial = ceilDiv(notional, leverageFor(market, abs(size), leverage));
    return initial - this.books.isolated(owner, position).equity;
  }

  /** R-treasury, R-insurance-fund, R-deficit: credits a fee to its recipient. */
  #collect(fee: bigint, to: 'fund' | 'treasury'): void {
    const { fund } = this.books;
    if (to === 'fund') {
      fund.balance += fee;
      return;
    }
    const value = this.books.cross(fund).equity;
    const missing = (this.#target ?? 0n) - value;
    const tenth = (fee * BigInt(this.books.parameters.insuranceFeeShareE8)) / ONE_E8;
    const share = value < 0n ? fee : missing <= 0n ? 0n : min(missing, tenth);
    fund.balance += share;
    this.books.treasury += fee - share;
  }

  /**
   * Checks that a liquidation record explains its step: the account was at risk with exactly the
   * recorded figures.
   */
  #step(event: LiquidationStep): void {
    const owner = this.books.book(event.account);
    const first = event.positions[0];
    if (first === undefined) throw new Error('a step is about a position');
    const position = this.books.signed(owner, first.instrumentId, first.size);
    const isIsolated = event.marginMode === 'isolated';
    const scope = healthOf(this.books, owner, isIsolated ? position : undefined);
    for (const { instrumentId, size } of event.positions) {
      same('a position of a step', BigInt(size), this.books.signed(owner, instrumentId, size).size);
    }
    same('the mark of a step', BigInt(event.mark), position.market.mark);
    same('the maintenance of a step', event.maintenance, scope.maintenance);
    same('the notional of a step', event.notional, scope.notional);
    const isPair = event.step === 'cancel' && event.price !== undefined;
    if (event.step === 'cancel' && !isPair) {
      // The cancels in this step may have released reserves after its figures were recorded.
      if (event.equity > scope.equity) throw new Error('a cancel that cost equity');
      same('a cancel of a scope at risk', isAtRisk({ ...scope, equity: event.equity }), true);
      return;
    }
    same('the equity of a step', event.equity, scope.equity);
    same('a step of a scope at risk', isAtRisk(scope) || this.#isRest(event), true);
    if (isPair) this.#closePair(owner, event);
    if (event.step === 'market') this.#forced = event.account;
    if (event.step === 'net') this.#net(owner, position, event);
    if (event.step === 'insurance' || event.step === 'adl') this.#takeOver(owner, position, event);
  }

  /**
   * R-liquidation (2b): nets the failing side against the other side at the failing side's
   * bankruptcy price.
   */
  #net(owner: Book, failing: Position, { marginMode, positions, price }: LiquidationStep): void {
    same('the margin of a netted leg', marginMode, 'isolated');
    const losses = lossesOf(this.books, owner, failing, true);
    const bankrupt = bankruptcyOf(failing, healthOf(this.books, owner, failing), losses);
    same('the price of a netting', BigInt(price ?? 0), bankrupt);
    const size = this.books.nettable(owner, failing, bankrupt);
    const other = this.books.otherLeg(owner, failing);
    if (other === undefined || size === 0n) throw new Error('netted with nothing');
    same('the other leg', BigInt(positions[1]?.size ?? 0), other.size);
    const signed = failing.size > 0n ? -size : size;
    this.books.tradeOff(owner, failing, signed, bankrupt);
    this.books.tradeOff(owner, other, -signed, bankrupt);
    for (const position of [failing, other]) this.#ended.push({ owner, position });
  }

  #closePair(owner: Book, { positions, price }: LiquidationStep): void {
    const common = BigInt(Math.min(...positions.map(({ size }) => Math.abs(size))));
    for (const { instrumentId, size } of positions) {
      const position = this.books.signed(owner, instrumentId, size);
      this.books.tradeOff(owner, position, size > 0 ? -common : common, BigInt(price ?? 0));
    }
  }

  #takeOver(owner: Book, position: Position, event: LiquidationStep): void {
    const isIsolated = event.marginMode === 'isolated';
    const scope = healthOf(this.books, owner, isIsolated ? position : undefined);
    const rest = this.#adl;
    const isSolvent = scope.equity >= 0n;
    const atMark = isSolvent && !isIsolated && isMarginRestricted(this.books, owner);
    const losses = lossesOf(this.books, owner, position, isIsolated);
    const closing = atMark ? position.market.mark : bankruptcyOf(position, scope, losses);
    const price = rest?.price ?? closing;
    same('the price of a take-over', BigInt(event.price ?? 0), price);
    if (isIsolated) same('what could be netted', this.books.nettable(owner, position, price), 0n);
    if (rest === undefined) this.books.paidOut = 0n;
    this.#adl = event.step === 'adl' ? { owner, position, price, isSolvent } : undefined;
    if (this.#adl !== undefined) return;
    this.books.giveToFund(owner, position, price);
    this.#endTakeOver(owner, position);
  }

  #deleverage(address: string, size: number, realised: bigint): void {
    if (this.#adl === undefined) throw new Error('no bankrupt position to deleverage for');
    const { owner, position, price } = this.#adl;
    const other = this.books.book(address);
    const theirs = this.books.signed(other, position.market.id, position.size > 0n ? -1 : 1);
    if (BigInt(size) > abs(theirs.size)) throw new Error('deleveraging flips a position');
    const signed = theirs.size > 0n ? -BigInt(size) : BigInt(size);
    const paidBefore = this.books.paidOut;
    same('what deleveraging realises', realised, this.books.tradeOff(other, theirs, signed, price));
    this.books.paidOut = paidBefore;
    this.books.tradeOff(owner, position, -signed, price);
  }
}
