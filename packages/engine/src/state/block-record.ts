import { divFloor, type MicroUsdc, microUsdc, negUsdc, ZERO_USDC } from '@oddlot/units';
import type { Account, Holding } from './account.ts';

/**
 * Records of the current block for its later steps (R-order-of-events). A price gap is settled among the positions
 * that were open when it occurred, at the state of that moment. Empty between blocks, so it is not part of the
 * state.
 */
export class BlockRecord {
  /** True while classes 1 and 2 execute, before the price gap of this block is settled. */
  isBeforeLiquidations = false;
  /** Called before the money or positions of an account change, starting with the first liquidation. */
  beforeChange: ((account: Account) => void) | undefined;
  readonly #funding = new Map<Holding, { readonly paid: MicroUsdc; readonly size: number }>();
  readonly #opened = new Map<Holding, number>();
  #countsLots = false;

  /** Step (4): a position has paid or collected funding. */
  noteFunding(holding: Holding, amount: MicroUsdc): void {
    if (amount < 0n) this.#funding.set(holding, { paid: negUsdc(amount), size: holding.size });
  }

  /** Funding that the remaining part of a position paid in this block, rounded down. */
  fundingPaid(holding: Holding): MicroUsdc {
    const noted = this.#funding.get(holding);
    if (noted === undefined || Math.sign(noted.size) !== Math.sign(holding.size)) return ZERO_USDC;
    const [left, size] = [Math.abs(holding.size), Math.abs(noted.size)];
    if (left >= size) return noted.paid;
    return microUsdc(divFloor(noted.paid * BigInt(left), BigInt(size)));
  }

  /** Step (6) begins: lots opened after this cannot be deleveraged in this block. */
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

  /** Called before a deleveraging, which closes lots that were open before step (6); newer lots remain. */
  takeHeld(holding: Holding, size: number): void {
    if (this.#countsLots) this.#opened.set(holding, (this.#opened.get(holding) ?? 0) + size);
  }

  /** Lots of a position that were open when step (6) began (R-adl). */
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
