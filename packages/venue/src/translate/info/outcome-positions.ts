import { outcomeAccountView, type SharesView, type State } from '@oddlot/engine';
import type { AssetPosition, ClearinghouseState, Position } from '@oddlot/protocol';
import { type Address, divFloor, divHalfUp, formatMoney, negUsdc } from '@oddlot/units';
import type { MarketRecord, OutcomeCatalogue } from '../../read-models/outcome-catalogue.ts';
import { outcomeName } from '../actions/instrument-lookup.ts';
import {
  decimalsOf,
  formatAveragePrice,
  formatHalfPrice,
  formatPrice,
  formatRatio,
  formatSize,
} from '../format.ts';
import { answer, type InfoHandler } from './handler.ts';
import { marketScale, resolutionStatus } from './outcome-market.ts';

/** Shares as position records: YES has a positive size, NO a negative one. */
export const outcomePositions: InfoHandler<'outcomePositions', AssetPosition[]> = (
  { state, markets },
  { instrumentIds = [], user },
) => {
  const shares = sharesOf(state, user).filter(
    ({ instrumentId }) => instrumentIds.length === 0 || instrumentIds.includes(instrumentId),
  );
  return answer(shares.map((each) => sharesRecord(state, each, markets.catalogue)));
};

export type OutcomeStateOptions = {
  /** Without it the records have no texts, as those of the node have none. */
  readonly catalogue?: OutcomeCatalogue;
};

/** The sub-account of outcome markets. */
export function outcomeState(
  state: State,
  user: Address,
  options: OutcomeStateOptions = {},
): ClearinghouseState {
  const { free = 0n, reserved = 0n } = outcomeAccountView(state, user) ?? {};
  const shares = sharesOf(state, user);
  const value = shares.reduce((sum, each) => sum + valueOf(each), 0n);
  // What is owed to somebody rounds down once (R-rounding): the same number as in the proof of reserves.
  const owed = divFloor(
    shares.reduce((sum, each) => sum + halvesOf(each), 0n),
    2n,
  );
  const cost = shares.reduce((sum, each) => sum + each.cost, 0n);
  const summary = {
    accountValue: formatMoney(free + reserved + owed),
    totalMarginUsed: formatMoney(reserved + cost),
    totalNtlPos: formatMoney(value),
    totalRawUsd: formatMoney(free + reserved),
  };
  return {
    marginSummary: summary,
    crossMarginSummary: { ...summary },
    // Withdrawals leave from the other sub-account, and what a vault is worth is told there.
    accountValuePlusWithdrawHold: summary.accountValue,
    totalRawUsdPlusWithdrawHold: summary.totalRawUsd,
    vaultEquity: '0',
    time: state.timeMs,
    assetPositions: shares.map((each) => sharesRecord(state, each, options.catalogue)),
    activeReverseJobs: [],
    crossMaintenanceMarginUsed: '0',
    // There is no ratio where nothing is borrowed.
    crossMarginRatio: '',
    withdrawable: formatMoney(free),
  };
}

function sharesOf(state: State, user: Address): readonly SharesView[] {
  return outcomeAccountView(state, user)?.positions ?? [];
}

/** At the leg's mark; half a micro-USDC is shown as one. */
function valueOf(shares: SharesView): bigint {
  return divHalfUp(halvesOf(shares), 2n);
}

function halvesOf({ markHalves, size }: SharesView): bigint {
  return BigInt(markHalves) * BigInt(size);
}

const NO_FUNDING = { allTime: '0', sinceChange: '0', sinceOpen: '0' };

function sharesRecord(
  state: State,
  shares: SharesView,
  catalogue: OutcomeCatalogue | undefined,
): AssetPosition {
  const { cost, instrumentId, leg, size } = shares;
  const scale = marketScale(state, instrumentId);
  const value = valueOf(shares);
  const market = catalogue?.market(instrumentId);
  return {
    position: {
      adlQuantile: 0,
      asset: String(instrumentId),
      coin: outcomeName(instrumentId),
      cumFunding: NO_FUNDING,
      entryPx: formatAveragePrice(scale, cost, size),
      leverage: { rawUsd: '', type: 'Cross', value: 1 },
      liquidationPx: '',
      marginRatio: '',
      marginUsed: formatMoney(cost),
      markPx: formatHalfPrice(scale, shares.markHalves),
      maxLeverage: 1,
      positionValue: formatMoney(value),
      returnOnEquity: cost === 0n ? '0' : formatRatio(value - cost, cost),
      szi: formatSize(scale, leg === 'yes' ? size : -size),
      unrealizedPnl: formatMoney(value - cost),
      updateTime: shares.updatedMs,
      cumFee: formatMoney(negUsdc(shares.feesPaid)),
      closedPnl: formatMoney(shares.realised),
      ...(market === undefined ? {} : textsOf(market)),
    },
    tpsl: [],
    type: 'OneWay',
  };
}

type Texts = Required<
  Pick<
    Position,
    'title' | 'slug' | 'outcomeNames' | 'priceDecimals' | 'sizeDecimals' | 'resolutionStatus'
  >
>;

function textsOf(market: MarketRecord): Texts {
  const { outcomes, priceTick, question, slug, szDecimals } = market.listing;
  return {
    title: question,
    slug,
    outcomeNames: [...outcomes],
    priceDecimals: decimalsOf(formatPrice({ szDecimals }, priceTick)),
    sizeDecimals: szDecimals,
    resolutionStatus: resolutionStatus(market),
  };
}
