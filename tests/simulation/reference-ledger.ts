import type {
  Command,
  EngineEvent,
  LiquidationStep,
  OrderSnapshot,
  PerpDefinition,
  TradeExecuted,
  TradeSide,
  UpdateIsolatedMarginCommand,
  UpdateLeverageCommand,
  VenueParameters,
} from '@oddlot/engine';
import {
  abs,
  bankruptcyOf,
  ceilDiv,
  floorDiv,
  freeOf,
  initialFor,
  isAtRisk,
  leverageFor,
  type MarginLeg,
  type MarginTierRow,
  max,
  min,
  ONE_E8,
  type ScopeNumbers,
  scopeNumbers,
  withdrawableOf,
  worstExposure,
} from './reference-margin.ts';

/**
 * Follows a venue by its commands and events and predicts every balance, position, isolated margin
 * and reserve: what a trade, an hour of funding, a liquidation step, a deleveraging, a settlement or
 * a changed setting does to money is computed here a second time, from the rulebook. Who trades with
 * whom, and whether they may, is the engine's business; fees and funding amounts are taken as told.
 *
 * A block has to be later than the one before: orders that waited for the mark are told from those
 * that have fired by the time of their acceptance.
 */

type Market = {
  readonly id: number;
  mark: bigint;
  tiers: readonly MarginTierRow[];
  definition: PerpDefinition;
  oracleMs: number;
  isDelisted: boolean;
};

type Position = {
  readonly market: Market;
  readonly leg: 0 | 1;
  size: bigint;
  cost: bigint;
  margin: bigint;
};

type Resting = {
  readonly owner: Book;
  readonly position: Position;
  readonly isBuy: boolean;
  readonly reduceOnly: boolean;
  price: bigint;
  filled: bigint;
  remaining: bigint;
  reserve: bigint;
};

type Settings = { isIsolated: boolean; cross: bigint; isolated: [bigint, bigint] };

/** One account. */
type Book = {
  readonly address: string;
  balance: bigint;
  isHedged: boolean;
  readonly settings: Map<number, Settings>;
  readonly positions: Map<string, Position>;
  /** Notional by UTC day. */
  readonly volume: Map<number, bigint>;
};

type Standing = { size: bigint; buys: bigint; sells: bigint };

/** Causes of a cancel that are part of another order's way through the book. */
const WITHIN = new Set(['selfTrade', 'marginCanceled', 'reduceOnly', 'siblingFilled', 'parentCanceled']);
const DAY_MS = 86_400_000;

export class ReferenceLedger {
  readonly accounts = new Map<string, Book>();
  readonly markets = new Map<number, Market>();
  treasury = 0n;
  deposited = 0n;
  nowMs = 0;
  #parameters: VenueParameters | undefined;
  readonly #resting = new Map<number, Resting>();
  /** Orders that wait for the mark, and when they were accepted. */
  readonly #waiting = new Map<number, number>();
  /** Standings as they were before the order now on its way through the book. */
  readonly #before = new Map<Position, Standing>();
  /** What the taker now at work has moved into its isolated position, fees included. */
  #used = 0n;
  /** The amend now at work: what its order may hold back. */
  #amend: { readonly orderId: number; readonly reserve: bigint } | undefined;
  #fundingLeft = 0n;
  #target: bigint | undefined;
  /** The account whose liquidation order is in the market. */
  #forced: string | undefined;
  #adl: { readonly owner: Book; readonly position: Position; readonly price: bigint } | undefined;
  /** Scopes that may have ended below zero in this pass. */
  readonly #ended: { readonly owner: Book; readonly position: Position | undefined }[] = [];

