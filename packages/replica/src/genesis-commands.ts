import type { Command, PerpDefinition, VenueParameters } from '@oddlot/engine';
import { address, instrumentId, type Address } from '@oddlot/units';

/**
 * The initial parameters and markets of a new venue. They become the first block of the log, so
 * later changes to these defaults affect only new venues.
 */

const USDC = 1_000_000;
const PERCENT = 1_000_000;

/**
 * The account of the insurance fund. The address is not derived from a key, so it can have no valid
 * signature.
 */
export const INSURANCE_FUND_ADDRESS = address('0x0dd107000000000000000000000000000000f0fd');

type GenesisOptions = {
  readonly admins?: readonly Address[];
  /** The accounts that may deploy outcome markets; by default, the admins. */
  readonly deployers?: readonly Address[] | undefined;
  /**
   * The fee for sending to a new address (R-limits-of-state). On a test network, accounts are
   * opened free of charge.
   */
  readonly openingFeeMicroUsdc?: number;
};

export const OPENING_FEE_MICRO_USDC = { mainnet: USDC, testnet: 0 } as const;

/** Returns the parameters that the rulebook leaves up to the network and its operator. */
export function defaultParameters(
  serviceNetwork: string,
  { admins = [], deployers = admins, openingFeeMicroUsdc = 0 }: GenesisOptions = {},
): VenueParameters {
  return {
    serviceNetwork,
    admins,
    deployers,
    openingMinMicroUsdc: USDC,
    openingFeeMicroUsdc,
    withdrawMinMicroUsdc: 2 * USDC,
    withdrawFeeMicroUsdc: USDC / 10,
    builderMinBalanceMicroUsdc: 100 * USDC,
    ...INSURANCE_FUND,
    ...LIQUIDATION,
    minOrderValueMicroUsdc: 10 * USDC,
    oracleBandE8: 80 * PERCENT,
    marketBandE8: 5 * PERCENT,
    oracleStaleMs: 30_000,
    externalStaleMs: 30_000,
    defaultLeverage: 20,
    reverseTimeoutMs: 10_000,
    fundingInterestE10: 1_000_000,
    fundingDamperE10: 5_000_000,
    fundingRateMaxE10: 400_000_000,
    feeTiers: [
      tier(0, 0, 15_000, 45_000),
      tier(1, 5_000_000, 12_000, 40_000),
      tier(2, 25_000_000, 8_000, 35_000),
      tier(3, 100_000_000, 4_000, 30_000),
      tier(4, 500_000_000, 0, 28_000),
      tier(5, 2_000_000_000, 0, 26_000),
    ],
  };
}

/** These parameters are defined by R-insurance-fund. */
const INSURANCE_FUND = {
  insuranceFundAddress: INSURANCE_FUND_ADDRESS,
  insuranceFeeShareE8: 10 * PERCENT,
  insuranceTargetE8: PERCENT,
  insuranceLeverageMax: 5,
  insuranceInstrumentMax: 2,
  insuranceHourE8: 10 * PERCENT,
  insuranceInstrumentHourE8: 5 * PERCENT,
  insuranceUnwindEveryMs: 10_000,
  insuranceUnwindShareE8: 10 * PERCENT,
  insuranceUnwindMicroUsdc: 10_000 * USDC,
  insuranceUnwindStepE8: PERCENT / 10,
  insuranceUnwindBandE8: PERCENT,
} as const;

/** These parameters are defined by R-liquidation. */
const LIQUIDATION = {
  liquidationFeeE8: PERCENT / 2,
  liquidationBandE8: 5 * PERCENT,
  liquidationPartialMicroUsdc: 100_000 * USDC,
  liquidationPartialShareE8: 20 * PERCENT,
  liquidationPartialWaitMs: 30_000,
  liquidationRetryMs: 1_000,
} as const;

