import type { PerpMeta } from '@oddlot/protocol';

/** A perp with its name on the port: the market's name without the quote currency. */
export type Coin = { readonly id: number; readonly name: string; readonly perp: PerpMeta };

/** On Hyperliquid, higher asset ids are spot markets and builder-deployed perps. */
export const ASSET_ID_MAX = 9_999;

/**
 * Finds the venue's perps by name or id. Names are accepted in any case, with or without the quote
 * currency. Responses use the spelling in the universe.
 */
export class Coins {
  /** All perps, sorted by id. */
  readonly all: readonly Coin[];
  readonly #byId = new Map<number, Coin>();
  readonly #byName = new Map<string, Coin>();

  constructor(perps: readonly PerpMeta[]) {
    this.all = perps
      .filter(({ index }) => index <= ASSET_ID_MAX)
      .toSorted((a, b) => a.index - b.index)
      .map((perp) => this.#add({ id: perp.index, name: this.#freeName(perp), perp }));
  }

  named(name: string): Coin | undefined {
    return this.#byName.get(name.toUpperCase());
  }

  withId(id: number): Coin | undefined {
    return this.#byId.get(id);
  }

  /** Returns true for a perp. Outcome markets are omitted, because the port does not serve them. */
  has(id: number): boolean {
    return this.#byId.has(id);
  }

  /** Returns the name of a perp, or the id as a string if the perp is unknown. */
  nameOf(id: number): string {
    return this.#byId.get(id)?.name ?? String(id);
  }

  /**
   * Returns the name without the quote currency. A second perp with the same base currency keeps
   * its full name.
   */
  #freeName({ name, quoteCurrency }: PerpMeta): string {
    const suffix = `-${quoteCurrency}`;
    const short = name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
    return this.#byName.has(short.toUpperCase()) ? name : short;
  }

  #add(coin: Coin): Coin {
    this.#byId.set(coin.id, coin);
    for (const name of [coin.perp.name, coin.name]) this.#byName.set(name.toUpperCase(), coin);
    return coin;
  }
}
