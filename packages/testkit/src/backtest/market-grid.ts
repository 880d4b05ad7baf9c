import type { PerpDefinition } from '@oddlot/engine';
import { formatDecimal, parseDecimal } from '@oddlot/units';
import { priceDecimals } from '@oddlot/venue/in-hand';

/** The steps of prices and sizes of a market: recordings of other venues have finer ones. */
export class MarketGrid {
  readonly perp: PerpDefinition;
  readonly #priceDecimals: number;

  constructor(perp: PerpDefinition) {
    this.perp = perp;
    this.#priceDecimals = priceDecimals(perp);
  }

  /** In price units, on a tick; at least one tick. */
  price(text: string, to: 'down' | 'up' | 'near'): number {
    const tick = this.perp.priceTick;
    const { exact, floor } = parseDecimal(text, this.#priceDecimals)!;
    const units = Number(floor);
    const isOnTick = exact && units % tick === 0;
    const below = units - (units % tick);
    const isUp = to === 'up' || (to === 'near' && 2 * (units - below) >= tick);
    return Math.max(tick, isOnTick || !isUp ? below : below + tick);
  }

  /** A count of price units that was computed, on a tick. */
  onTick(units: number, to: 'down' | 'up'): number {
    const tick = this.perp.priceTick;
    const ticks = to === 'down' ? Math.floor(units / tick) : Math.ceil(units / tick);
    return Math.max(1, ticks) * tick;
  }

  /** Whole lots, rounded down. */
  lots(text: string): number {
    return Number(parseDecimal(text, this.perp.szDecimals)!.floor);
  }

  priceText(units: number): string {
    return formatDecimal(units, this.#priceDecimals);
  }

  sizeText(lots: number): string {
    return formatDecimal(lots, this.perp.szDecimals);
  }

  /** The fewest lots that an order at a price may have. */
  lotsMin(price: number, minOrderValueMicroUsdc: number): number {
    return Math.max(1, Math.ceil(minOrderValueMicroUsdc / price));
  }
}
