import { divFloor, type MicroUsdc, microUsdc, negUsdc, ZERO_USDC } from '@oddlot/units';
import type { Account, Holding } from './account.ts';

/**
 * What one block has done so far, for its own later steps (R-order-of-events). A gap is settled among
 * those who held positions when it came, at the state of that moment, so somebody has to remember it.
 * Empty between blocks: nothing of it is state.
 */
export class BlockRecord {
  /** True while classes 1 and 2 execute: the gap of this block is not settled yet. */
  isBeforeLiquidations = false;
  /** Told before an account's money or positions change, from the first liquidation on. */
  beforeChange: ((account: Account) => void) | undefined;
  readonly #funding = new Map<Holding, { readonly paid: MicroUsdc; readonly size: number }>();
  readonly #opened = new Map<Holding, number>();
  #countsLots = false;

  /** Step (4): a position has paid or collected funding. */
  noteFunding(holding: Holding, amount: MicroUsdc): void {
    if (amount < 0n) this.#funding.set(holding, { paid: negUsdc(amount), size: holding.size });
  }

  /** What is left of a position has paid so much funding in this block, rounded down. */
  fundingPaid(holding: Holding): MicroUsdc {
    const noted = this.#funding.get(holding);
    if (noted === undefined || Math.sign(noted.size) !== Math.sign(holding.size)) return ZERO_USDC;
    const [left, size] = [Math.abs(holding.size), Math.abs(noted.size)];
    if (left >= size) return noted.paid;
    return microUsdc(divFloor(noted.paid * BigInt(left), BigInt(size)));
  }

  /** Step (6) begins: lots that are opened from here on are nobody's to deleverage. */
  countLots(): void {
    this.#countsLots = true;
  }

  /** A position is about to change. Reductions take the newest lots first. */
  noteTrade(holding: Holding, after: number): void {
    if (!this.#countsLots) return;
    const before = holding.size;
    const isTurned = Math.sign(before) !== Math.sign(after);
    const opened = isTurned
      ? Math.abs(after)
      : (this.#opened.get(holding) ?? 0) + Math.abs(after) - Math.abs(before);
    this.#opened.set(holding, Math.max(0, opened));
  }

  /** Lots are about to be deleveraged, which takes those that were held: the newest stay. */
  takeHeld(holding: Holding, size: number): void {
    if (this.#countsLots) this.#opened.set(holding, (this.#opened.get(holding) ?? 0) + size);
  }

  /** Lots of a position that were there when step (6) began (R-adl). */
  heldSince(holding: Holding): number {
    return Math.abs(holding.size) - (this.#opened.get(holding) ?? 0);
  }

  /** The block is over. */
  clear(): void {
    this.isBeforeLiquidations = false;
    this.beforeChange = undefined;
    this.#countsLots = false;
    if (this.#funding.size > 0) this.#funding.clear();
    if (this.#opened.size > 0) this.#opened.clear();
  }
}
