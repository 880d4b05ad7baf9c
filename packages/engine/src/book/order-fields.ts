/**
 * How an order lies in the pool's memory: its numbers side by side, those of Float64 in one array and
 * those of Int32 in another, both from the order's slot on. What a book touches comes first.
 *
 * An operation on a random order so misses the cache a few times and not once a field. The fields
 * are described where the pool names them.
 */

export const ORDER_FIELDS = {
  /** From slot to slot: the number of fields of the type that has most, the Float64 ones. */
  STRIDE: 11,

  PRICE: 0,
  REMAINING: 1,
  QUEUE_MS: 2,
  RANK: 3,
  ORDER_ID: 4,
  ACCEPTED_MS: 5,
  ORIGINAL: 6,
  FILLED_NOTIONAL: 7,
  FEE_OVERPAID: 8,
  EXPIRE_MS: 9,
  TAKER_OVERPAID: 10,

  /** A slot that doesn't exist reads no level, which every door of a book refuses. */
  LEVEL: 0,
  BOOK_NEXT: 1,
  BOOK_PREV: 2,
  INSTRUMENT: 3,
  FLAGS: 4,
  ACCOUNT: 5,
  OWN_NEXT: 6,
  OWN_PREV: 7,
  TIF: 8,
  /** In the memory of forks: which of them brought the order. */
  STAMP: 9,
} as const;
