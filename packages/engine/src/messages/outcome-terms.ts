/** What a time-weighted price was computed from: exact sums as text, for receipts. */
export type TwapInputs = {
  readonly sumE8: string;
  readonly samples: readonly { readonly atMs: number; readonly priceE8: number }[];
};

/** R-phases. */
export type MarketPhase = 'upcoming' | 'open' | 'halted' | 'closed' | 'resolved';

/** R-one-book: YES or NO, as `b` and `r` name it together. */
export type OutcomeLeg = 'yes' | 'no';
