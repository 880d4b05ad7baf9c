import { canBeLiquidated, type Command } from '@oddlot/engine';
import type { Address } from '@oddlot/units';
import type { ControlledVenue } from '../controlled-venue.ts';
import {
  bookChanges,
  Crowd,
  executeCrowd,
  type Level,
  type Levels,
  tradeThrough,
} from './crowd.ts';
import {
  type BookOrder,
  type CrowdOrder,
  MarketGrid,
  nextStop,
  type ReplayedMarket,
} from './replayed-market.ts';
import type {
  RecordedBook,
  RecordedCandle,
  RecordedLevel,
  RecordedRow,
  RecordedTrade,
} from './recorded-row.ts';

/** The quotes placed around the price if the recording has no books. */
export type QuotedBook = {
  /** The number of levels on each side. The default is 5. */
  readonly levels?: number;
  /**
   * The distance from the price to the best quote and between levels, as a fraction of the price.
   * The default is 0.0001. On outcome markets, the distance is a fraction of 1, and the default is
   * one tick.
   */
  readonly gap?: number;
  /**
   * The size of a level as a fraction of a candle's volume. The default is 0.01. If there is no
   * volume, each level has a notional of 10,000 USDC.
   */
  readonly share?: number;
};

const SHAPE = { levels: 5, share: 0.01 };
const LEVEL_MICRO_USDC = 10_000_000_000;
/** A candle has four prices, so there are three moves between them. */
const LEGS = 3;
/**
 * With this step, the premium is sampled in every hour, so every hour pays funding
 * (R-funding-gaps).
 */
const CANDLE_STEP_MS = 1_800_000;
/** During a liquidation, blocks are created every second, as on a real venue. */
const LIQUIDATION_STEP_MS = 1_000;
const LIQUIDATION_STEPS_MAX = 120;
/** The maximum number of trigger prices visited between two recorded prices. */
const STOPS_MAX = 200;

type Flow = { readonly isBuy: boolean; readonly lots: number };

type Options = {
  readonly venue: ControlledVenue;
  readonly market: ReplayedMarket;
  readonly bot: Address;
  readonly addressOf: (name: string) => Address;
  readonly quotes: QuotedBook;
  /** Returns a number in [0, 1) derived from the seed. */
  readonly draw: () => number;
  /** A hook called after every price move. */
  readonly onMove: () => void;
};

/**
 * Plays a recording into a venue. A crowd of accounts places the orders and makes the trades, and
 * the oracle reports the prices.
 *
 * @internal
 */
export class RecordedMarket {
  readonly #venue: ControlledVenue;
  readonly #market: ReplayedMarket;
  readonly #grid: MarketGrid;
  readonly #bot: Address;
  readonly #makers: Crowd;
  readonly #takers: Crowd;
  readonly #shape: QuotedBook & typeof SHAPE;
  readonly #draw: () => number;
  readonly #onMove: () => void;
  #kind: 'candles' | 'trades' | 'books' | undefined;
  #hasOracle = false;
  #price = 0;
  #quotedAt = 0;
  #levelLots = 0;

  constructor({ addressOf, bot, draw, market, onMove, quotes, venue }: Options) {
    this.#venue = venue;
    this.#market = market;
    this.#grid = new MarketGrid(market);
    this.#bot = bot;
    this.#makers = new Crowd('maker', { venue, market, addressOf });
    this.#takers = new Crowd('taker', { venue, market, addressOf });
    this.#shape = { ...SHAPE, ...quotes };
    this.#draw = draw;
    this.#onMove = onMove;
  }

  /** The last recorded price, as decimal text. */
  get price(): string {
    return this.#grid.priceText(this.#price);
  }

  /**
   * Funds the first accounts and sets the oracle price before the first row. No quotes are placed
   * yet.
   */
  async open(first: RecordedRow): Promise<void> {
    await this.#makers.join();
    for (let count = 0; count < 2; count += 1) await this.#takers.join();
    this.#price = this.#priceOf(first);
    await this.#venue.execute(this.#oracleAt(this.#price));
  }

  async play(row: RecordedRow): Promise<void> {
    if (row.kind === 'candle') await this.#playCandle(row);
    else if (row.kind === 'trade') await this.#playTrade(row);
    else if (row.kind === 'book') await this.#playBook(row);
    else {
      await this.waitUntil(row.timeMs);
      await this.#venue.execute(this.#oracleAt(this.#priceOf(row)));
      await this.#moved();
    }
  }

