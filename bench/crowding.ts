/** How large a venue is that a bench has made. */
export type Crowding = {
  readonly accounts: number;
  readonly instruments: number;
  readonly orders: number;
};

/** The first perp of a crowd, which any venue lists; the others follow it. */
export const FIRST_PERP = 3;
