import { type Command, perpDefinitions, perpView, type State } from '@oddlot/engine';
import { divFloor, formatDecimal, parseExact, timeMs } from '@oddlot/units';
import { priceDecimals, REFERENCE_DECIMALS, startPrice } from '@oddlot/venue/in-hand';

/** Prices of a moment by symbol (`BTC`), as decimal text; a symbol that is left out stays where it is. */
export type PriceScript = (nowMs: number) => Readonly<Record<string, string>>;

/** What is known of prices, to come back to. */
export type PricesMoment = {
  readonly prices: ReadonlyMap<string, bigint>;
  readonly stale: ReadonlySet<string>;
  readonly script: PriceScript | undefined;
};

/** The symbols that have a price from the start, besides those of listed perps. */
const FIRST_SYMBOLS: readonly string[] = ['BTC', 'ETH', 'SOL'];

/** The oracle of a venue in hand: it says what it was told, with every step of time. */
export class Prices {
  /** By symbol, in 10^-8. */
  #prices = new Map<string, bigint>();
  #stale = new Set<string>();
  #script: PriceScript | undefined;

  constructor() {
    for (const symbol of FIRST_SYMBOLS) {
      this.#prices.set(symbol, BigInt(startPrice(symbol, REFERENCE_DECIMALS)));
    }
  }

  get(symbol: string): string | undefined {
    const price = this.#prices.get(symbol);
    return price === undefined ? undefined : formatDecimal(price, REFERENCE_DECIMALS);
  }

  set(symbol: string, price: string): void {
    const priceE8 = parseExact(price, REFERENCE_DECIMALS);
    if (priceE8 === undefined || priceE8 <= 0n) {
      throw new RangeError(
        `"${price}" is no price of ${symbol}; write a decimal text above zero with at most ` +
          `${REFERENCE_DECIMALS} decimals, such as "97000.5"`,
      );
    }
    this.#prices.set(symbol, priceE8);
  }

  /** Asked with every step of time from now on; undefined ends it. */
  follow(script: PriceScript | undefined): void {
    this.#script = script;
  }

  get isScripted(): boolean {
    return this.#script !== undefined;
  }

  /** Nothing is told of a symbol any more: it becomes stale. */
  silence(symbol: string): void {
    this.#stale.add(symbol);
  }

  resume(symbol: string): void {
    this.#stale.delete(symbol);
  }

  get silent(): ReadonlySet<string> {
    return this.#stale;
  }

  moment(): PricesMoment {
    return {
      prices: new Map(this.#prices),
      stale: new Set(this.#stale),
      script: this.#script,
    };
  }

  goBackTo({ prices, script, stale }: PricesMoment): void {
    this.#prices = new Map(prices);
    this.#stale = new Set(stale);
    this.#script = script;
  }

  /** What the oracle tells at a moment: the prices of perps, and those that series go by. */
  commands(state: State, nowMs: number): readonly Command[] {
    for (const [symbol, price] of Object.entries(this.#script?.(nowMs) ?? {})) {
      this.set(symbol, price);
    }
    const observedMs = timeMs(nowMs);
    const perps = perpDefinitions(state).flatMap((perp) => {
      const priceE8 = this.#told(perp.baseCurrency);
      const isListed = perpView(state, perp.instrumentId)?.delisted === false;
      if (priceE8 === undefined || !isListed) return [];
      const units = divFloor(priceE8, 10n ** BigInt(REFERENCE_DECIMALS - priceDecimals(perp)));
      return [{ instrumentId: perp.instrumentId, oracle: Math.max(1, Number(units)) }];
    });
    // As a real venue without series: what nobody goes by is not told.
    const symbols = new Set(
      [...state.outcomes.series.values()].map(({ listing }) => listing.symbol),
    );
    const references = [...symbols].flatMap((symbol) => {
      const priceE8 = this.#told(symbol);
      if (priceE8 === undefined) return [];
      const observed = { symbol, priceE8: Number(priceE8), observedMs };
      return [
        { ...observed, source: 'oracle' as const },
        { ...observed, source: 'spot' as const },
      ];
    });
    return [
      ...(perps.length === 0 ? [] : [{ type: 'pushOracle' as const, prices: perps, observedMs }]),
      ...(references.length === 0 ? [] : [{ type: 'pushPrice' as const, prices: references }]),
    ];
  }

  #told(symbol: string): bigint | undefined {
    return this.#stale.has(symbol) ? undefined : this.#prices.get(symbol);
  }
}