  /**
   * Advances time. The prices between two rows of candles are unknown, so a few blocks are enough.
   */
  async waitUntil(timeMs: number): Promise<void> {
    if (timeMs <= this.#venue.nowMs) return;
    if (this.#kind !== 'candles') return this.#venue.advance(timeMs - this.#venue.nowMs);
    await this.#venue.approach(timeMs, CANDLE_STEP_MS);
    await this.#venue.beat();
  }

  /**
   * Registers a row's kind before the row is played. Returns an error text if the kind does not fit
   * the earlier rows.
   */
  learnFrom({ kind }: RecordedRow): string | undefined {
    if (kind === 'oracle' && this.#market.oracleSymbol === undefined) {
      return 'an outcome market has no oracle. Remove its prices from the recording';
    }
    if (kind === 'oracle') this.#hasOracle = true;
    else if (kind === 'candle') this.#kind ??= 'candles';
    else if (kind === 'trade') this.#kind ??= 'trades';
    else if (this.#kind !== 'candles') this.#kind = 'books';
    const hasCandles = kind === 'candle' || this.#kind === 'candles';
    const hasOthers = kind !== 'candle' || this.#kind !== 'candles' || this.#hasOracle;
    return hasCandles && hasOthers
      ? 'a recording cannot mix candles with other rows. Keep only one kind'
      : undefined;
  }

  /**
   * Plays the open, then the high and low in an order drawn from the seed, then the close. The
   * recording does not say which extreme came first.
   */
  async #playCandle(candle: RecordedCandle): Promise<void> {
    const { close, endMs, high, low, open, timeMs, volume } = candle;
    const ends = this.#draw() < 0.5 ? [low, high] : [high, low];
    const path = [open, ...ends, close].map((text) => this.#grid.price(text, 'near'));
    const lots = this.#grid.lots(volume);
    this.#levelLots = Math.floor(lots * this.#shape.share);
    for (const [at, price] of path.entries()) {
      // The close is reached before the hour ends, because both the funding and the bot use it.
      const momentMs = Math.floor(timeMs + ((endMs - timeMs) * at) / LEGS);
      await this.#moveTo(price, Math.min(momentMs, endMs - 1), Math.floor(lots / path.length));
    }
    await this.waitUntil(endMs);
  }

  async #moveTo(price: number, timeMs: number, lots: number): Promise<void> {
    const from = { price: this.#price, timeMs: this.#venue.nowMs };
    const watched = { account: this.#bot, instrumentId: this.#market.instrumentId };
    const onTick = this.#grid.onTick.bind(this.#grid);
    for (let count = 0; count < STOPS_MAX; count += 1) {
      const way = { from: this.#price, to: price, onTick };
      const stop = nextStop(this.#venue.state, watched, way);
      if (stop === undefined) break;
      const part = (stop - from.price) / (price - from.price);
      const stopMs = Math.floor(from.timeMs + (timeMs - from.timeMs) * part);
      await this.#standAt(stop, stopMs, { isBuy: stop > this.#price, lots: 0 });
    }
    await this.#standAt(price, timeMs, { isBuy: price > this.#price, lots });
  }

  async #playTrade({ isBuy, price, size: lots, timeMs }: RecordedTrade): Promise<void> {
    const units = this.#grid.price(price, 'near');
    const flow = { isBuy, lots: this.#grid.lots(lots) };
    if (this.#kind === 'trades') return this.#standAt(units, timeMs, flow);
    const size = Math.min(flow.lots, this.#market.takeMax);
    if (this.#market.orderDelayMs > 0) await this.#takeAhead({ isBuy, price: units, size }, timeMs);
    await this.waitUntil(timeMs);
    if (this.#market.orderDelayMs === 0) {
      await executeCrowd(this.#venue, await this.#take({ isBuy, price: units, size }));
    }
    await this.#moved();
  }

  /**
   * Moves the market to a price: fills the orders up to this price, trades the recorded volume, and
   * places quotes around the price.
   */
  async #standAt(price: number, timeMs: number, { isBuy, lots }: Flow): Promise<void> {
    const isCandle = this.#kind === 'candles';
    const most = Math.min(lots, this.#market.takeMax);
    const isElsewhere = price !== this.#quotedAt;
    const hasDelay = this.#market.orderDelayMs > 0;
    if (hasDelay)
      await this.#takeAhead({ isBuy, price: this.#before(price, isBuy), size: most }, timeMs);
    await this.#comeTo(timeMs);
    const passed = hasDelay ? 0 : this.#passedLots(price, isBuy);
    const taken = Math.min(passed, most);
    // Old quotes are cancelled first, so that the mark follows the price rather than the remains of
    // the old book.
    const leaving = isElsewhere
      ? this.#makers.members.map((member) => this.#makers.cancelAll(member))
      : [];
    const through = await this.#take({ isBuy, price, size: taken });
    const before = [...leaving, ...through];
    if (before.length > 0) {
      // For a candle, this is the only block at this time, so the oracle price is sent again to
      // keep it from becoming stale.
      const repeated = isCandle ? this.#oracleAt(this.#price) : [];
      await executeCrowd(this.#venue, [...repeated, ...before]);
    }
    this.#price = price;
    const traded = hasDelay
      ? []
      : await this.#tradeAmongCrowd(price, { isBuy, lots: most - taken });
    const quotes = isElsewhere ? this.#quotesAround(price) : [];
    const oracle = this.#hasOracle ? [] : this.#oracleAt(price);
    await executeCrowd(this.#venue, [...oracle, ...quotes, ...traded]);
    this.#quotedAt = price;
    await this.#moved();
  }

  /** Returns how many lots of the bot's orders a price move has traded through. */
  #passedLots(price: number, isBuy: boolean): number {
    return this.#botOrders(!isBuy)
      .filter((order) => (isBuy ? order.price < price : order.price > price))
      .reduce((sum, { remaining }) => sum + remaining, 0);
  }

  /** Returns the price one tick short of the given one, from the taker's side. */
  #before(price: number, isBuy: boolean): number {
    return isBuy ? price - this.#market.priceTick : price + this.#market.priceTick;
  }

  async #take(order: Omit<CrowdOrder, 'timeInForce'>): Promise<readonly Command[]> {
    if (order.size < this.#lotsMin(order.price)) return [];
    const taker = await this.#takers.withRoom(order.isBuy);
    const placed = this.#takers.place(taker, [{ ...order, timeInForce: 'ioc' }]);
    // On an outcome market, the unfilled part would rest on the book, so it is cancelled.
    return this.#market.subAccount === 'perp' ? placed : [...placed, this.#takers.cancelAll(taker)];
  }

  /**
   * R-delay: sends a taker order ahead of the recorded trade, by the order delay. Crowd orders
   * ahead of the bot are reduced by the traded size, and only the part that reaches the bot is
   * sent. The clock therefore lags the recording only for trades that fill the bot.
   */
  async #takeAhead(taken: Omit<CrowdOrder, 'timeInForce'>, timeMs: number): Promise<void> {
    await this.#comeTo(timeMs - this.#market.orderDelayMs);
    const { isBuy, price } = taken;
    const makers = this.#makers.members.flatMap((member) =>
      this.#ordersOf(member.address, !isBuy).map((order) => ({ ...order, member })),
    );
    const bot = this.#botOrders(!isBuy).map((order) => ({ ...order, member: undefined }));
    const isBook = this.#kind === 'books';
    // When the price reaches generated quotes, they are removed without a trade.
    const { reached, used } = tradeThrough(isBook ? [...makers, ...bot] : bot, taken);
    const departing = isBook ? used : tradeThrough(makers, { ...taken, size: Infinity }).used;
    if (isBook || reached > 0) {
      await executeCrowd(
        this.#venue,
        departing.map(({ order: { member, ...order }, remaining }) =>
          remaining === 0
            ? this.#makers.cancel(member!, order.orderId)
            : this.#makers.lower(member!, order, order.filled + remaining),
        ),
      );
    }
    if (reached < this.#lotsMin(price)) return;
    const taker = await this.#takers.withRoom(isBuy);
    const order = { isBuy, price, size: reached, timeInForce: 'ioc' } as const;
    await executeCrowd(this.#venue, this.#takers.place(taker, [order]));
    await this.#venue.advance(this.#market.orderDelayMs);
    await executeCrowd(this.#venue, [this.#takers.cancelAll(taker)]);
  }

  /**
   * Advances to a point in time. Candle recordings need few blocks; the caller creates the block
   * for that time.
   */
  async #comeTo(timeMs: number): Promise<void> {
    if (this.#kind === 'candles') await this.#venue.approach(timeMs, CANDLE_STEP_MS);
    else await this.waitUntil(timeMs);
  }

  /**
   * Trades between crowd accounts, so that the tape and the candles show the volume. Skipped if the
   * bot has an order at the price, because its position in the recorded queue is unknown.
   */
  async #tradeAmongCrowd(price: number, { isBuy, lots: size }: Flow): Promise<readonly Command[]> {
    const isBotThere = this.#botOrders(!isBuy).some((order) =>
      isBuy ? order.price <= price : order.price >= price,
    );
    if (isBotThere || size < this.#lotsMin(price)) return [];
    const buyer = await this.#takers.withRoom(true);
    const richest = await this.#takers.withRoom(false);
    const seller =
      richest === buyer ? this.#takers.members.find((each) => each !== buyer)! : richest;
    const [taker, maker] = isBuy ? [buyer, seller] : [seller, buyer];
    return [
      ...this.#takers.place(maker, [{ isBuy: !isBuy, price, size, timeInForce: 'alo' }]),
      ...this.#takers.place(taker, [{ isBuy, price, size, timeInForce: 'ioc' }]),
    ];
  }

  #quotesAround(price: number): readonly Command[] {
    const { gap, levels } = this.#shape;
    const { priceMax, restMax } = this.#market;
    const wanted = this.#levelLots > 0 ? this.#levelLots : Math.floor(LEVEL_MICRO_USDC / price);
    const size = Math.min(Math.max(wanted, this.#lotsMin(price)), restMax);
    const step = this.#market.gapAt(price, gap);
    const orders = Array.from({ length: levels }, (_, at) => step * (at + 1)).flatMap(
      (away): CrowdOrder[] => [
        { isBuy: true, price: this.#grid.onTick(price - away, 'down'), size, timeInForce: 'alo' },
        { isBuy: false, price: this.#grid.onTick(price + away, 'up'), size, timeInForce: 'alo' },
      ],
    );
    // A share cannot be bought at zero or at its full payout value.
    const possible = orders.filter((order) =>
      order.isBuy ? order.price < price : order.price <= priceMax,
    );
    return this.#makers.place(this.#makers.members[0]!, possible);
  }

  /**
   * Changes the crowd's orders to match the recorded book, and fills the bot's orders that the new
   * book crosses.
   */
  async #playBook({ asks, bids, timeMs }: RecordedBook): Promise<void> {
    const wanted = { bids: this.#levels(bids, true), asks: this.#levels(asks, false) };
    const hasDelay = this.#market.orderDelayMs > 0;
    if (hasDelay) await this.#takeCrossedAhead(wanted, timeMs);
    await this.waitUntil(timeMs);
    const standing = this.#makers.members.flatMap((member) =>
      this.#market
        .ordersOf(this.#venue.state, member.address)
        .map((order) => ({ ...order, member })),
    );
    const { cancelled, lowered, missing } = bookChanges(standing, wanted);
    await executeCrowd(this.#venue, [
      ...cancelled.map(({ member, orderId }) => this.#makers.cancel(member, orderId)),
      ...lowered.map(({ order: { member, ...order }, remaining }) =>
        this.#makers.lower(member, order, order.filled + remaining),
      ),
      ...(hasDelay ? [] : await this.#takeCrossed(wanted, true)),
      ...(hasDelay ? [] : await this.#takeCrossed(wanted, false)),
    ]);
    const [bid, ask] = [wanted.bids[0]?.price, wanted.asks[0]?.price];
    if (bid !== undefined && ask !== undefined) {
      this.#price = this.#grid.onTick((bid + ask) / 2, 'down');
    }
    const most = this.#market.restMax;
    const orders = missing
      .filter(({ price, size }) => size >= this.#lotsMin(price))
      .map((level): CrowdOrder => ({
        ...level,
        size: Math.min(level.size, most),
        timeInForce: 'alo',
      }));
    const buyer = await this.#makers.withRoom(true);
    const seller = await this.#makers.withRoom(false);
    await executeCrowd(this.#venue, [
      ...(this.#hasOracle ? [] : this.#oracleAt(this.#price)),
      ...this.#makers.place(
        buyer,
        orders.filter(({ isBuy }) => isBuy),
      ),
      ...this.#makers.place(
        seller,
        orders.filter(({ isBuy }) => !isBuy),
      ),
    ]);
    await this.#moved();
  }

  /** Fills the bot's orders that the recorded book crosses. */
  async #takeCrossed(wanted: Levels, isBuy: boolean): Promise<readonly Command[]> {
    const crossed = this.#crossed(wanted, isBuy);
    return crossed === undefined ? [] : this.#take(crossed);
  }

  async #takeCrossedAhead(wanted: Levels, timeMs: number): Promise<void> {
    for (const isBuy of [true, false]) {
      const crossed = this.#crossed(wanted, isBuy);
      if (crossed !== undefined) await this.#takeAhead(crossed, timeMs);
    }
  }

  #crossed({ asks, bids }: Levels, isBuy: boolean): Omit<CrowdOrder, 'timeInForce'> | undefined {
    const levels = isBuy ? bids : asks;
    const crosses = (own: number, level: number) => (isBuy ? own <= level : own >= level);
    const best = levels[0]?.price ?? 0;
    const orders = this.#botOrders(!isBuy).filter(({ price }) => crosses(price, best));
    if (orders.length === 0) return undefined;
    const nearest = orders.map(({ price }) => price).sort((a, b) => (isBuy ? a - b : b - a))[0]!;
    const offered = levels
      .filter(({ price }) => crosses(nearest, price))
      .reduce((sum, { size }) => sum + size, 0);
    const wanted = orders.reduce((sum, { remaining }) => sum + remaining, 0);
    const size = Math.min(offered, wanted, this.#market.takeMax);
    return { isBuy, price: best, size };
  }

  /**
   * Returns the levels on the market's price grid, best first. Prices that round to the same value
   * are merged into one level.
   */
  #levels(levels: readonly RecordedLevel[], isBid: boolean): readonly Level[] {
    const sizes = new Map<number, number>();
    for (const { price, size } of levels) {
      const units = this.#grid.price(price, isBid ? 'down' : 'up');
      sizes.set(units, (sizes.get(units) ?? 0) + this.#grid.lots(size));
    }
    return [...sizes]
      .map(([price, size]) => ({ price, size }))
      .sort((a, b) => (isBid ? b.price - a.price : a.price - b.price));
  }

  /**
   * Continues a liquidation with one block per second at the current price, until the account is
   * healthy or empty.
   */
  async #moved(): Promise<void> {
    this.#onMove();
    for (let count = 0; count < LIQUIDATION_STEPS_MAX && this.#isInDanger; count += 1) {
      await this.#venue.advance(LIQUIDATION_STEP_MS);
      if (this.#kind !== 'books' && this.#quotedAt > 0) {
        const leaving = this.#makers.members.map((member) => this.#makers.cancelAll(member));
        await executeCrowd(this.#venue, [...leaving, ...this.#quotesAround(this.#quotedAt)]);
      }
      this.#onMove();
    }
  }

  get #isInDanger(): boolean {
    return canBeLiquidated(this.#venue.state, this.#bot);
  }

  #botOrders(isBuy: boolean): readonly BookOrder[] {
    return this.#ordersOf(this.#bot, isBuy);
  }

  #ordersOf(account: Address, isBuy: boolean): readonly BookOrder[] {
    const orders = this.#market.ordersOf(this.#venue.state, account);
    return orders.filter((order) => order.isBuy === isBuy);
  }

  #oracleAt(price: number): readonly Command[] {
    const { oracleSymbol } = this.#market;
    if (oracleSymbol === undefined) return [];
    this.#venue.prices.set({ [oracleSymbol]: this.#grid.priceText(price) });
    return this.#venue.prices.commands(this.#venue.state, this.#venue.nowMs);
  }

  #lotsMin(price: number): number {
    return this.#market.lotsMin(this.#venue.state, price);
  }

  #priceOf(row: RecordedRow): number {
    if (row.kind === 'candle') return this.#grid.price(row.open, 'near');
    if (row.kind !== 'book') return this.#grid.price(row.price, 'near');
    const level = row.bids[0] ?? row.asks[0];
    return level === undefined ? this.#market.priceTick : this.#grid.price(level.price, 'near');
  }
}