function tier(level: number, volumeUsdc: number, makerFeeE8: number, takerFeeE8: number) {
  return { level, minVolumeMicroUsdc: volumeUsdc * USDC, makerFeeE8, takerFeeE8 };
}

/**
 * Builds a tier table from rows of [end of the tier in whole coins, leverage, maintenance in
 * percent].
 */
function tiers(lotsPerCoin: number, rows: readonly (readonly [number, number, number])[]) {
  return rows.map(([maxCoins, maxLeverage, mmrPercent], index) => ({
    tier: index + 1,
    minSize: (rows[index - 1]?.[0] ?? 0) * lotsPerCoin,
    maxSize: maxCoins * lotsPerCoin,
    maxLeverage,
    mmrE8: Math.round(mmrPercent * PERCENT),
  }));
}

type Listing = {
  readonly id: number;
  readonly base: string;
  readonly szDecimals: number;
  readonly priceTick: number;
  readonly bookTicks: readonly number[];
  readonly maxLimitCoins: number;
  readonly maxMarketCoins: number;
  readonly impactUsdc: number;
  readonly tiers: readonly (readonly [number, number, number])[];
};

const LISTINGS: readonly Listing[] = [
  {
    id: 1,
    base: 'BTC',
    szDecimals: 5,
    priceTick: 1,
    bookTicks: [1, 10, 100, 1_000],
    maxLimitCoins: 100,
    maxMarketCoins: 25,
    impactUsdc: 20_000,
    tiers: [
      [20, 50, 1],
      [100, 25, 2],
      [400, 10, 4.5],
      [1_000, 5, 10],
    ],
  },
  {
    id: 2,
    base: 'ETH',
    szDecimals: 4,
    priceTick: 1,
    bookTicks: [1, 10, 100, 1_000],
    maxLimitCoins: 2_000,
    maxMarketCoins: 500,
    impactUsdc: 20_000,
    tiers: [
      [500, 50, 1],
      [2_500, 25, 2],
      [10_000, 10, 4.5],
      [25_000, 5, 10],
    ],
  },
  {
    id: 3,
    base: 'SOL',
    szDecimals: 2,
    priceTick: 10,
    bookTicks: [10, 100, 1_000, 10_000],
    maxLimitCoins: 20_000,
    maxMarketCoins: 5_000,
    impactUsdc: 6_000,
    tiers: [
      [10_000, 20, 2.5],
      [50_000, 10, 4.5],
      [200_000, 5, 10],
    ],
  },
];

function definition(listing: Listing): PerpDefinition {
  const lotsPerCoin = 10 ** listing.szDecimals;
  return {
    instrumentId: instrumentId(listing.id),
    name: `${listing.base}-USDC`,
    baseCurrency: listing.base,
    quoteCurrency: 'USDC',
    szDecimals: listing.szDecimals,
    priceTick: listing.priceTick,
    bookTicks: listing.bookTicks,
    maxLimitOrderSize: listing.maxLimitCoins * lotsPerCoin,
    maxMarketOrderSize: listing.maxMarketCoins * lotsPerCoin,
    takerFeeE8: 45_000,
    makerFeeE8: 15_000,
    onlyIsolated: false,
    impactNotionalMicroUsdc: listing.impactUsdc * USDC,
    tiers: tiers(lotsPerCoin, listing.tiers),
    asset: {
      assetId: 100 + listing.id,
      weiDecimals: 6,
      maxSupply: '0',
      initialWei: '0',
      archorTokenWei: '0',
    },
    tagIds: [],
  };
}

export function isFirstPerp({ instrumentId: id }: PerpDefinition): boolean {
  return LISTINGS.some((listing) => listing.id === id);
}

export function genesisCommands(
  serviceNetwork: string,
  options: GenesisOptions = {},
): readonly Command[] {
  return [
    { type: 'genesis', parameters: defaultParameters(serviceNetwork, options) },
    ...LISTINGS.map((listing): Command => ({ type: 'registerPerp', perp: definition(listing) })),
  ];
}
