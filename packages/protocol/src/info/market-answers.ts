import type { OutcomeTrade, Trade } from './order-answers.ts';

/** The answers to market queries. */

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
  /** True starting with the first log entry of its closing hour. */
  delisted: boolean;
  /** The end of the closing hour; null without one, or while it waits for a price. */
  closingTime: number | null;
  /** Always false: tiers depend on the size. */
  useNotionalMargin: boolean;
  tagIds?: number[];
};

/** The funding of a perp for one hour; rates are fractions per hour. */
export type FundingHistoryRow = {
  coin: string;
  fundingRate: string;
  /** The mean of the hour. */
  premium: string;
  /** The end of the hour. */
  time: number;
};

export type PerpUniverse = { universe: PerpMeta[] };

type MarginTier = {
  tier: number;
  minSize: string;
  maxSize: string;
  maxLeverage: number;
  mmr: string;
};

/** A base asset and its perps. */
export type PerpMetaDetail = {
  asset: {
    name: string;
    assetId: number;
    szDecimals: number;
    weiDecimals: number;
    maxSupply: string;
    initialWei: string;
    /** The wire name has this spelling. */
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
      /** The maximum distance of a sampled premium from the oracle, as a fraction (R-funding). */
      premiumCap: string;
    };
    marginTable: { instrumentId: number; tiers: MarginTier[] };
  }[];
};

/** A level of a book: price, size, number of orders. */
export type Level = { px: string; sz: string; n: number };

/** A book, bids and asks, best first. */
export type L2Book = { coin: string; time: number; levels: [bids: Level[], asks: Level[]] };

/** A candle; `T` is its last millisecond. */
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

/** The open interest of an instrument at the start of an hour. */
export type OpenInterestRow = {
  coin: string;
  /** The time of the hour's first block, whose figures these are. */
  time: number;
  /** For a perp in its base asset, one side; for an outcome market in pairs of shares. */
  openInterest: string;
  markPx: string;
};

/** The part of a position that a liquidation step closed. */
export type Liquidation = {
  time: number;
  hash: string;
  /** The owner of the position. */
  user: string;
  coin: string;
  instrumentId: number;
  /** The closing side: `A` closed a long position. */
  side: 'B' | 'A';
  /** The closed size, and its average price and value. */
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

/** A trade with its value; on outcome markets with its leg, that leg's price and the market's texts. */
export type LargestTrade = Trade & {
  ntl: string;
  outcome?: OutcomeTrade['outcome'];
  price?: string;
  title?: string;
  slug?: string;
};

export type LargestTrades = {
  window: 'day' | 'week' | 'month';
  /** The start of the counted trades: at most four hours before the window. */
  startTime: number;
  trades: LargestTrade[];
};

/** The holders of one leg, largest first. */
export type OutcomeHolders = {
  instrumentId: number;
  coin: string;
  outcome: 'Yes' | 'No';
  /** The number of holders of the leg, and their total shares. */
  holders: number;
  shares: string;
  rows: OutcomeHolder[];
  nextCursor: string | null;
  time: number;
};

/** A holder of shares; `entryPx` is their average cost. */
export type OutcomeHolder = { user: string; sz: string; entryPx: string };
