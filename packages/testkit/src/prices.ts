import { type Command, perpDefinitions, isListedPerp, type State } from '@oddlot/engine';
import { divFloor, formatDecimal, parseExact, timeMs } from '@oddlot/units';
import { priceDecimals, REFERENCE_DECIMALS, startPrice } from '@oddlot/venue/testkit';

/**
 * Returns the prices at a given time by symbol, such as `BTC`, as decimal text. Omitted symbols
 * keep their prices.
 */
export type PriceScript = (nowMs: number) => Readonly<Record<string, string>>;

/** The state of all prices at the time of a snapshot. */
export type PricesMoment = {
  readonly prices: ReadonlyMap<string, bigint>;
  readonly stale: ReadonlySet<string>;
  readonly script: PriceScript | undefined;
};

/** The symbols that have a price from the start, in addition to the listed perps' symbols. */
const FIRST_SYMBOLS: readonly string[] = ['BTC', 'ETH', 'SOL'];
/** A price has at most twelve digits before the decimal point. */
const PRICE_E8_END = 10n ** BigInt(12 + REFERENCE_DECIMALS);

/**
 * A test venue's oracle, which reports the current prices at every time step.
 *
 * @internal
 */
export class Prices {
  /** Prices by symbol, in units of 10^-8 USDC. */
  #prices = new Map<string, bigint>();
  #stale = new Set<string>();
  #script: PriceScript | undefined;
  readonly #state: () => State;

  constructor(state: () => State) {
    this.#state = state;
    for (const symbol of FIRST_SYMBOLS) {
      this.#prices.set(symbol, BigInt(startPrice(symbol, REFERENCE_DECIMALS)));
    }
  }

  get(symbol: string): string | undefined {
    const price = this.#prices.get(symbol);
    return price === undefined ? undefined : formatDecimal(price, REFERENCE_DECIMALS);
  }

  /** Sets all prices, or none if one of them is invalid. */
  set(prices: Readonly<Record<string, string>>): void {
    for (const [symbol, priceE8] of this.read(prices)) this.#prices.set(symbol, priceE8);
  }

  /**
   * Converts prices to units of 10^-8 USDC. Unknown symbols are rejected, because a mistyped symbol
   * would otherwise have no effect.
   */
  read(prices: Readonly<Record<string, unknown>>): readonly (readonly [string, bigint])[] {
    return Object.entries(prices).map(([symbol, price]) => {
      this.#check(symbol);
      const priceE8 = typeof price === 'string' ? parseExact(price, REFERENCE_DECIMALS) : undefined;
      if (priceE8 !== undefined && priceE8 > 0n && priceE8 < PRICE_E8_END) return [symbol, priceE8];
      throw new RangeError(
        `Invalid price ${JSON.stringify(price)} of ${symbol}. Use a decimal text above zero with at most ${REFERENCE_DECIMALS} decimals, such as "97000.5"`,
      );
    });
  }

  /** Calls the script at every time step; `undefined` ends the script. */
  follow(script: PriceScript | undefined): void {
    this.#script = script;
  }

  get isScripted(): boolean {
    return this.#script !== undefined;
  }

  /** Stops reporting a symbol, so that its price becomes stale. */
  silence(symbol: string): void {
    this.#check(symbol);
    this.#stale.add(symbol);
  }

  resume(symbol: string): void {
    this.#check(symbol);
    this.#stale.delete(symbol);
  }

  resumeAll(): void {
    this.#stale.clear();
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

  /** Returns the oracle commands for a time: prices of perps, and reference prices of series. */
  commands(state: State, nowMs: number): readonly Command[] {
    this.set(this.#script?.(nowMs) ?? {});
    const observedMs = timeMs(nowMs);
    const perps = perpDefinitions(state).flatMap((perp) => {
      const priceE8 = this.#currentPrice(perp.baseCurrency);
      if (priceE8 === undefined || !isListedPerp(state, perp.instrumentId)) return [];
      const units = divFloor(priceE8, 10n ** BigInt(REFERENCE_DECIMALS - priceDecimals(perp)));
      return [{ instrumentId: perp.instrumentId, oracle: Math.max(1, Number(units)) }];
    });
    // Unused reference prices are not reported, as on a real venue without series.
    const references = [...seriesSymbols(state)].flatMap((symbol) => {
      const priceE8 = this.#currentPrice(symbol);
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

  #currentPrice(symbol: string): bigint | undefined {
    return this.#stale.has(symbol) ? undefined : this.#prices.get(symbol);
  }

  #check(symbol: string): void {
    if (this.#prices.has(symbol)) return;
    const state = this.#state();
    const perps = perpDefinitions(state).map(({ baseCurrency }) => baseCurrency);
    const symbols = new Set([...this.#prices.keys(), ...perps, ...seriesSymbols(state)]);
    if (symbols.has(symbol)) return;
    throw new RangeError(
      `Unknown symbol ${JSON.stringify(symbol)}. Use one of ${[...symbols].join(', ')}`,
    );
  }
}

function seriesSymbols(state: State): ReadonlySet<string> {
  return new Set([...state.outcomes.series.values()].map(({ listing }) => listing.symbol));
}
