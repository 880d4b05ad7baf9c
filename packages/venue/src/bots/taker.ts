import { accountView, perpDefinitions, perpView } from '@oddlot/engine';
import { MONEY_DECIMALS } from '@oddlot/units';
import type { Replica } from '@oddlot/replica/replica';
import type { Trader } from './trader.ts';
import type { BotMarket, FairValues } from './fair-values.ts';
import { type FreeShares, shareStep } from './ladder.ts';
import { freeSharesOf } from './maker.ts';

const USDC_MIN = 50;
const USDC_MAX = 1_500;
/** The maximum distance of the limit price from the oracle price, as a fraction. */
const SLIPPAGE = 0.003;
/** A taker reduces a position only if it is worth at least this much. */
const POSITION_USDC = 20_000;

/** Trades small amounts against the quotes and keeps its positions small. */
export class Taker {
  readonly #trader: Trader;
  readonly #replica: Replica;
  readonly #random: () => number;

  constructor(trader: Trader, replica: Replica, random: () => number) {
    this.#trader = trader;
    this.#replica = replica;
    this.#random = random;
  }

  async trade(): Promise<void> {
    const { state } = this.#replica;
    const perps = perpDefinitions(state);
    const perp = perps[Math.floor(this.#random() * perps.length)];
    const view = perp === undefined ? undefined : perpView(state, perp.instrumentId);
    if (perp === undefined || view?.oracle === undefined || view.halted || view.delisted) return;
    const { oracle } = view;
    const isBuy = this.#random() < this.#buyShare(perp.instrumentId);
    const limit = (oracle * (isBuy ? 1 + SLIPPAGE : 1 - SLIPPAGE)) / perp.priceTick;
    const price = (isBuy ? Math.ceil(limit) : Math.floor(limit)) * perp.priceTick;
    const usdc = USDC_MIN + this.#random() * (USDC_MAX - USDC_MIN);
    const lots = Math.max(1, Math.round((usdc * 10 ** MONEY_DECIMALS) / oracle));
    const size = Math.min(lots, perp.maxMarketOrderSize);
    await this.#trader.place([{ perp, isBuy, price, size, tif: 'Ioc' }]);
  }

  /**
   * Returns the probability that the next order buys. It is one half if there is no position, and
   * biased towards reducing a large one.
   */
  #buyShare(instrumentId: number): number {
    const positions = accountView(this.#replica.state, this.#trader.address)?.positions ?? [];
    const own = positions.find((position) => position.instrumentId === instrumentId);
    if (own === undefined) return 0.5;
    const usdc = Number(own.notional) / 10 ** MONEY_DECIMALS;
    const pull = Math.min(1, usdc / POSITION_USDC) / 2;
    return own.size > 0 ? 0.5 - pull : 0.5 + pull;
  }
}

const SHARES_MIN = 5;
const SHARES_MAX = 45;
/** The maximum distance of the limit price from the best price, in steps of the grid. */
const SLIPPAGE_STEPS = 2;
/**
 * Cumulative thresholds for one random number per round: in 4% of rounds the taker splits shares,
 * in another 6% it merges pairs, and in all others it trades.
 */
const SPLIT_SHARE = 0.04;
const MERGE_SHARE = 0.1;
/** The fraction of trades that sell shares if the taker holds any. All other trades buy shares. */
const SELL_SHARE = 0.45;
/** How long the taker's orders last, in milliseconds. */
const LIFE_MS = 10_000;

/**
 * Trades small numbers of shares of both outcomes against the quotes, with occasional splits and
 * merges.
 */
export class ShareTaker {
  readonly #trader: Trader;
  readonly #replica: Replica;
  readonly #values: FairValues;
  readonly #random: () => number;

  constructor(trader: Trader, replica: Replica, values: FairValues, random: () => number) {
    this.#trader = trader;
    this.#replica = replica;
    this.#values = values;
    this.#random = random;
  }

  async trade(): Promise<void> {
    const markets = [...this.#values.markets.keys()];
    const market = markets[Math.floor(this.#random() * markets.length)];
    if (market === undefined) return;
    const { definition } = market;
    const free = freeSharesOf(this.#replica, this.#trader).get(definition.instrumentId);
    const size = this.#size(market);
    const kind = this.#random();
    const pairs = Math.min(free?.yes ?? 0, free?.no ?? 0, size);
    if (kind < SPLIT_SHARE) await this.#trader.operate('split', [{ market: definition, size }]);
    else if (kind < MERGE_SHARE && pairs > 0) {
      await this.#trader.operate('merge', [{ market: definition, size: pairs }]);
    } else await this.#take(market, free ?? { yes: 0, no: 0 }, size);
  }

  async #take(market: BotMarket, free: FreeShares, shares: number): Promise<void> {
    const { definition } = market;
    const leg = this.#random() < 0.5 ? 'yes' : 'no';
    const isSale = free[leg] > 0 && this.#random() < SELL_SHARE;
    // R-sizes: an order below the minimum size is allowed only if it sells the whole holding.
    const left = free[leg] - shares;
    const size = !isSale ? shares : left < definition.minOrderSize ? free[leg] : shares;
    const isBuy = (leg === 'yes') !== isSale;
    const price = takingPrice(market, isBuy);
    if (price === undefined || size > definition.maxOrderSize) return;
    const expireTime = this.#replica.state.timeMs + LIFE_MS;
    await this.#trader.placeShares([
      {
        market: definition,
        isBuy,
        reduceOnly: isSale,
        price: leg === 'yes' ? price : market.unit - price,
        size,
        limit: { tif: 'Gtd', expireTime },
      },
    ]);
  }

  #size({ definition: { minOrderSize, szDecimals } }: BotMarket): number {
    const shares = SHARES_MIN + this.#random() * (SHARES_MAX - SHARES_MIN);
    return Math.max(minOrderSize, Math.round(shares) * 10 ** szDecimals);
  }
}

/**
 * Returns a YES price that goes beyond the best price on the other side by a margin, or undefined
 * if that side is empty.
 */
function takingPrice(market: BotMarket, isBuy: boolean): number | undefined {
  const { book, unit } = market;
  const best = book.bestPrice(!isBuy);
  if (best === 0) return undefined;
  const step = shareStep(market);
  const price = best + (isBuy ? 1 : -1) * SLIPPAGE_STEPS * step;
  const { priceTick } = market.definition;
  return Math.min(Math.max(price, priceTick), unit - priceTick);
}
