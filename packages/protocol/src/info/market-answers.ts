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
