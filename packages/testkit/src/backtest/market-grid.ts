import { formatDecimal, parseDecimal } from '@oddlot/units';
import type { ReplayedMarket } from './replayed-market.ts';

/** R-units: a price times a size is micro-USDC. */
const MONEY_DECIMALS = 6;

/** The steps of prices and sizes of a market: recordings of other venues have finer ones. */
export class MarketGrid {
  readonly market: ReplayedMarket;
  readonly #priceDecimals: number;

  constructor(market: ReplayedMarket) {
    this.market = market;
    this.#priceDecimals = MONEY_DECIMALS - market.szDecimals;
  }

  /** In price units, on a tick; at least one tick, at most what an order may ask. */
  price(text: string, to: 'down' | 'up' | 'near'): number {
    const { priceMax, priceTick: tick } = this.market;
    const { exact, floor } = parseDecimal(text, this.#priceDecimals)!;
    const units = Number(floor);
    const isOnTick = exact && units % tick === 0;
    const below = units - (units % tick);
    const isUp = to === 'up' || (to === 'near' && 2 * (units - below) >= tick);
    return Math.min(priceMax, Math.max(tick, isOnTick || !isUp ? below : below + tick));
  }

  /** A count of price units that was computed, on a tick. */
  onTick(units: number, to: 'down' | 'up'): number {
    const tick = this.market.priceTick;
    const ticks = to === 'down' ? Math.floor(units / tick) : Math.ceil(units / tick);
    return Math.max(1, ticks) * tick;
  }

  /** Whole lots, rounded down. */
  lots(text: string): number {
    return Number(parseDecimal(text, this.market.szDecimals)!.floor);
  }

  priceText(units: number): string {
    return formatDecimal(units, this.#priceDecimals);
  }
}
