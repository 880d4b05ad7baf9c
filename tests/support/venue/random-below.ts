export type RandomBelow = (below: number) => number;

/**
 * Returns a mulberry32 generator of integers between zero (inclusive) and the bound (exclusive).
 */
export function randomBelow(seed: number): RandomBelow {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
