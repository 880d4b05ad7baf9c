import type { Address } from '@oddlot/units';

/** How much smaller or larger than planned an order is; the smallest is far from worn (see `difference`). */
const SIZE_SHARE_MIN = 0.7;
const SIZE_SHARE_MAX = 1.6;
/** In how many cases a size is a round number, as people like them. */
const ROUND_SHARE = 0.6;
/** How many of the further rungs a maker leaves out. */
const GAP_SHARE = 1 / 6;

/**
 * What makes one simulated maker differ from the next: sizes that vary and rungs that it leaves out.
 * All of it is drawn from its address, so that the same maker behaves the same, wherever it runs.
 */
export class QuotingStyle {
  readonly #seed: number;
  readonly #random: () => number;

  constructor(address: Address) {
    this.#seed = Number.parseInt(address.slice(-8), 16);
    this.#random = seeded(this.#seed);
  }

  /** A size near the planned one, within the bounds of its market. */
  sizeNear(planned: number, bounds: { readonly min: number; readonly max: number }): number {
    const share = SIZE_SHARE_MIN + this.#random() * (SIZE_SHARE_MAX - SIZE_SHARE_MIN);
    const digits = this.#random() < ROUND_SHARE ? 1 : 2;
    const size = rounded(planned * share, digits);
    return Math.min(Math.max(bounds.min, size), bounds.max);
  }

  /** Whether it quotes at a price that is not the best: always the same answer, so that quotes stay. */
  likes(price: number): boolean {
    return seeded(this.#seed ^ Math.imul(price, 0x9e_37_79_b1))() >= GAP_SHARE;
  }
}

/** To so many digits after the first, and at least 1. */
function rounded(size: number, digits: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, size))) - digits);
  return Math.max(1, Math.round(size / unit) * unit);
}

/** Uniform in [0, 1), the same for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
