/**
 * How a price level lies in the memory of its side: two Int32 numbers and two Float64 ones, each from
 * the level on, so that what is needed together lies together.
 */
export const LEVEL_FIELDS = {
  /** From level to level. */
  LEVEL_STEP: 2,
  /** Int32: slot of the first order of the queue. */
  HEAD: 0,
  /** Int32: slot of the last order of the queue. */
  TAIL: 1,
  /** Float64: number of orders. */
  COUNT: 0,
  /** Float64: lots of all orders. */
  TOTAL: 1,
} as const;
