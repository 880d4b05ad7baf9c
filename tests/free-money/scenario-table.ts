import type { PerpDefinition } from '@oddlot/engine';
import { type Address, instrumentId } from '@oddlot/units';
import { worth } from './state-copy.ts';
import { listing, order, testAddress, Venue } from './venue.ts';

/**
 * A venue for a single written scenario. Prices start at 100, sizes are whole units, and money is
 * in USDC.
 */

export const PRICE = 10_000;
export const LOTS = 100;

export type Mode = 'cross' | 'isolated';

/**
 * The maximum leverage is 20, the maintenance margin is 1%, and there are no fees, so that all
 * gains come from the scenario.
 */
export const FREE: Partial<PerpDefinition> = {
  takerFeeE8: 0,
  makerFeeE8: 0,
  tiers: [{ tier: 1, minSize: 0, maxSize: 100_000_000, maxLeverage: 20, mmrE8: 1_000_000 }],
};

export class ScenarioVenue {
  readonly venue: Venue;
  readonly #perps: readonly number[];
  #people = 0x5000;

  constructor(perps = 1, terms: Partial<PerpDefinition> = FREE) {
    this.#perps = Array.from({ length: perps }, (_, at) => at + 1);
    this.venue = new Venue(this.#perps.map((id) => listing(id, terms)));
  }

  /** Creates a funded account that uses one margin mode in all markets. */
  person(
    usdc: number,
    mode: Mode = 'cross',
    terms: { hedge?: true; leverage?: number } = {},
  ): Address {
    const address = testAddress(++this.#people);
    this.venue.credit(address, usdc);
    const { hedge, leverage = 20 } = terms;
    if (hedge) this.venue.act(address, { type: 'updatePositionMode', mode: 'hedge' });
    for (const id of this.#perps.map(instrumentId)) {
      this.venue.act(address, { type: 'updateMarginMode', instrumentId: id, marginMode: mode });
      this.venue.act(address, { type: 'updateLeverage', instrumentId: id, leverage });
      if (hedge && mode === 'isolated') {
        this.venue.act(address, { type: 'updateLeverage', instrumentId: id, leverage: -leverage });
      }
    }
    return address;
  }

  fund(usdc: number): void {
    this.venue.credit(this.venue.fund, usdc);
  }

  /** Has one account buy units from another. */
  deal(buyer: Address, seller: Address, units: number, price = 100, id = 1): void {
    const terms = { id, price: price * PRICE, size: units * LOTS };
    this.venue.deal({ buyer, seller }, terms);
  }

  /**
   * Rests an order; a positive number of units buys. Returns the reason if the order is rejected.
   */
  rest(account: Address, units: number, price: number, id = 1): string | undefined {
    const size = Math.abs(Math.round(units * LOTS));
    const isBuy = units > 0;
    const { entries, reject } = this.venue.place(
      account,
      order({ id, isBuy, size, price: Math.round(price * 100) * (PRICE / 100) }),
    );
    return (reject ?? entries?.[0]?.reject)?.reason;
  }

  /** Places a market TP/SL order for a whole position. */
  exit(
    account: Address,
    kind: 'takeProfit' | 'stopLoss',
    price: number,
    units: number,
    id = 1,
  ): void {
    const at = Math.round(price * PRICE);
    const size = Math.abs(units) * LOTS;
    const trigger = { kind, price: at, isMarket: true };
    const plain = order({ id, isBuy: units > 0, reduceOnly: true, price: at, size });
    this.venue.place(account, { ...plain, trigger });
  }

  /** Pushes prices in a separate entry after this many seconds. */
  prices(prices: Readonly<Record<number, number>>, seconds = 1): void {
    const changes: Record<number, number> = {};
    for (const [id, price] of Object.entries(prices))
      changes[Number(id)] = Math.round(price * PRICE);
    this.venue.wait(1_000 * seconds).prices(changes);
  }

  /** Stops pushing a market's price and waits until it is stale. */
  silence(id: number): void {
    this.venue.hush(id, true);
    this.prices({}, 31);
  }

  /** Resumes pushing the price. */
  speak(id: number, price: number): void {
    this.venue.hush(id, false);
    this.prices({ [id]: price });
  }

  mark(id = 1): number {
    return (this.venue.shot.markets.get(id)?.mark ?? 0) / PRICE;
  }

  units(account: Address, id = 1): number {
    const held = this.venue.shot.fundsByAccount.get(account)?.held ?? [];
    let sum = 0;
    for (const each of held) if (each.id === id) sum += each.size;
    return sum / LOTS;
  }

  /** Returns the accounts' total value with positions at the mark, rounded to the cent. */
  sum(...people: readonly Address[]): number {
    const { markets, fundsByAccount } = this.venue.shot;
    let total = 0n;
    for (const account of people) {
      const funds = fundsByAccount.get(account);
      if (funds !== undefined) total += worth(funds, (id) => markets.get(id)?.mark ?? 0);
    }
    return Math.round(Number(total) / 10_000) / 100;
  }

  /** The combined balances of the insurance fund and the treasury. */
  get reserves(): number {
    const treasury = Number(this.venue.shot.treasury) / 1_000_000;
    return Math.round((this.sum(this.venue.fund) + treasury) * 100) / 100;
  }
}
