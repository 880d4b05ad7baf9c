import { type MicroUsdc, ZERO_USDC } from '@oddlot/units';
import type { Perp } from './perp.ts';

/**
 * Which perps a block has to look at, so that it costs what has happened and not how many are listed.
 *
 * What a perp is judged by changes in three ways: by a command of the operator, by the clock, which
 * makes marks due and oracles stale, and by the end of a closing hour. That an hour can settle no more
 * comes of samples that a stale oracle misses, and shows when the operator's next price comes. A block
 * with one of these is awake and looks at every perp; in any other nothing but trades has changed
 * anything, and the perps that they moved are known. Derived, never dumped: a restored venue is awake in
 * its first block.
 */
export class PerpWatch {
  /** Perps whose open interest changed since it was last counted. */
  readonly traded = new Set<Perp>();
  /** Perps with a closing hour, as the last block that was awake found them; by instrument id. */
  closing: readonly Perp[] = [];
  /** The open interest of all perps at their marks, as it was last counted. */
  interest: MicroUsdc = ZERO_USDC;
  #isAwake = true;
  #wakeMs = 0;

  /** True when the block has to look at every perp. */
  get isAwake(): boolean {
    return this.#isAwake;
  }

  /** A block begins. */
  begin(timeMs: number, hasOperator: boolean): void {
    this.#isAwake = hasOperator || timeMs >= this.#wakeMs;
  }

  /** Until this time the clock alone changes nothing. */
  sleepUntil(timeMs: number): void {
    this.#wakeMs = timeMs;
  }

  /** Something else has changed how perps are judged: this block and the next look at all of them. */
  wake(): void {
    this.#isAwake = true;
    this.#wakeMs = 0;
  }
}
