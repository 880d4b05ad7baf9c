import type { InstrumentId } from '@oddlot/units';

/** A perpetual as it is listed. Prices, sizes and rates are integers (R-units). */
export type PerpDefinition = {
  readonly instrumentId: InstrumentId;
  /** "BTC-USDC". */
  readonly name: string;
  readonly baseCurrency: string;
  readonly quoteCurrency: 'USDC';
  /** Decimals of a lot; negative means multiples of ten. pxDecimals is 6 minus this. */
  readonly szDecimals: number;
  /** In price units. */
  readonly priceTick: number;
  /** Steps that a book may be shown in, in price units, finest first. */
  readonly bookTicks: readonly number[];
  readonly maxLimitOrderSize: number;
  readonly maxMarketOrderSize: number;
  readonly takerFeeE8: number;
  readonly makerFeeE8: number;
  readonly onlyIsolated: boolean;
  /** R-funding, micro-USDC. */
  readonly impactNotionalMicroUsdc: number;
  /** R-mark: widest distance of the mark from the oracle, 10^-8. Absent: as wide as the margin table allows. */
  readonly markBandE8?: number;
  /** R-funding: widest distance of a sampled price from the oracle, 10^-8. Absent: `LIMITS.premiumCapE8`. */
  readonly premiumCapE8?: number;
  readonly tiers: readonly MarginTier[];
  readonly asset: {
    readonly assetId: number;
    readonly weiDecimals: number;
    readonly maxSupply: string;
    readonly initialWei: string;
    readonly archorTokenWei: string;
  };
  readonly tagIds: readonly number[];
};

/** A perpetual to be listed: the venue fills in what is left out. */
export type PerpListing = Omit<PerpDefinition, 'instrumentId' | 'asset'> & {
  /** By default the next after the largest in use. */
  readonly instrumentId?: InstrumentId;
  /** By default asset 100 + instrument id, of which nothing more is known. */
  readonly asset?: PerpDefinition['asset'];
};

/** What may change about a listed perpetual; prices and sizes keep their units for ever. */
export type PerpChanges = Partial<
  Pick<
    PerpDefinition,
    | 'priceTick'
    | 'bookTicks'
    | 'maxLimitOrderSize'
    | 'maxMarketOrderSize'
    | 'takerFeeE8'
    | 'makerFeeE8'
    | 'onlyIsolated'
    | 'impactNotionalMicroUsdc'
    | 'markBandE8'
    | 'premiumCapE8'
    | 'tiers'
    | 'tagIds'
  >
>;

/** R-tiers: what a position between two sizes (in lots) may and must. */
export type MarginTier = {
  readonly tier: number;
  readonly minSize: number;
  readonly maxSize: number;
  readonly maxLeverage: number;
  readonly mmrE8: number;
};