  get parameters(): VenueParameters {
    if (this.#parameters === undefined) throw new Error('no genesis');
    return this.#parameters;
  }

  get fund(): Book {
    return this.#book(this.parameters.insuranceFundAddress);
  }

  follow(timeMs: number, commands: readonly Command[], events: readonly EngineEvent[]): void {
    if (timeMs <= this.nowMs) throw new Error('blocks are later and later');
    this.nowMs = timeMs;
    this.#target = undefined;
    this.#before.clear();
    for (const command of commands) this.#readPrices(command);
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
    this.#forced = undefined;
    this.#amend = undefined;
  }

  /** The account's legs as margin sees them. */
  legs(owner: Book): { position: Position; leg: MarginLeg }[] {
    return [...owner.positions.values()].map((position) => {
      const leg = { ...position, ...this.#sums(owner, position), ...this.#mode(owner, position) };
      return { position, leg };
    });
  }

  cross(owner: Book): ScopeNumbers {
    const legs = this.legs(owner).map(({ leg }) => leg);
    return this.#numbers(owner.balance, legs.filter(({ isIsolated }) => !isIsolated));
  }

  isolated(owner: Book, position: Position): ScopeNumbers {
    const { isIsolated, leverage } = this.#mode(owner, position);
    if (!isIsolated) throw new Error('not isolated');
    const alone = { ...position, isIsolated, leverage, buys: 0n, sells: 0n };
    return this.#numbers(position.margin, [alone]);
  }

  withdrawable(owner: Book): bigint {
    const isStale = this.legs(owner).some(
      ({ leg, position }) =>
        !leg.isIsolated &&
        leg.size !== 0n &&
        this.nowMs - position.market.oracleMs > this.parameters.oracleStaleMs,
    );
    return isStale ? 0n : withdrawableOf(owner.balance, this.cross(owner));
  }

  reserved(owner: Book, position: Position): bigint {
    let sum = 0n;
    for (const order of this.#resting.values()) {
      if (order.owner === owner && order.position === position) sum += order.reserve;
    }
    return sum;
  }

  /** R-conservation over everything that the ledger knows. */
  total(): bigint {
    let sum = this.treasury;
    for (const owner of this.accounts.values()) {
      sum += owner.balance;
      for (const { cost, margin } of owner.positions.values()) sum += margin - cost;
    }
    for (const { reserve } of this.#resting.values()) sum += reserve;
    return sum;
  }

  // What happens between events, and is told by none.

  #between(
    event: EngineEvent,
    commands: readonly Command[],
    events: readonly EngineEvent[],
    at: number,
  ): void {
    const previous = events[at - 1];
    if (previous?.commandIndex !== event.commandIndex) {
      this.#endExecution();
      this.#amend = undefined;
    }
    if (event.type !== 'fundingPaid') this.#endFunding();
    if (event.type !== 'orderUpdated' && event.type !== 'deleveraged') this.#endDeleveraging();
    if (event.type === 'orderUpdated' && !isCut(event)) this.#endDeleveraging();
    const command = commands[event.commandIndex];
    if (command?.type === 'setPerp' && command.delisted === true) {
      this.#settlePrice(command.instrumentId, events.slice(at));
    } else {
      if (this.#startsWork(event, command)) this.#coverDeficits();
      if (event.type === 'tradeExecuted' || event.type === 'liquidationStep') {
        this.#target ??= this.#insuranceTarget();
      }
    }
    if (command?.type === 'modifyOrder' && this.#amend === undefined) this.#beginAmend(command);
  }

  /** True for what follows the end of a scope's work: another scope's, the fund's, an order's. */
  #startsWork(event: EngineEvent, command: Command | undefined): boolean {
    if (event.type === 'liquidationStep') return true;
    if (event.type !== 'tradeExecuted' || this.#forced !== undefined) return false;
    return command !== undefined || event.taker.account === this.parameters.insuranceFundAddress;
  }

  /** R-delist: the settlement price is the mark from the first of its events on. */
  #settlePrice(id: number, events: readonly EngineEvent[]): void {
    const market = this.#market(id);
    if (market.isDelisted) return;
    market.isDelisted = true;
    const settled = events.find((each) => each.type === 'perpSettled' && each.instrumentId === id);
    if (settled?.type === 'perpSettled') market.mark = BigInt(settled.price);
  }

  #readPrices(command: Command): void {
    if (command.type !== 'pushOracle') return;
    for (const { instrumentId } of command.prices) {
      const market = this.markets.get(instrumentId);
      if (market === undefined || market.isDelisted) continue;
      const { observedMs } = command;
      if (observedMs > this.nowMs + 5_000 || observedMs < market.oracleMs) continue;
      market.oracleMs = Math.min(observedMs, this.nowMs);
    }
  }

  /** R-insurance-fund: 1% of open interest at the marks of the block. */
  #insuranceTarget(): bigint {
    let interest = 0n;
    for (const owner of this.accounts.values()) {
      for (const { market, size } of owner.positions.values()) {
        interest += max(size, 0n) * market.mark;
      }
    }
    return (interest * BigInt(this.parameters.insuranceTargetE8)) / ONE_E8;
  }

  #endFunding(): void {
    if (this.#fundingLeft > 0n) this.fund.balance += this.#fundingLeft;
    this.#fundingLeft = 0n;
  }

  /** What nobody took goes to the fund all the same; then the scope may be empty. */
  #endDeleveraging(): void {
    if (this.#adl === undefined) return;
    const { owner, position, price } = this.#adl;
    this.#adl = undefined;
    if (position.size !== 0n) this.#giveToFund(owner, position, price);
    this.#endTakeOver(owner, position);
  }

  #giveToFund(owner: Book, position: Position, price: bigint): void {
    const { size } = position;
    this.#tradeOff(owner, position, -size, price);
    this.#tradeOff(this.fund, this.#position(this.fund, position.market, 0), size, price);
  }

