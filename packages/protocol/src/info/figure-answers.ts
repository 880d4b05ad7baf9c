import type { OutcomeTrade, Trade } from './trade.ts';

/** What can be known of a market, whoever traded there. */

/** What was held of an instrument when an hour had begun. */
export type OpenInterestRow = {
  coin: string;
  /** Of the first block of the hour, which is what the figures are of. */
  time: number;
  /** Of a perp in its base, one side; of an outcome market in pairs of shares. */
  openInterest: string;
  markPx: string;
};

/** What a step of a liquidation closed of one position. */
export type Liquidation = {
  time: number;
  hash: string;
  /** Whose position it was. */
  user: string;
  coin: string;
  instrumentId: number;
  /** What closed it: `A` closed a long position. */
  side: 'B' | 'A';
  /** What the step closed, and its average price and value. */
  sz: string;
  px: string;
  ntl: string;
  step: 'market' | 'net' | 'insurance' | 'adl';
  leverageType: 'Cross' | 'Isolated';
  /** The numbers that caused it. */
  markPx: string;
  accountValue: string;
  maintenanceMargin: string;
};

/** A trade with what the taker paid; of outcome markets with its leg, that leg's price and the market's texts. */
export type LargestTrade = Trade & {
  ntl: string;
  outcome?: OutcomeTrade['outcome'];
  price?: string;
  title?: string;
  slug?: string;
};

/** The largest trades of a window. */
export type LargestTrades = {
  window: 'day' | 'week' | 'month';
  /** What is counted begins here: at most four hours before the window does. */
  startTime: number;
  trades: LargestTrade[];
};

/** Who holds the shares of one leg, the most first. */
export type OutcomeHolders = {
  instrumentId: number;
  coin: string;
  outcome: 'Yes' | 'No';
  /** How many accounts hold the leg, and all that they hold. */
  holders: number;
  shares: string;
  rows: OutcomeHolder[];
  nextCursor: string | null;
  time: number;
};

/** An account that holds shares; `entryPx` is the average of what they cost. */
export type OutcomeHolder = { user: string; sz: string; entryPx: string };
