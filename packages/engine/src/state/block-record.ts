import { divFloor, type MicroUsdc, microUsdc, negUsdc, ZERO_USDC } from '@oddlot/units';
import type { Account, Holding } from './account.ts';

/**
 * Records what happened in the current block for its later steps (R-order-of-events). A price gap
 * is settled among the positions that were open when it occurred, using their state at that time.
 * The record is empty between blocks, so it is not part of the state.
 */
export class BlockRecord {
  /** True while commands of classes 1 and 2 execute, before this block's price gap is settled. */
  isBeforeLiquidations = false;
  /**
   * Called before an account's money or positions change, starting with the block's first
   * liquidation.
   */
  beforeChange: ((account: Account) => void) | undefined;
  readonly #funding = new Map<Holding, { readonly paid: MicroUsdc; readonly size: number }>();
  readonly #opened = new Map<Holding, number>();
  #countsLots = false;

  /** Records the funding that a position paid in step (4). */
  noteFunding(holding: Holding, amount: MicroUsdc): void {
    if (amount < 0n) this.#funding.set(holding, { paid: negUsdc(amount), size: holding.size });
  }

  /** Returns the funding paid in this block by the remaining part of a position, rounded down. */
  fundingPaid(holding: Holding): MicroUsdc {
    const noted = this.#funding.get(holding);
    if (noted === undefined || Math.sign(noted.size) !== Math.sign(holding.size)) return ZERO_USDC;
    const [left, size] = [Math.abs(holding.size), Math.abs(noted.size)];
    if (left >= size) return noted.paid;
    return microUsdc(divFloor(noted.paid * BigInt(left), BigInt(size)));
  }

  /** Called when step (6) begins. Lots opened later cannot be auto-deleveraged in this block. */
  countLots(): void {
    this.#countsLots = true;
  }

  /** Records a size change before it happens; a reduction closes the newest lots first. */
  noteTrade(holding: Holding, after: number): void {
    if (!this.#countsLots) return;
    const before = holding.size;
    const isTurned = Math.sign(before) !== Math.sign(after);
    const opened = isTurned
      ? Math.abs(after)
      : (this.#opened.get(holding) ?? 0) + Math.abs(after) - Math.abs(before);
    this.#opened.set(holding, Math.max(0, opened));
  }

  /**
   * Called before a deleveraging, which closes the lots that were open before step (6) and leaves
   * newer lots.
   */
  takeHeld(holding: Holding, size: number): void {
    if (this.#countsLots) this.#opened.set(holding, (this.#opened.get(holding) ?? 0) + size);
  }

  /** Returns the number of a position's lots that were open when step (6) began (R-adl). */
  heldSince(holding: Holding): number {
    return Math.abs(holding.size) - (this.#opened.get(holding) ?? 0);
  }

  clear(): void {
    this.isBeforeLiquidations = false;
    this.beforeChange = undefined;
    this.#countsLots = false;
    if (this.#funding.size > 0) this.#funding.clear();
    if (this.#opened.size > 0) this.#opened.clear();
  }
}