  /** What is left in a scope whose last position was taken over is the fund's. */
  #endTakeOver(owner: Book, position: Position): void {
    const { isIsolated } = this.#mode(owner, position);
    if (isIsolated) {
      this.#ended.push({ owner, position });
      const paid = this.#paidOut;
      this.#paidOut = 0n;
      owner.balance -= paid;
      this.fund.balance += paid;
      return;
    }
    const isEmpty = this.legs(owner).every(({ leg }) => leg.isIsolated || leg.size === 0n);
    if (!isEmpty) return;
    this.#ended.push({ owner, position: undefined });
    if (owner.balance <= 0n) return;
    this.fund.balance += owner.balance;
    owner.balance = 0n;
  }

  /** What the isolated position now taken over has paid to its owner's balance. */
  #paidOut = 0n;

  /** R-deficit: the fund, then the treasury, then the fund below zero. */
  #coverDeficits(): void {
    for (const { owner, position } of this.#ended.splice(0)) this.#coverDeficit(owner, position);
  }

  #coverDeficit(owner: Book, position: Position | undefined): void {
    if (position !== undefined) {
      if (position.size !== 0n || position.margin >= 0n) return;
      this.#pay(-position.margin);
      position.margin = 0n;
      return;
    }
    const hasPosition = this.legs(owner).some(({ leg }) => !leg.isIsolated && leg.size !== 0n);
    if (hasPosition || owner.balance >= 0n || owner === this.fund) return;
    this.#pay(-owner.balance);
    owner.balance = 0n;
  }

  #pay(missing: bigint): void {
    const { fund } = this;
    const fromFund = min(missing, max(fund.balance, 0n));
    const fromTreasury = min(missing - fromFund, this.treasury);
    this.treasury -= fromTreasury;
    fund.balance -= missing - fromTreasury;
  }

  // Events.

  #take(
    event: EngineEvent,
    commands: readonly Command[],
    orders: ReadonlyMap<number, OrderSnapshot>,
  ): void {
    const command = commands[event.commandIndex];
    switch (event.type) {
      case 'accountCreated':
        if (command?.type === 'genesis') this.#parameters = command.parameters;
        this.#open(event.account);
        break;
      case 'faucetCredited':
        this.deposited += event.amount;
        this.#book(event.account).balance += event.amount;
        break;
      case 'perpRegistered':
        if (command?.type === 'registerPerp') this.#list(event.instrumentId, command.perp);
        break;
      case 'perpChanged':
        if (command?.type === 'setPerp') this.#redefine(event.instrumentId, command.changes);
        break;
      case 'feeTiersChanged':
        if (command?.type === 'setFeeTiers') {
          this.#parameters = { ...this.parameters, feeTiers: command.tiers };
        }
        break;
      case 'markUpdated':
        this.#market(event.instrumentId).mark = BigInt(event.mark);
        break;
      case 'settingsChanged':
        this.#changeSettings(event.account, command);
        break;
      case 'orderUpdated':
        this.#order(event);
        break;
      case 'tradeExecuted':
        this.#trade(event, orders);
        break;
      case 'fundingPaid': {
        const owner = this.#book(event.account);
        const position = this.#signed(owner, event.instrumentId, event.size);
        same('the size that funding is about', BigInt(event.size), position.size);
        if (this.#mode(owner, position).isIsolated) position.margin += event.amount;
        else owner.balance += event.amount;
        this.#fundingLeft -= event.amount;
        break;
      }
      case 'liquidationStep':
        this.#step(event);
        break;
      case 'deleveraged':
        this.#deleverage(event.account, event.size, event.realised);
        break;
      case 'positionSettled': {
        const owner = this.#book(event.account);
        const position = this.#signed(owner, event.instrumentId, event.size);
        same('the size that is settled', BigInt(event.size), position.size);
        const { isIsolated } = this.#mode(owner, position);
        const realised = this.#tradeOff(owner, position, -position.size, BigInt(event.price));
        same('what a settlement realises', event.realised, realised);
        if (isIsolated) this.#coverDeficit(owner, position);
        else this.#ended.push({ owner, position: undefined });
        break;
      }
      default:
        break;
    }
  }

  #open(address: string): void {
    this.accounts.set(address, {
      address,
      balance: 0n,
      isHedged: false,
      settings: new Map(),
      positions: new Map(),
      volume: new Map(),
    });
  }

  #list(id: number, listing: unknown): void {
    const definition = listing as PerpDefinition;
    const tiers = rowsOf(definition.tiers);
    this.markets.set(id, { id, mark: 0n, tiers, definition, oracleMs: 0, isDelisted: false });
  }

  #redefine(id: number, changes: Partial<PerpDefinition>): void {
    const market = this.#market(id);
    market.definition = { ...market.definition, ...changes };
    market.tiers = rowsOf(market.definition.tiers);
  }

  #changeSettings(address: string, command: Command | undefined): void {
    const owner = this.#book(address);
    if (command?.type === 'updatePositionMode') owner.isHedged = command.mode === 'hedge';
    if (command?.type === 'updateMarginMode') {
      const settings = this.#ownSettings(owner, this.#market(command.instrumentId));
      settings.isIsolated = command.marginMode === 'isolated';
    }
    if (command?.type === 'updateLeverage') this.#changeLeverage(owner, command);
    if (command?.type === 'updateIsolatedMargin') this.#moveMargin(owner, command);
  }

  /** R-isolated: a lower leverage draws the missing margin, a higher one frees nothing. */
  #changeLeverage(owner: Book, command: UpdateLeverageCommand): void {
    const market = this.#market(command.instrumentId);
    const settings = this.#ownSettings(owner, market);
    const mode = command.marginMode ?? (settings.isIsolated ? 'isolated' : 'cross');
    const leverage = BigInt(Math.abs(command.leverage));
    if (mode === 'cross') {
      settings.cross = leverage;
      return;
    }
    const leg = owner.isHedged && command.leverage < 0 ? 1 : 0;
    if (settings.isIsolated) {
      const position = this.#position(owner, market, leg);
      const size = abs(position.size);
      const before = initialFor(market, size, settings.isolated[leg]);
      const needed = initialFor(market, size, leverage);
      const equity = position.margin + position.size * market.mark - position.cost;
      const missing = size > 0n && needed > before ? max(0n, needed - equity) : 0n;
      position.margin += missing;
      owner.balance -= missing;
    }
    if (owner.isHedged) settings.isolated[leg] = leverage;
    else settings.isolated = [leverage, leverage];
  }

  #moveMargin(owner: Book, command: UpdateIsolatedMarginCommand): void {
    const leg = owner.isHedged && !command.isBuy ? 1 : 0;
    const position = this.#position(owner, this.#market(command.instrumentId), leg);
    const amount = BigInt(command.amountMicroUsdc);
    position.margin += amount;
    owner.balance -= amount;
  }

  #order(event: Extract<EngineEvent, { type: 'orderUpdated' }>): void {
    const { order, status } = event;
    const resting = this.#resting.get(order.orderId);
    if (status !== 'open') {
      const isWaiting = this.#waiting.get(order.orderId) === order.acceptedMs;
      this.#waiting.delete(order.orderId);
      if (resting !== undefined) this.#drop(order.orderId, resting);
      const isTaker = resting === undefined && !isWaiting;
      const isApart = event.cancelCause !== undefined && !WITHIN.has(event.cancelCause);
      if (isTaker && this.#forced === order.account) {
        this.#forced = undefined;
        this.#ended.push({ owner: this.#book(order.account), position: undefined });
        for (const { position } of this.legs(this.#book(order.account))) {
          this.#ended.push({ owner: this.#book(order.account), position });
        }
      }
      if (isTaker || isApart) this.#endExecution();
      return;
    }
    if (order.trigger !== undefined && resting === undefined) {
      const since = this.#waiting.get(order.orderId) ?? order.acceptedMs;
      this.#waiting.set(order.orderId, since);
      if (since === order.acceptedMs) return;
      this.#waiting.delete(order.orderId);
    }
    if (resting === undefined) this.#rest(order);
    else if (this.#amend?.orderId === order.orderId) this.#restAmended(order, resting);
    else if (order.reduceOnly) resting.remaining = BigInt(order.remaining);
    else same('what is left of an order', BigInt(order.remaining), resting.remaining);
  }

  #endExecution(): void {
    this.#before.clear();
    this.#used = 0n;
  }

  #drop(orderId: number, { owner, position, reserve }: Resting): void {
    this.#note(owner, position);
    this.#resting.delete(orderId);
    owner.balance += reserve;
  }

  /** A new order, or an amended one after it traded, enters the book. */
  #rest(order: OrderSnapshot): void {
    const owner = this.#book(order.account);
    const position = this.#ofOrder(owner, order);
    const standing = this.#before.get(position) ?? this.#standing(owner, position);
    const isAmended = this.#amend?.orderId === order.orderId;
    const full = isAmended
      ? (this.#amend?.reserve ?? 0n)
      : this.#reserveFor(owner, position, standing, {
          isBuy: order.isBuy,
          reduceOnly: order.reduceOnly,
          price: BigInt(order.price),
          size: BigInt(order.original),
        });
    const reserve = max(0n, full - this.#used);
    owner.balance -= reserve;
    this.#resting.set(order.orderId, {
      owner,
      position,
      isBuy: order.isBuy,
      reduceOnly: order.reduceOnly,
      price: BigInt(order.price),
      filled: BigInt(order.filled),
      remaining: BigInt(order.remaining),
      reserve,
    });
    this.#endExecution();
  }

  /** R-modify without a trade: the difference moves between the balance and the reserve. */
  #restAmended(order: OrderSnapshot, resting: Resting): void {
    const reserve = this.#amend?.reserve ?? 0n;
    resting.owner.balance -= reserve - resting.reserve;
    resting.reserve = reserve;
    resting.price = BigInt(order.price);
    resting.remaining = BigInt(order.remaining);
    this.#endExecution();
  }

  /** What an amend may hold back is settled before the first of its events. */
  #beginAmend(command: Extract<Command, { type: 'modifyOrder' }>): void {
    if (!('orderId' in command.target)) throw new Error('amends name the order');
    const { orderId } = command.target;
    const resting = this.#resting.get(orderId);
    if (resting === undefined) return;
    const { owner, position } = resting;
    const standing = this.#standing(owner, position, orderId);
    const needed = this.#reserveFor(owner, position, standing, {
      isBuy: resting.isBuy,
      reduceOnly: resting.reduceOnly,
      price: BigInt(command.price),
      size: BigInt(command.size) - resting.filled,
    });
    const free = freeOf(owner.balance, this.cross(owner)) + resting.reserve;
    this.#amend = { orderId, reserve: min(needed, free) };
    this.#used = 0n;
  }

  /** R-isolated: size × mark / leverage, open loss and worst-case fees of what it opens. */
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
    const { isIsolated, leverage } = this.#mode(owner, position);
    if (!isIsolated || order.reduceOnly) return 0n;
    const { market } = position;
    const buys = standing.buys + (order.isBuy ? order.size : 0n);
    const sells = standing.sells + (order.isBuy ? 0n : order.size);
    const largest = worstExposure({ ...standing, buys, sells });
    const size = largest - worstExposure(standing);
    if (size <= 0n) return 0n;
    const rate = this.#takerRate(owner, market);
    const margin = ceilDiv(size * market.mark, leverageFor(market, largest, leverage));
    return margin + lossOf(order.isBuy, order.price, market.mark) * size + feeUp(order.price * size, rate);
  }

  /** R-fee-tiers: by the 14 UTC days ended; the lower of the tier's and the instrument's rate. */
  #takerRate(owner: Book, market: Market): bigint {
    const today = Math.floor(this.nowMs / DAY_MS);
    let volume = 0n;
    for (const [day, value] of owner.volume) if (day < today && day >= today - 14) volume += value;
    const reached = this.parameters.feeTiers.filter(
      ({ minVolumeMicroUsdc }) => volume >= BigInt(minVolumeMicroUsdc),
    );
    const tier = reached.at(-1);
    return BigInt(Math.min(tier?.takerFeeE8 ?? 0, market.definition.takerFeeE8));
  }

  #trade(event: TradeExecuted, orders: ReadonlyMap<number, OrderSnapshot>): void {
    const { maker, price, size, taker, takerIsBuy } = event;
    const makerOrder = this.#resting.get(maker.orderId);
    if (makerOrder === undefined) throw new Error('a maker that does not rest');
    const takerSnapshot = orders.get(taker.orderId);
    if (takerSnapshot === undefined) throw new Error('a taker that nothing is told of');
    const owner = this.#book(taker.account);
    const position = this.#ofOrder(owner, takerSnapshot);
    const amended = this.#resting.get(taker.orderId);
    if (amended !== undefined) this.#drop(taker.orderId, amended);
    this.#note(owner, position);
    this.#note(makerOrder.owner, makerOrder.position);
    makerOrder.remaining -= BigInt(size);
    makerOrder.filled += BigInt(size);
    const isForced = this.#forced === taker.account;
    const signed = BigInt(takerIsBuy ? size : -size);
    const feeTo = isForced ? 'fund' : 'treasury';
    this.#used += this.#fill(owner, position, taker, signed, BigInt(price), feeTo);
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
    const day = Math.floor(this.nowMs / DAY_MS);
    for (const side of [owner, makerOrder.owner]) {
      side.volume.set(day, (side.volume.get(day) ?? 0n) + BigInt(price * size));
    }
  }

  /** One side of a fill; returns what an isolated opening took out of the balance, with its fee. */
  #fill(
    owner: Book,
    position: Position,
    side: TradeSide,
    signed: bigint,
    price: bigint,
    feeTo: 'fund' | 'treasury',
  ): bigint {
    const { isIsolated, leverage } = this.#mode(owner, position);
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
    const realised = this.#move(position, signed, price);
    same('what a trade realises', side.realised, realised);
    let taken = 0n;
    if (!isIsolated) {
      owner.balance += realised - fee;
    } else if (opens === 0n) {
      this.#payOut(owner, position, released, realised - fee);
    } else {
      position.margin -= released;
      const lost = lossOf(signed > 0n, price, market.mark) * opens;
      const margin = ceilDiv(opens * market.mark, leverageFor(market, abs(position.size), leverage));
      position.margin += margin + lost;
      taken = margin + lost + fee;
      owner.balance += released + realised - taken;
    }
    this.#collect(fee, feeTo);
    return taken;
  }

  /** Released margin and PnL go to the balance, a shortfall comes out of the margin. */
  #payOut(owner: Book, position: Position, released: bigint, gain: bigint): bigint {
    const cash = released + gain;
    position.margin -= released - min(cash, 0n);
    owner.balance += max(cash, 0n);
    return max(cash, 0n);
  }

  /** Moves size and cost, closing first; returns what it realised. */
  #move(position: Position, signed: bigint, price: bigint): bigint {
    const held = abs(position.size);
    const isClosing = position.size !== 0n && position.size > 0n !== signed > 0n;
    const closed = isClosing ? min(held, abs(signed)) : 0n;
    const sign = signed > 0n ? 1n : -1n;
    let realised = 0n;
    if (closed > 0n) {
      const cost = part(position.cost, closed, held);
      realised = -sign * closed * price - cost;
      position.cost -= cost;
    }
    position.size += signed;
    position.cost += sign * (abs(signed) - closed) * price;
    return realised;
  }

  /** R-treasury, R-insurance-fund, R-deficit: who gets a fee. */
  #collect(fee: bigint, to: 'fund' | 'treasury'): void {
    const { fund } = this;
    if (to === 'fund') {
      fund.balance += fee;
      return;
    }
    const value = this.cross(fund).equity;
    const missing = (this.#target ?? 0n) - value;
    const tenth = (fee * BigInt(this.parameters.insuranceFeeShareE8)) / ONE_E8;
    const share = value < 0n ? fee : missing <= 0n ? 0n : min(missing, tenth);
    fund.balance += share;
    this.treasury += fee - share;
  }

  /** A step is explained by its record: the scope was at risk with just these numbers. */
  #step(event: LiquidationStep): void {
    const owner = this.#book(event.account);
    const first = event.positions[0];
    if (first === undefined) throw new Error('a step is about a position');
    const position = this.#signed(owner, first.instrumentId, first.size);
    const scope =
      event.marginMode === 'isolated' ? this.isolated(owner, position) : this.cross(owner);
    for (const { instrumentId, size } of event.positions) {
      same('a position of a step', BigInt(size), this.#signed(owner, instrumentId, size).size);
    }
    same('the mark of a step', BigInt(event.mark), position.market.mark);
    same('the maintenance of a step', event.maintenance, scope.maintenance);
    same('the notional of a step', event.notional, scope.notional);
    const isPair = event.step === 'cancel' && event.price !== undefined;
    if (event.step === 'cancel' && !isPair) {
      // What it cancelled may have given back reserves, after its numbers were taken.
      if (event.equity > scope.equity) throw new Error('a cancel that cost equity');
      same('a cancel of a scope at risk', isAtRisk({ ...scope, equity: event.equity }), true);
      return;
    }
    same('the equity of a step', event.equity, scope.equity);
    same('a step of a scope at risk', isAtRisk(scope), true);
    if (isPair) this.#closePair(owner, event);
    if (event.step === 'market') this.#forced = event.account;
    if (event.step === 'insurance' || event.step === 'adl') this.#takeOver(owner, position, event);
  }

  #closePair(owner: Book, { positions, price }: LiquidationStep): void {
    const common = BigInt(Math.min(...positions.map(({ size }) => Math.abs(size))));
    for (const { instrumentId, size } of positions) {
      const position = this.#signed(owner, instrumentId, size);
      this.#tradeOff(owner, position, size > 0 ? -common : common, BigInt(price ?? 0));
    }
  }

  #takeOver(owner: Book, position: Position, event: LiquidationStep): void {
    const isIsolated = event.marginMode === 'isolated';
    const scope = isIsolated ? this.isolated(owner, position) : this.cross(owner);
    const price = bankruptcyOf(position, scope);
    same('the price of a take-over', BigInt(event.price ?? 0), price);
    this.#paidOut = 0n;
    if (event.step === 'adl') {
      this.#adl = { owner, position, price };
      return;
    }
    this.#giveToFund(owner, position, price);
    this.#endTakeOver(owner, position);
  }

  #deleverage(address: string, size: number, realised: bigint): void {
    if (this.#adl === undefined) throw new Error('nobody to deleverage for');
    const { owner, position, price } = this.#adl;
    const other = this.#book(address);
    const theirs = this.#signed(other, position.market.id, position.size > 0n ? -1 : 1);
    if (BigInt(size) > abs(theirs.size)) throw new Error('deleveraging flips nobody');
    const signed = theirs.size > 0n ? -BigInt(size) : BigInt(size);
    const { isIsolated } = this.#mode(other, theirs);
    const kept = this.#paidOut;
    same('what deleveraging realises', realised, this.#tradeOff(other, theirs, signed, price));
    this.#paidOut = kept;
    const left = isIsolated
      ? theirs.margin + theirs.size * theirs.market.mark - theirs.cost
      : this.cross(other).equity;
    if (left < 0n) throw new Error('deleveraging ruins nobody');
    this.#tradeOff(owner, position, -signed, price);
  }

  /** A trade at a price that no book made, free of fee. */
  #tradeOff(owner: Book, position: Position, signed: bigint, price: bigint): bigint {
    const { isIsolated } = this.#mode(owner, position);
    const held = abs(position.size);
    const released = isIsolated ? part(position.margin, min(held, abs(signed)), held) : 0n;
    const realised = this.#move(position, signed, price);
    if (isIsolated) this.#paidOut += this.#payOut(owner, position, released, realised);
    else owner.balance += realised;
    return realised;
  }

  // Finding things.

  #numbers(money: bigint, legs: readonly MarginLeg[]): ScopeNumbers {
    return scopeNumbers(money, legs, BigInt(this.parameters.liquidationFeeE8));
  }

  #book(address: string): Book {
    const found = this.accounts.get(address);
    if (found === undefined) throw new Error(`no account ${address}`);
    return found;
  }

  #market(id: number): Market {
    const found = this.markets.get(id);
    if (found === undefined) throw new Error(`no market ${id}`);
    return found;
  }

  #position(owner: Book, market: Market, leg: 0 | 1): Position {
    const key = `${market.id}:${leg}`;
    const found = owner.positions.get(key);
    if (found !== undefined) return found;
    const created = { market, leg, size: 0n, cost: 0n, margin: 0n };
    owner.positions.set(key, created);
    return created;
  }

  /** The leg that a signed size lies in. */
  #signed(owner: Book, id: number, size: number): Position {
    return this.#position(owner, this.#market(id), owner.isHedged && size < 0 ? 1 : 0);
  }

  /** R-hedge: the leg that an order names. */
  #ofOrder(owner: Book, order: OrderSnapshot): Position {
    const isShort = owner.isHedged && order.isBuy === order.reduceOnly;
    return this.#position(owner, this.#market(order.instrumentId), isShort ? 1 : 0);
  }

  #defaults({ definition, tiers }: Market): Settings {
    const leverage = min(BigInt(this.parameters.defaultLeverage), tiers[0]?.maxLeverage ?? 1n);
    return { isIsolated: definition.onlyIsolated, cross: leverage, isolated: [leverage, leverage] };
  }

  #ownSettings(owner: Book, market: Market): Settings {
    const settings = owner.settings.get(market.id) ?? this.#defaults(market);
    owner.settings.set(market.id, settings);
    return settings;
  }

  #mode(owner: Book, { leg, market }: Position): { isIsolated: boolean; leverage: bigint } {
    const settings = owner.settings.get(market.id) ?? this.#defaults(market);
    const { isIsolated } = settings;
    return { isIsolated, leverage: isIsolated ? settings.isolated[leg] : settings.cross };
  }

  #sums(owner: Book, position: Position, without?: number): { buys: bigint; sells: bigint } {
    let buys = 0n;
    let sells = 0n;
    for (const [orderId, order] of this.#resting) {
      if (order.owner !== owner || order.position !== position || order.reduceOnly) continue;
      if (orderId === without) continue;
      if (order.isBuy) buys += order.remaining;
      else sells += order.remaining;
    }
    return { buys, sells };
  }

  #standing(owner: Book, position: Position, without?: number): Standing {
    return { size: position.size, ...this.#sums(owner, position, without) };
  }

  /** Remembers how a position stood before the order now at work. */
  #note(owner: Book, position: Position): void {
    if (!this.#before.has(position)) this.#before.set(position, this.#standing(owner, position));
  }
}

function rowsOf(tiers: PerpDefinition['tiers']): MarginTierRow[] {
  return tiers.map(({ maxLeverage, maxSize, mmrE8 }) => ({
    maxSize: BigInt(maxSize),
    maxLeverage: BigInt(maxLeverage),
    mmrE8: BigInt(mmrE8),
  }));
}

/** A reduce-only order or a trigger that lost its position. */
function isCut(event: Extract<EngineEvent, { type: 'orderUpdated' }>): boolean {
  return event.order.reduceOnly && (event.status === 'open' || event.cancelCause === 'reduceOnly');
}

/** R-rounding: towards zero, and the last lot releases all. */
function part(amount: bigint, closed: bigint, held: bigint): bigint {
  return closed === held ? amount : (amount * closed) / held;
}

function lossOf(isBuy: boolean, price: bigint, mark: bigint): bigint {
  return max(0n, isBuy ? price - mark : mark - price);
}

function feeUp(value: bigint, rateE8: bigint): bigint {
  return -floorDiv(-value * rateE8, ONE_E8);
}

function same(what: string, told: unknown, own: unknown): void {
  if (told !== own) throw new Error(`${what}: the engine says ${String(told)}, not ${String(own)}`);
}
