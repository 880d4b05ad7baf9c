import { marketLiquidity, marketView, type State } from '@oddlot/engine';

/** What rests in the books of outcome markets, computed again only for a book that has changed. */
export class Liquidity {
  readonly #state: () => State;
  readonly #known = new Map<number, { readonly version: number; readonly amount: bigint }>();

  constructor(state: () => State) {
    this.#state = state;
  }

  /** Notional of all orders in a market, in micro-USDC. */
  of(instrumentId: number): bigint {
    const version = marketView(this.#state(), instrumentId)?.bookVersion;
    if (version === undefined) {
      this.#known.delete(instrumentId);
      return 0n;
    }
    const known = this.#known.get(instrumentId);
    if (known?.version === version) return known.amount;
    const amount = marketLiquidity(this.#state(), instrumentId);
    this.#known.set(instrumentId, { version, amount });
    return amount;
  }

  forget(instrumentId: number): void {
    this.#known.delete(instrumentId);
  }
}
