import {
  type PerpDefinition,
  perpDefinitions,
  perpView,
  premiumCapE8,
  type State,
} from '@oddlot/engine';
import {
  type FundingHistoryRow,
  LIMITS,
  type PerpMeta,
  type PerpMetaDetail,
  type PerpUniverse,
  refusal,
} from '@oddlot/protocol';
import { formatDecimal, MONEY_DECIMALS } from '@oddlot/units';
import { formatPrice, formatRate, formatRateE10, formatSize, sizeAsNumber } from '../format.ts';
import { answer, type InfoHandler, instrumentNotFound, type StateQueries } from './info-context.ts';

/** The asset id of USDC, the quote asset of every perp. */
const USDC_ASSET_ID = 1;

type Instrument = PerpMetaDetail['instruments'][number];

const perpMeta: InfoHandler<'perpMeta', PerpUniverse> = ({ state }) =>
  answer({ universe: perpUniverse(state) });

/** Returns every perp as listed in the `perpMeta` response. */
export function perpUniverse(state: State): PerpMeta[] {
  return perpDefinitions(state).map((perp) => universeEntry(state, perp));
}

const perpMetaDetail: InfoHandler<'perpMetaDetail', PerpMetaDetail> = (
  { state },
  { assetName },
) => {
  const perps = perpDefinitions(state).filter((perp) => perp.baseCurrency === assetName);
  const [first] = perps;
  if (first === undefined) {
    const allowed = [...new Set(perpDefinitions(state).map(({ baseCurrency }) => baseCurrency))];
    const details = { field: 'assetName', got: assetName, allowed };
    return { ok: false, error: refusal('instrumentNotFound', [], details) };
  }
  const { assetId, weiDecimals, maxSupply, initialWei, archorTokenWei } = first.asset;
  const { szDecimals } = first;
  const supply = { maxSupply, initialWei, archorTokenWei };
  return answer({
    asset: { name: first.baseCurrency, assetId, szDecimals, weiDecimals, ...supply },
    instruments: perps.map((perp) => ({
      perp: perpEntry(state, perp),
      marginTable: marginTable(perp),
    })),
  });
};

function universeEntry(state: State, perp: PerpDefinition): PerpMeta {
  const tick = formatPrice(perp, perp.priceTick);
  return {
    name: perp.name,
    index: perp.instrumentId,
    baseCurrency: perp.baseCurrency,
    quoteCurrency: perp.quoteCurrency,
    currencyType: 'usdc',
    basePrecision: formatSize(perp, 1),
    quotePrecision: formatDecimal(1, MONEY_DECIMALS),
    szDecimals: perp.szDecimals,
    maxLeverage: perp.tiers[0]?.maxLeverage ?? 0,
    tokens: assetsOf(perp),
    priceTick: tick,
    pricePrecision: tick,
    bookTicks: perp.bookTicks.map((each) => formatPrice(perp, each)),
    ...sizesAndGates(state, perp),
    useNotionalMargin: false,
    tagIds: [...perp.tagIds],
  };
}

function perpEntry(state: State, perp: PerpDefinition): Instrument['perp'] {
  return {
    name: perp.name,
    instrumentId: perp.instrumentId,
    assets: assetsOf(perp),
    szDecimals: perp.szDecimals,
    perpType: 'linear',
    takerFeeRate: formatRate(perp.takerFeeE8),
    makerFeeRate: formatRate(perp.makerFeeE8),
    priceTick: formatPrice(perp, perp.priceTick),
    bookTicks: perp.bookTicks.map((each) => formatPrice(perp, each)),
    ...sizesAndGates(state, perp),
    premiumCap: formatRate(premiumCapE8(perp)),
  };
}

/**
 * Returns the size limits and the trading status. The limits are JSON numbers, because these API
 * fields have that type.
 */
function sizesAndGates(state: State, perp: PerpDefinition) {
  const view = perpView(state, perp.instrumentId);
  return {
    maxLimitOrderSize: sizeAsNumber(perp, perp.maxLimitOrderSize),
    maxMarketOrderSize: sizeAsNumber(perp, perp.maxMarketOrderSize),
    haltTrading: view?.halted ?? false,
    onlyIsolated: perp.onlyIsolated,
    delisted: view?.delisted ?? false,
    closingTime: view?.closingMs ?? null,
  };
}

function marginTable(perp: PerpDefinition): Instrument['marginTable'] {
  return {
    instrumentId: perp.instrumentId,
    tiers: perp.tiers.map(({ tier, minSize, maxSize, maxLeverage, mmrE8 }) => ({
      tier,
      minSize: formatSize(perp, minSize),
      maxSize: formatSize(perp, maxSize),
      maxLeverage,
      mmr: formatRate(mmrE8),
    })),
  };
}

function assetsOf(perp: PerpDefinition): [number, number] {
  return [perp.asset.assetId, USDC_ASSET_ID];
}

/** Lists the hourly funding of a perp, oldest first. The perp is given by name or id. */
const fundingHistory: InfoHandler<'fundingHistory', FundingHistoryRow[]> = (
  { markets, state },
  { coin, endTime = state.timeMs, startTime },
) => {
  const perp = perpDefinitions(state).find(
    ({ instrumentId, name }) => name === coin || String(instrumentId) === coin,
  );
  if (perp === undefined) return instrumentNotFound('coin', coin);
  const points = markets.fundings.between(perp.instrumentId, startTime, endTime);
  return answer(
    points.slice(0, LIMITS.fundingHistoryMax).map(([time, rateE10, premiumE10]) => ({
      coin: perp.name,
      fundingRate: formatRateE10(rateE10),
      premium: formatRateE10(premiumE10),
      time,
    })),
  );
};

export const PERP_QUERIES = {
  perpMeta: { answer: perpMeta, isCommon: true },
  perpMetaDetail: { answer: perpMetaDetail, isCommon: true },
  fundingHistory: { answer: fundingHistory },
} as const satisfies StateQueries;
