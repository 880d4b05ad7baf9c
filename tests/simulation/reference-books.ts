import type {
  Command,
  OrderSnapshot,
  PerpDefinition,
  UpdateIsolatedMarginCommand,
  UpdateLeverageCommand,
  VenueParameters,
} from '@oddlot/engine';
import {
  abs,
  ceilDiv,
  initialFor,
  type MarginLeg,
  type MarginTierRow,
  max,
  min,
  ONE_E8,
  type ScopeNumbers,
  scopeNumbers,
} from './reference-margin.ts';

/** The reference ledger's accounts: their balances, settings and transfers. */

export type Market = {
  readonly id: number;
  mark: bigint;
  tiers: readonly MarginTierRow[];
  definition: PerpDefinition;
  oracle: bigint;
  oracleMs: number;
  /** The oracle price at the start of the entry. */
  oracleBefore: bigint;
  isDelisted: boolean;
  isHalted: boolean;
  /** The last valid mark, or 0 before the first one. */
  judged: bigint;
};

export type Position = {
  readonly market: Market;
  readonly leg: 0 | 1;
  size: bigint;
  cost: bigint;
  margin: bigint;
  /** The funding paid in this entry, and the position size it was paid on. */
  funded?: { readonly paid: bigint; readonly size: bigint } | undefined;
};

export type Resting = {
  readonly owner: Book;
  readonly position: Position;
  readonly isBuy: boolean;
  readonly reduceOnly: boolean;
  price: bigint;
  filled: bigint;
  remaining: bigint;
  reserve: bigint;
};

export type Settings = { isIsolated: boolean; cross: bigint; isolated: [bigint, bigint] };

export type Book = {
  readonly address: string;
  balance: bigint;
  isHedged: boolean;
  readonly settings: Map<number, Settings>;
  readonly positions: Map<string, Position>;
  /** Traded notional per UTC day. */
  readonly volume: Map<number, bigint>;
};

export type Standing = { size: bigint; buys: bigint; sells: bigint };

export class ReferenceBooks {
  readonly accounts = new Map<string, Book>();
  readonly markets = new Map<number, Market>();
  readonly resting = new Map<number, Resting>();
  treasury = 0n;
  deposited = 0n;
  nowMs = 0;
  #parameters: VenueParameters | undefined;

