import type { PerpMeta } from '@oddlot/protocol';

/** A perp under its name on the port: the market's name without its quote currency. */
export type Coin = { readonly id: number; readonly name: string; readonly perp: PerpMeta };

/** Asset ids above are those of spot markets and builder-deployed perps. */
export const ASSET_ID_MAX = 9_999;

/**
 * The perps of the venue by their names and ids. A name is accepted in any case and with the quote
 * currency; answers contain the spelling of the universe.
 */
export class Coins {
  /** By id, ascending. */
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

  /** The name of a perp that is known by its id; the id itself for an unknown one. */
  nameOf(id: number): string {
    return this.#byId.get(id)?.name ?? String(id);
  }

  /** A second perp of the same base currency keeps its whole name. */
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
