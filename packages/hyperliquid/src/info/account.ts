import type {
  ActiveAssetData,
  ApprovedAgent,
  AssetPosition,
  ClearinghouseState,
  FeeTierInfo,
  FeeTierRates,
  MarginSummary,
  Portfolio,
} from '@oddlot/protocol';
import type { Coins } from '../coins.ts';
import { numberText } from './universe.ts';

export function clearinghouseOf(coins: Coins, state: ClearinghouseState): object {
  return {
    marginSummary: summaryOf(state.marginSummary),
    crossMarginSummary: summaryOf(state.crossMarginSummary),
    crossMaintenanceMarginUsed: state.crossMaintenanceMarginUsed,
    withdrawable: state.withdrawable,
    assetPositions: state.assetPositions.map((each) => positionOf(coins, each)),
    time: state.time,
  };
}

function summaryOf({ accountValue, totalMarginUsed, totalNtlPos, totalRawUsd }: MarginSummary) {
  return { accountValue, totalNtlPos, totalRawUsd, totalMarginUsed };
}

/** Converts a position. Funding received is positive on the venue and negative on Hyperliquid. */
function positionOf(coins: Coins, { position }: AssetPosition): object {
  const { allTime, sinceChange, sinceOpen } = position.cumFunding;
  return {
    type: 'oneWay',
    position: {
      coin: coins.nameOf(Number(position.asset)),
      szi: position.szi,
      leverage: leverageOf(position.leverage),
      entryPx: position.entryPx,
      positionValue: position.positionValue,
      unrealizedPnl: position.unrealizedPnl,
      returnOnEquity: position.returnOnEquity,
      liquidationPx: position.liquidationPx === '' ? null : position.liquidationPx,
      marginUsed: position.marginUsed,
      maxLeverage: position.maxLeverage,
      cumFunding: {
        allTime: negated(allTime),
        sinceOpen: negated(sinceOpen),
        sinceChange: negated(sinceChange),
      },
    },
  };
}

function negated(text: string): string {
  if (text === '0') return text;
  return text.startsWith('-') ? text.slice(1) : `-${text}`;
}

function leverageOf({
  rawUsd,
  type,
  value,
}: {
  readonly rawUsd: string;
  readonly type: 'Cross' | 'Isolated';
  readonly value: number;
}): object {
  return type === 'Cross'
    ? { type: 'cross', value }
    : { type: 'isolated', value, rawUsd: numberText(rawUsd) };
}

export function activeAssetOf(coin: string, data: ActiveAssetData): object {
  const { availableToTrade, leverage, markPx, maxTradeSzs, user } = data;
  return {
    user,
    coin,
    leverage: leverageOf(leverage),
    maxTradeSzs,
    availableToTrade,
    markPx: numberText(markPx),
  };
}

/** The expiry shown for agents, which never expire here. Clients compare it with a clock. */
const NEVER_MS = 253_402_300_799_000;

export function agentsOf(agents: readonly ApprovedAgent[]): object[] {
  return agents.map(({ agentAddress, agentName }) => ({
    address: agentAddress,
    name: agentName,
    validUntil: NEVER_MS,
  }));
}

export function feesOf({ tiers }: FeeTierInfo, rates: FeeTierRates): object {
  const [first] = tiers;
  const cross = first?.perpTakerFeeRate ?? rates.perpTakerFeeRate;
  const add = first?.perpMakerFeeRate ?? rates.perpMakerFeeRate;
  const spot = { spotCross: '0.0', spotAdd: '0.0' };
  const vip = tiers.slice(1).map((tier) => ({
    ntlCutoff: tier.min14dTradingVolume,
    cross: tier.perpTakerFeeRate,
    add: tier.perpMakerFeeRate,
    ...spot,
  }));
  return {
    dailyUserVlm: [],
    feeSchedule: {
      cross,
      add,
      ...spot,
      tiers: { vip, mm: [] },
      referralDiscount: '0.0',
      stakingDiscountTiers: [{ bpsOfMaxSupply: '0.0', discount: '0.0' }],
    },
    userCrossRate: rates.perpTakerFeeRate,
    userAddRate: rates.perpMakerFeeRate,
    userSpotCrossRate: '0.0',
    userSpotAddRate: '0.0',
    activeReferralDiscount: '0.0',
    trial: null,
    feeTrialEscrow: '0.0',
    nextTrialAvailableTimestamp: null,
    stakingLink: null,
    activeStakingDiscount: { bpsOfMaxSupply: '0.0', discount: '0.0' },
  };
}

export function portfolioOf({ points }: Portfolio): object {
  return {
    accountValueHistory: points.map(({ accountValue, time }) => [time, accountValue]),
    pnlHistory: points.map(({ pnl, time }) => [time, pnl]),
    vlm: points.at(-1)?.volume ?? '0.0',
  };
}

/** The windows of Hyperliquid's portfolio, each with the venue's name for it. */
export const PORTFOLIO_WINDOWS = [
  ['day', 'day'],
  ['week', 'week'],
  ['month', 'month'],
  ['allTime', 'all'],
] as const;
