import type { OutcomeTrade, Trade } from './order-answers.ts';

/** What the market queries answer. */

/** A perp in the universe. */
export type PerpMeta = {
  name: string;
  /** The instrument id. */
  index: number;
  baseCurrency: string;
  quoteCurrency: string;
  currencyType: string;
  basePrecision: string;
  quotePrecision: string;
  /** Negative means multiples of ten. */
  szDecimals: number;
  maxLeverage: number;
  tokens: [number, number];
  priceTick: string;
  pricePrecision: string;
  bookTicks: string[];
  maxLimitOrderSize: number;
  maxMarketOrderSize: number;
  haltTrading: boolean;
  onlyIsolated: boolean;
  /** From the first entry of its closing hour on. */
  delisted: boolean;
  /** When the closing hour ends, or ended; null without one, or while it waits for a price. */
  closingTime: number | null;
  /** False: tiers go by size. */
  useNotionalMargin: boolean;
  tagIds?: number[];
};

/** What an hour of a perp came to; rates as fractions per hour. */
export type FundingHistoryRow = {
  coin: string;
  fundingRate: string;
  /** The mean of the hour. */
  premium: string;
  /** When it fell due. */
  time: number;
};

/** Every perp. */
export type PerpUniverse = { universe: PerpMeta[] };

/** A tier of a margin table. */
type MarginTier = {
  tier: number;
  minSize: string;
  maxSize: string;
  maxLeverage: number;
  mmr: string;
};

/** One base asset and its perps. */
export type PerpMetaDetail = {
  asset: {
    name: string;
    assetId: number;
    szDecimals: number;
    weiDecimals: number;
    maxSupply: string;
    initialWei: string;
    /** Spelled so on the wire. */
    archorTokenWei: string;
  };
  instruments: {
    perp: {
      name: string;
      instrumentId: number;
      assets: number[];
      szDecimals: number;
      perpType: string;
      takerFeeRate: string;
      makerFeeRate: string;
      priceTick: string;
      bookTicks: string[];
      maxLimitOrderSize: number;
      maxMarketOrderSize: number;
      haltTrading: boolean;
      onlyIsolated: boolean;
      delisted: boolean;
      closingTime: number | null;
      /** Furthest from the oracle that a sampled premium may be, as a fraction (R-funding). */
      premiumCap: string;
    };
    marginTable: { instrumentId: number; tiers: MarginTier[] };
  }[];
};

/** A level of a book: price, size, number of orders. */
export type Level = { px: string; sz: string; n: number };

/** A book, bids and asks, best first. */
export type L2Book = { coin: string; time: number; levels: [bids: Level[], asks: Level[]] };

/** A candle; `T` is the last millisecond of it. */
export type Candle = {
  t: number;
  T: number;
  s: string;
  i: string;
  o: string;
  c: string;
  h: string;
  l: string;
  v: string;
  n: number;
  instrumentId: number;
};

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
