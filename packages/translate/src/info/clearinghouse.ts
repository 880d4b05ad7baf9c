import {
  type AccountView,
  accountView,
  type MarginView,
  type PositionView,
  reverseJobs,
  type ReverseJobView,
  type State,
  type TpslLeg,
  type TpslView,
  vaultEquity,
} from '@oddlot/engine';
import type {
  AssetPosition,
  ClearinghouseState,
  MarginSummary,
  PositionLeverage,
  PositionTpsl,
  ReverseJob,
} from '@oddlot/protocol';
import { type Address, formatMoney, negUsdc, notional, present, ZERO_USDC } from '@oddlot/units';
import {
  formatAveragePrice,
  formatPrice,
  formatRatio,
  formatSize,
  RATIO_SAFE,
  type Scale,
} from '../format.ts';
import { answer, findPerp, type InfoHandler, type StateQueries } from './info-context.ts';
import { outcomeState, type OutcomeStateOptions } from './outcome-positions.ts';

type AccountType = 'perp' | 'outcome';

const clearinghouseState: InfoHandler<'clearinghouseState', ClearinghouseState> = (
  { state, markets },
  { user, accountType },
) => {
  const { catalogue } = markets;
  return answer(clearinghouseOf(state, user, accountType, { catalogue }));
};

const perpClearinghouseState: InfoHandler<'perpClearinghouseState', ClearinghouseState> = (
  { state },
  { user },
) => answer(clearinghouseOf(state, user, 'perp'));

/** Returns the state of a sub-account. A non-existent account is returned as an empty one. */
export function clearinghouseOf(
  state: State,
  user: Address,
  type: AccountType,
  options?: OutcomeStateOptions,
): ClearinghouseState {
  if (type === 'outcome') return outcomeState(state, user, options);
  return perpState(state, accountView(state, user) ?? emptyAccount(state, user));
}

function perpState(state: State, account: AccountView): ClearinghouseState {
  const { cross, isHedged, liquidationFee, maintenanceMargin, total, withdrawHold } = account;
  const risk = maintenanceMargin + liquidationFee;
  const rawTotal = total.accountValue - total.signedNotional;
  return {
    marginSummary: summaryOf(total),
    crossMarginSummary: summaryOf(cross),
    accountValuePlusWithdrawHold: formatMoney(total.accountValue + withdrawHold),
    totalRawUsdPlusWithdrawHold: formatMoney(rawTotal + withdrawHold),
    vaultEquity: formatMoney(account.vaultEquity),
    time: state.timeMs,
    assetPositions: account.positions.map((position) => positionRecord(state, position, isHedged)),
    activeReverseJobs: reverseJobs(state, account.address).map((job) => jobRecord(state, job)),
    crossMaintenanceMarginUsed: formatMoney(maintenanceMargin),
    crossMarginRatio: marginRatio({ equity: account.crossEquity, risk }),
    withdrawable: formatMoney(account.withdrawable),
  };
}

function summaryOf({ accountValue, marginUsed, notional: value, signedNotional }: MarginView) {
  return marginSummary({
    accountValue,
    totalMarginUsed: marginUsed,
    totalNtlPos: value,
    totalRawUsd: accountValue - signedNotional,
  });
}

const PHASES = { closing: 'Closing', opening: 'Opening' } as const;

function jobRecord(state: State, job: ReverseJobView): ReverseJob {
  const perp = present(findPerp(state, job.instrumentId), 'the perp of a job');
  return {
    asset: String(job.instrumentId),
    coin: perp.name,
    filledCloseQty: formatSize(perp, job.closed),
    marginMode: job.isIsolated ? 'Isolated' : 'Cross',
    phase: PHASES[job.phase],
    positionSzAtStart: formatSize(perp, job.sizeAtStart),
  };
}

function marginSummary(amounts: { readonly [Key in keyof MarginSummary]: bigint }): MarginSummary {
  return {
    accountValue: formatMoney(amounts.accountValue),
    totalMarginUsed: formatMoney(amounts.totalMarginUsed),
    totalNtlPos: formatMoney(amounts.totalNtlPos),
    totalRawUsd: formatMoney(amounts.totalRawUsd),
  };
}

const NO_MARGIN: MarginView = {
  accountValue: ZERO_USDC,
  notional: ZERO_USDC,
  signedNotional: ZERO_USDC,
  marginUsed: ZERO_USDC,
};

/**
 * Builds the view of an address without an account. It can still have vault equity, because a vault
 * depositor does not need an account.
 */