  get parameters(): VenueParameters {
    if (this.#parameters === undefined) throw new Error('no genesis');
    return this.#parameters;
  }

  set parameters(parameters: VenueParameters) {
    this.#parameters = parameters;
  }

  get fund(): Book {
    return this.book(this.parameters.insuranceFundAddress);
  }

  /** False before the genesis command. */
  get hasFund(): boolean {
    return this.accounts.has(this.#parameters?.insuranceFundAddress ?? '');
  }

  /** Returns the account's positions in the form used by the reference margin model. */
  legs(owner: Book): { position: Position; leg: MarginLeg }[] {
    return [...owner.positions.values()].map((position) => {
      const leg = { ...position, ...this.sums(owner, position), ...this.mode(owner, position) };
      return { position, leg };
    });
  }

  cross(owner: Book): ScopeNumbers {
    const legs = this.legs(owner).map(({ leg }) => leg);
    return this.numbers(
      owner.balance,
      legs.filter(({ isIsolated }) => !isIsolated),
    );
  }

  isolated(owner: Book, position: Position): ScopeNumbers {
    const { isIsolated, leverage } = this.mode(owner, position);
    if (!isIsolated) throw new Error('not isolated');
    const alone = { ...position, isIsolated, leverage, buys: 0n, sells: 0n };
    return this.numbers(position.margin, [alone]);
  }

  reserved(owner: Book, position: Position): bigint {
    let sum = 0n;
    for (const order of this.resting.values()) {
      if (order.owner === owner && order.position === position) sum += order.reserve;
    }
    return sum;
  }

  /** R-insurance-fund: returns 1% of the open interest at the block's marks. */
  insuranceTarget(): bigint {
    let interest = 0n;
    for (const { positions } of this.accounts.values()) {
      for (const { market, size } of positions.values()) interest += max(size, 0n) * market.mark;
    }
    return (interest * BigInt(this.parameters.insuranceTargetE8)) / ONE_E8;
  }

  /**
   * R-funding, R-insurance-fund: returns a position's hourly funding. The fund pays none, so the
   * receiving side shares what the other accounts pay. Payments are rounded up, and receipts are
   * rounded down.
   */
  fundingOf(owner: Book, { market, size }: Position, dueMs: number, rateE10: bigint): bigint {
    const oracle = dueMs === this.nowMs ? market.oracle : market.oracleBefore;
    const due = size * oracle * rateE10;
    if (due >= 0n) return owner === this.fund ? 0n : -ceilDiv(due, 10_000_000_000n);
    let paying = 0n;
    let ofFund = 0n;
    for (const each of this.accounts.values()) {
      for (const position of each.positions.values()) {
        if (position.market !== market || position.size * rateE10 <= 0n) continue;
        paying += abs(position.size);
        if (each === this.fund) ofFund += abs(position.size);
      }
    }
    return (-due * (paying - ofFund)) / (10_000_000_000n * paying);
  }

  /** Returns the total of all balances in the ledger. By R-conservation, it equals the deposits. */
  total(): bigint {
    let sum = this.treasury;
    for (const owner of this.accounts.values()) {
      sum += owner.balance;
      for (const { cost, margin } of owner.positions.values()) sum += margin - cost;
    }
    for (const { reserve } of this.resting.values()) sum += reserve;
    return sum;
  }

  open(address: string): void {
    this.accounts.set(address, {
      address,
      balance: 0n,
      isHedged: false,
      settings: new Map(),
      positions: new Map(),
      volume: new Map(),
    });
  }

  list(id: number, listing: unknown): void {
    const definition = listing as PerpDefinition;
    const tiers = rowsOf(definition.tiers);
    const fresh = {
      oracle: 0n,
      oracleBefore: 0n,
      oracleMs: 0,
      isDelisted: false,
      isHalted: false,
      judged: 0n,
    };
    this.markets.set(id, { id, mark: 0n, tiers, definition, ...fresh });
  }

  redefine(id: number, changes: Partial<PerpDefinition>): void {
    const market = this.market(id);
    market.definition = { ...market.definition, ...changes };
    market.tiers = rowsOf(market.definition.tiers);
  }

  changeSettings(address: string, command: Command | undefined): void {
    const owner = this.book(address);
    if (command?.type === 'updatePositionMode') owner.isHedged = command.mode === 'hedge';
    if (command?.type === 'updateMarginMode') {
      const settings = this.ownSettings(owner, this.market(command.instrumentId));
      settings.isIsolated = command.marginMode === 'isolated';
    }
    if (command?.type === 'updateLeverage') this.#changeLeverage(owner, command);
    if (command?.type === 'updateIsolatedMargin') this.#moveMargin(owner, command);
  }

  /** R-isolated: a lower leverage adds the missing margin, but a higher leverage releases none. */
  #changeLeverage(owner: Book, command: UpdateLeverageCommand): void {
    const market = this.market(command.instrumentId);
    const settings = this.ownSettings(owner, market);
    const mode = command.marginMode ?? (settings.isIsolated ? 'isolated' : 'cross');
    const leverage = BigInt(Math.abs(command.leverage));
    if (mode === 'cross') {
      settings.cross = leverage;
      return;
    }
    const leg = owner.isHedged && command.leverage < 0 ? 1 : 0;
    if (settings.isIsolated) {
      const position = this.position(owner, market, leg);
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
    const position = this.position(owner, this.market(command.instrumentId), leg);
    const amount = BigInt(command.amountMicroUsdc);
    position.margin += amount;
    owner.balance -= amount;
  }

  giveToFund(owner: Book, position: Position, price: bigint): void {
    const { size } = position;
    this.tradeOff(owner, position, -size, price);
    this.tradeOff(this.fund, this.position(this.fund, position.market, 0), size, price);
  }

  /**
   * The amount that the isolated position taken over most recently has paid to its owner's balance.
   */
  paidOut = 0n;

  coverDeficit(owner: Book, position: Position | undefined): void {
    if (position !== undefined) {
      if (position.size !== 0n || position.margin >= 0n) return;
      this.pay(-position.margin);
      position.margin = 0n;
      return;
    }
    const hasPosition = this.legs(owner).some(({ leg }) => !leg.isIsolated && leg.size !== 0n);
    if (hasPosition || owner.balance >= 0n || owner === this.fund) return;
    this.pay(-owner.balance);
    owner.balance = 0n;
  }

  pay(missing: bigint): void {
    const { fund } = this;
    const fromFund = min(missing, max(this.cross(fund).equity, 0n));
    const fromTreasury = min(missing - fromFund, this.treasury);
    this.treasury -= fromTreasury;
    fund.balance -= missing - fromTreasury;
  }

  /**
   * R-deficit: at the end of an entry, the treasury brings a negative account value of the fund up
   * to zero.
   */
  liftFund(): void {
    const paid = min(max(-this.cross(this.fund).equity, 0n), this.treasury);
    this.treasury -= paid;
    this.fund.balance += paid;
  }

  /**
   * R-liquidation (2b): returns the largest size of an isolated side that can close against the
   * other side at a price without leaving that side below zero. The size is found by search.
   */
  nettable(owner: Book, failing: Position, price: bigint): bigint {
    const other = this.otherLeg(owner, failing);
    if (other === undefined) return 0n;
    const common = min(abs(failing.size), abs(other.size));
    const isBorne = (size: bigint): boolean => {
      const copy = { ...other };
      const released = part(copy.margin, size, abs(copy.size));
      const gain = this.move(copy, copy.size > 0n ? -size : size, price);
      this.payOut({ ...owner }, copy, released, gain);
      return copy.margin + copy.size * copy.market.mark - copy.cost >= 0n;
    };
    if (common === 0n || isBorne(common)) return common;
    let borne = 0n;
    let tooMuch = common;
    while (tooMuch - borne > 1n) {
      const middle = (borne + tooMuch) / 2n;
      if (isBorne(middle)) borne = middle;
      else tooMuch = middle;
    }
    return borne;
  }

  otherLeg(owner: Book, { leg, market }: Position): Position | undefined {
    return this.legs(owner)
      .map(({ position }) => position)
      .find((each) => each.market === market && each.leg !== leg && each.size !== 0n);
  }

  /** Adds released margin and PnL to the balance. Any deficit is paid out of the margin. */
  payOut(owner: Book, position: Position, released: bigint, gain: bigint): bigint {
    const cash = released + gain;
    position.margin -= released - min(cash, 0n);
    owner.balance += max(cash, 0n);
    return max(cash, 0n);
  }

  /** Changes size and cost, first by closing and then by opening, and returns the realised PnL. */
  move(position: Position, signed: bigint, price: bigint): bigint {
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

  tradeOff(owner: Book, position: Position, signed: bigint, price: bigint): bigint {
    const { isIsolated } = this.mode(owner, position);
    const held = abs(position.size);
    const released = isIsolated ? part(position.margin, min(held, abs(signed)), held) : 0n;
    const realised = this.move(position, signed, price);
    if (isIsolated) this.paidOut += this.payOut(owner, position, released, realised);
    else owner.balance += realised;
    return realised;
  }

  numbers(money: bigint, legs: readonly MarginLeg[]): ScopeNumbers {
    return scopeNumbers(money, legs, BigInt(this.parameters.liquidationFeeE8));
  }

  book(address: string): Book {
    const found = this.accounts.get(address);
    if (found === undefined) throw new Error(`no account ${address}`);
    return found;
  }

  market(id: number): Market {
    const found = this.markets.get(id);
    if (found === undefined) throw new Error(`no market ${id}`);
    return found;
  }

  position(owner: Book, market: Market, leg: 0 | 1): Position {
    const key = `${market.id}:${leg}`;
    const found = owner.positions.get(key);
    if (found !== undefined) return found;
    const created = { market, leg, size: 0n, cost: 0n, margin: 0n };
    owner.positions.set(key, created);
    return created;
  }

  /** Returns the position that a signed size refers to. */
  signed(owner: Book, id: number, size: number): Position {
    return this.position(owner, this.market(id), owner.isHedged && size < 0 ? 1 : 0);
  }

  /** R-hedge: returns the position that an order selects. */
  ofOrder(owner: Book, order: OrderSnapshot): Position {
    const isShort = owner.isHedged && order.isBuy === order.reduceOnly;
    return this.position(owner, this.market(order.instrumentId), isShort ? 1 : 0);
  }

  defaults({ definition, tiers }: Market): Settings {
    const leverage = min(BigInt(this.parameters.defaultLeverage), tiers[0]?.maxLeverage ?? 1n);
    return { isIsolated: definition.onlyIsolated, cross: leverage, isolated: [leverage, leverage] };
  }

  ownSettings(owner: Book, market: Market): Settings {
    const settings = owner.settings.get(market.id) ?? this.defaults(market);
    owner.settings.set(market.id, settings);
    return settings;
  }

  mode(owner: Book, { leg, market }: Position): { isIsolated: boolean; leverage: bigint } {
    const settings = owner.settings.get(market.id) ?? this.defaults(market);
    const { isIsolated } = settings;
    return { isIsolated, leverage: isIsolated ? settings.isolated[leg] : settings.cross };
  }

  sums(owner: Book, position: Position, without?: number): { buys: bigint; sells: bigint } {
    let buys = 0n;
    let sells = 0n;
    for (const [orderId, order] of this.resting) {
      if (order.owner !== owner || order.position !== position || order.reduceOnly) continue;
      if (orderId === without) continue;
      if (order.isBuy) buys += order.remaining;
      else sells += order.remaining;
    }
    return { buys, sells };
  }

  standing(owner: Book, position: Position, without?: number): Standing {
    return { size: position.size, ...this.sums(owner, position, without) };
  }
}

function rowsOf(tiers: PerpDefinition['tiers']): MarginTierRow[] {
  return tiers.map(({ maxLeverage, maxSize, mmrE8 }) => ({
    maxSize: BigInt(maxSize),
    maxLeverage: BigInt(maxLeverage),
    mmrE8: BigInt(mmrE8),
  }));
}

/** R-rounding: rounds towards zero. Closing the last lot releases the remainder. */
export function part(amount: bigint, closed: bigint, held: bigint): bigint {
  return closed === held ? amount : (amount * closed) / held;
}
