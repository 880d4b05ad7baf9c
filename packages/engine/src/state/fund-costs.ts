import { addUsdc, type MicroUsdc, subUsdc, ZERO_USDC } from '@oddlot/units';

const MINUTE_MS = 60_000;
/**
 * The number of minutes for which costs are kept: the current minute and the 59 minutes before it.
 */
const MINUTES_MAX = 60;
/** The instrument id for costs that do not belong to an instrument. */
export const NO_INSTRUMENT = 0;

type FundCost = readonly [instrumentId: number, minute: number, amount: MicroUsdc];

/**
 * The costs of the insurance fund in the last hour, by instrument and minute. They include
 * take-overs, unwinding, and the losses of insolvent accounts (R-insurance-fund). Gains do not
 * reduce these costs.
 */
export class FundCosts {
  readonly #rows: { readonly instrumentId: number; readonly minute: number; amount: MicroUsdc }[] =
    [];
  readonly #byInstrument = new Map<number, MicroUsdc>();
  #total: MicroUsdc = ZERO_USDC;

  add(timeMs: number, instrumentId: number, amount: MicroUsdc): void {
    this.#forget(timeMs);
    this.#put(instrumentId, Math.floor(timeMs / MINUTE_MS), amount);
  }

  /** Returns the costs of one instrument over the last hour. */
  of(timeMs: number, instrumentId: number): MicroUsdc {
    this.#forget(timeMs);
    return this.#byInstrument.get(instrumentId) ?? ZERO_USDC;
  }

  total(timeMs: number): MicroUsdc {
    this.#forget(timeMs);
    return this.#total;
  }

  /** Returns the costs over the last hour, sorted by minute and instrument id. */
  dump(timeMs: number): FundCost[] {
    this.#forget(timeMs);
    return [...this.#rows]
      .sort((a, b) => a.minute - b.minute || a.instrumentId - b.instrumentId)
      .map(({ amount, instrumentId, minute }) => [instrumentId, minute, amount]);
  }

  restore(rows: readonly FundCost[]): void {
    for (const [instrumentId, minute, amount] of rows) this.#put(instrumentId, minute, amount);
  }

  #put(instrumentId: number, minute: number, amount: MicroUsdc): void {
    const row = this.#rows.findLast(
      (each) => each.minute === minute && each.instrumentId === instrumentId,
    );
    if (row === undefined) this.#rows.push({ instrumentId, minute, amount });
    else row.amount = addUsdc(row.amount, amount);
    const before = this.#byInstrument.get(instrumentId) ?? ZERO_USDC;
    this.#byInstrument.set(instrumentId, addUsdc(before, amount));
    this.#total = addUsdc(this.#total, amount);
  }

  #forget(timeMs: number): void {
    const oldest = Math.floor(timeMs / MINUTE_MS) - MINUTES_MAX + 1;
    let dead = 0;
    for (const { amount, instrumentId, minute } of this.#rows) {
      if (minute >= oldest) break;
      dead += 1;
      const left = subUsdc(this.#byInstrument.get(instrumentId) ?? ZERO_USDC, amount);
      if (left === 0n) this.#byInstrument.delete(instrumentId);
      else this.#byInstrument.set(instrumentId, left);
      this.#total = subUsdc(this.#total, amount);
    }
    if (dead > 0) this.#rows.splice(0, dead);
  }
}
