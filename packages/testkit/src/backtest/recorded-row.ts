/** What a recording tells of a moment. Prices and sizes are decimal text, as they were recorded. */
export type RecordedRow = RecordedCandle | RecordedTrade | RecordedBook | RecordedOracle;

export type RecordedCandle = {
  readonly kind: 'candle';
  /** Its first millisecond. */
  readonly timeMs: number;
  /** The first millisecond of the next one. */
  readonly endMs: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  /** In coins; `0` where nobody traded. */
  readonly volume: string;
};

export type RecordedTrade = {
  readonly kind: 'trade';
  readonly timeMs: number;
  readonly price: string;
  readonly size: string;
  /** Whether the one who took bought. */
  readonly isBuy: boolean;
};

/** All of a book, or as much of its top as was recorded. */
export type RecordedBook = {
  readonly kind: 'book';
  readonly timeMs: number;
  readonly bids: readonly RecordedLevel[];
  readonly asks: readonly RecordedLevel[];
};

export type RecordedLevel = { readonly price: string; readonly size: string };

/** A price of the oracle: where a recording has one, trades and books do not move it. */
export type RecordedOracle = {
  readonly kind: 'oracle';
  readonly timeMs: number;
  readonly price: string;
};
