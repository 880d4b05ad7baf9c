/** Reproducible random numbers from the mulberry32 generator, which has 32 bits of state. */
export type SeededRandom = {
  /** Returns a fraction in [0, 1). */
  next(): number;
  /** Returns an integer in [0, bound). */
  below(bound: number): number;
  pick<T>(items: readonly T[]): T;
};

export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const below = (bound: number) => Math.floor(next() * bound);
  return { next, below, pick: (items) => items[below(items.length)]! };
}
