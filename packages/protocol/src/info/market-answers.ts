import type { OutcomeTrade, Trade } from './order-answers.ts';

export type PerpMeta = {
  name: string;
  /** The instrument id. */
  index: number;
  baseCurrency: string;
  quoteCurrency: string;
  currencyType: string;
  basePrecision: string;
  quotePrecision: string;
  /** The number of decimals in a size; a negative number means multiples of a power of ten. */
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
  /** True from the first block of the perp's closing hour. */
  delisted: boolean;
  /**
   * The time at which the closing hour ends; null if there is none, or while waiting for a price.
   */
  closingTime: number | null;
  /** Always false, because margin tiers depend on the size. */
  useNotionalMargin: boolean;
  tagIds?: number[];
};

/** A perp's funding for one hour. Rates are fractions per hour. */
export type FundingHistoryRow = {
  coin: string;
  fundingRate: string;
  /** The mean premium over the hour. */
  premium: string;
  /** The time at which the hour ended. */
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
    /** The base asset's token; the misspelling is part of the API. */
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
      /**
       * The maximum magnitude of a sampled premium, as a fraction of the oracle price (R-funding).
       */
      premiumCap: string;
    };
    marginTable: { instrumentId: number; tiers: MarginTier[] };
  }[];
};

/** A level of a book: price, size and number of orders. */
export type Level = { px: string; sz: string; n: number };

/** The bids and asks of a book, best price first. */
export type L2Book = { coin: string; time: number; levels: [bids: Level[], asks: Level[]] };

/**
 * A candle of an instrument; `T` is its last millisecond. `price` is absent if the prices are trade
 * prices.
 */
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
  price?: 'mark' | 'oracle';
};

/** The open interest of an instrument at the start of an hour. */
export type OpenInterestRow = {
  coin: string;
  /** The time of the first block in the hour, to which the figures apply. */
  time: number;
  /**
   * For a perp, the size of one side in the base asset; for an outcome market, the number of pairs
   * of shares.
   */
  openInterest: string;
  markPx: string;
};

/** A reduction of a position in one liquidation step. */
export type Liquidation = {
  time: number;
  hash: string;
  /** The position's owner. */
  user: string;
  coin: string;
  instrumentId: number;
  /** The side of the closing trade: `A` closed a long position. */
  side: 'B' | 'A';
  /** The closed size; the next fields are its average price and its value. */
  sz: string;
  px: string;
  ntl: string;
  step: 'market' | 'net' | 'insurance' | 'adl';
  leverageType: 'Cross' | 'Isolated';
  /** The mark price, account value and maintenance margin that caused the liquidation. */
  markPx: string;
  accountValue: string;
  maintenanceMargin: string;
};

/**
 * A trade with its value. A trade on an outcome market also has its outcome, that outcome's price,
 * and the market's texts.
 */
export type LargestTrade = Trade & {
  ntl: string;
  outcome?: OutcomeTrade['outcome'];
  price?: string;
  title?: string;
  slug?: string;
};

export type LargestTrades = {
  window: 'day' | 'week' | 'month';
  /** The time from which trades are counted, at most four hours before the window. */
  startTime: number;
  trades: LargestTrade[];
};

/** The holders of an outcome's shares, largest first. */
export type OutcomeHolders = {
  instrumentId: number;
  coin: string;
  outcome: 'Yes' | 'No';
  /** The number of holders of this outcome; the next field is their total shares. */
  holders: number;
  shares: string;
  rows: OutcomeHolder[];
  nextCursor: string | null;
  time: number;
};

/** A holder of shares; `entryPx` is their average cost. */
export type OutcomeHolder = { user: string; sz: string; entryPx: string };