function emptyAccount(state: State, address: Address): AccountView {
  return {
    address,
    perpBalance: ZERO_USDC,
    outcomeBalance: ZERO_USDC,
    withdrawHold: ZERO_USDC,
    isHedged: false,
    total: NO_MARGIN,
    cross: NO_MARGIN,
    crossEquity: ZERO_USDC,
    initialMargin: ZERO_USDC,
    maintenanceMargin: ZERO_USDC,
    liquidationFee: ZERO_USDC,
    withdrawable: ZERO_USDC,
    vaultEquity: vaultEquity(state, address),
    positions: [],
  };
}

function positionRecord(state: State, position: PositionView, isHedged: boolean): AssetPosition {
  const perp = present(findPerp(state, position.instrumentId), 'the perp of a position');
  const { liquidationPrice, unrealised, leverage, cost } = position;
  const paid = cost < 0n ? -cost : cost;
  return {
    position: {
      adlQuantile: position.adlQuantile,
      asset: String(position.instrumentId),
      coin: perp.name,
      cumFunding: {
        allTime: formatMoney(position.fundingAllTime),
        sinceChange: formatMoney(position.fundingSinceChange),
        sinceOpen: formatMoney(position.fundingSinceOpen),
      },
      entryPx: formatAveragePrice(perp, cost, position.size),
      leverage: positionLeverage(position),
      liquidationPx: liquidationPrice === undefined ? '' : formatPrice(perp, liquidationPrice),
      marginRatio: marginRatio(position),
      marginUsed: formatMoney(position.marginUsed),
      markPx: formatPrice(perp, position.mark),
      maxLeverage: position.maxLeverage,
      positionValue: formatMoney(position.notional),
      // The exact formula is unrealised / (|size| × entry / leverage), where |size| × entry is the
      // cost.
      returnOnEquity: paid === 0n ? '0' : formatRatio(unrealised * BigInt(leverage), paid),
      szi: formatSize(perp, position.size),
      unrealizedPnl: formatMoney(unrealised),
      updateTime: position.updatedMs,
      cumFee: formatMoney(negUsdc(position.feesPaid)),
      closedPnl: formatMoney(position.realised),
    },
    tpsl: position.tpsl.flatMap((each) => tpslEntry(perp, each)),
    type: isHedged ? 'Hedge' : 'OneWay',
  };
}

/**
 * Formats the ratio of equity to risk (R-ratio). A margin account is liquidated when its ratio is 1
 * or lower.
 */
export function marginRatio({ equity, risk }: { equity: bigint; risk: bigint }): string {
  return risk === 0n ? RATIO_SAFE : formatRatio(equity, risk);
}

/**
 * Returns an isolated position's cash or debt in addition to its value, or an empty string for a
 * cross position.
 */
export function rawUsd(position: PositionView): string {
  if (!position.isIsolated) return '';
  return formatMoney(position.marginUsed - notional(position.mark, position.size));
}

function positionLeverage(position: PositionView): PositionLeverage {
  const type = position.isIsolated ? 'Isolated' : 'Cross';
  return { rawUsd: rawUsd(position), type, value: position.leverage };
}

/** There is no entry if neither order in the pair is still waiting. */
function tpslEntry(perp: Scale, entry: TpslView): PositionTpsl[] {
  const { takeProfit: tp, stopLoss: sl } = entry;
  if (tp === undefined && sl === undefined) return [];
  return [
    {
      createTime: entry.createdMs,
      quantity: formatSize(perp, entry.size),
      slOid: sl === undefined ? '' : String(sl.orderId),
      slOrderPrice: orderPrice(perp, sl),
      slOrderType: orderType(sl),
      slTriggerPrice: sl === undefined ? '' : formatPrice(perp, sl.triggerPrice),
      tpOid: tp === undefined ? '' : String(tp.orderId),
      tpOrderPrice: orderPrice(perp, tp),
      tpOrderType: orderType(tp),
      tpTriggerPrice: tp === undefined ? '' : formatPrice(perp, tp.triggerPrice),
    },
  ];
}

/** Returns an empty string for a market order, which has no limit price. */
function orderPrice(perp: Scale, leg: TpslLeg | undefined): string {
  return leg === undefined || leg.isMarket ? '' : formatPrice(perp, leg.price);
}

function orderType(leg: TpslLeg | undefined): string {
  if (leg === undefined) return '';
  return leg.isMarket ? 'Market' : 'Limit';
}

export const CLEARINGHOUSE_QUERIES = {
  clearinghouseState: { answer: clearinghouseState },
  perpClearinghouseState: { answer: perpClearinghouseState },
} as const satisfies StateQueries;
