import { accountView, type AccountView, type PositionView, type State } from '@oddlot/engine';
import type { AssetPosition, ClearinghouseState, MarginSummary } from '@oddlot/protocol';
import { negUsdc, present, ZERO_USDC, type Address } from '@oddlot/units';
import {
  formatAveragePrice,
  formatMoney,
  formatPrice,
  formatRatio,
  formatSize,
  RATIO_SAFE,
} from '../format.ts';
import { answer, findPerp, type InfoHandler } from './handler.ts';

type AccountType = 'perp' | 'outcome';

export const clearinghouseState: InfoHandler<'clearinghouseState', ClearinghouseState> = (
  { state },
  { user, accountType },
) => answer(clearinghouseOf(state, user, accountType));

export const perpClearinghouseState: InfoHandler<'perpClearinghouseState', ClearinghouseState> = (
  { state },
  { user },
) => answer(clearinghouseOf(state, user, 'perp'));

/** A sub-account as the wire shows it; one that does not exist is one without money. */
export function clearinghouseOf(
  state: State,
  user: Address,
  type: AccountType,
): ClearinghouseState {
  const account = accountView(state, user) ?? emptyAccount(user);
  return type === 'perp' ? perpState(state, account) : outcomeState(state, account);
}

function perpState(state: State, account: AccountView): ClearinghouseState {
  const { accountValue, marginUsed, notional, signedNotional } = account;
  // Every position is cross, so the summary of cross is the summary of all.
  const summary = marginSummary({
    accountValue,
    totalMarginUsed: marginUsed,
    totalNtlPos: notional,
    totalRawUsd: accountValue - signedNotional,
  });
  const ratio = marginRatio(account);
  return {
    ...shared(state, summary),
    assetPositions: account.positions.map((position) => positionRecord(state, position, ratio)),
    crossMaintenanceMarginUsed: formatMoney(account.maintenanceMargin),
    crossMarginRatio: ratio,
    withdrawable: formatMoney(account.withdrawable),
  };
}

function outcomeState(state: State, account: AccountView): ClearinghouseState {
  const free = account.outcomeBalance;
  const summary = marginSummary({
    accountValue: free,
    totalMarginUsed: 0n,
    totalNtlPos: 0n,
    totalRawUsd: free,
  });
  return {
    ...shared(state, summary),
    assetPositions: [],
    crossMaintenanceMarginUsed: '0',
    // There is no ratio where nothing is borrowed.
    crossMarginRatio: '',
    withdrawable: formatMoney(free),
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

/** What both sub-accounts tell alike. Nothing is on hold for a withdrawal. */
function shared(state: State, summary: MarginSummary) {
  return {
    marginSummary: summary,
    crossMarginSummary: summary,
    accountValuePlusWithdrawHold: summary.accountValue,
    totalRawUsdPlusWithdrawHold: summary.totalRawUsd,
    vaultEquity: '0',
    activeReverseJobs: [],
    time: state.timeMs,
  };
}

/** R-ratio; liquidation at 1 and below. */
function marginRatio(account: AccountView): string {
  const atRisk = account.maintenanceMargin + account.liquidationFee;
  return atRisk === 0n ? RATIO_SAFE : formatRatio(account.accountValue, atRisk);
}

function positionRecord(state: State, position: PositionView, ratio: string): AssetPosition {
  const perp = present(findPerp(state, position.instrumentId), 'the perp of a position');
  const { liquidationPrice, unrealised, leverage, cost } = position;
  const paid = cost < 0n ? -cost : cost;
  return {
    position: {
      adlQuantile: 0,
      asset: String(position.instrumentId),
      coin: perp.name,
      cumFunding: { allTime: '0', sinceChange: '0', sinceOpen: '0' },
      entryPx: formatAveragePrice(perp, cost, position.size),
      leverage: { rawUsd: '', type: 'Cross', value: leverage },
      liquidationPx: liquidationPrice === undefined ? '' : formatPrice(perp, liquidationPrice),
      marginRatio: ratio,
      marginUsed: formatMoney(position.marginUsed),
      markPx: formatPrice(perp, position.mark),
      maxLeverage: position.maxLeverage,
      positionValue: formatMoney(position.notional),
      // unrealised / (|size| × entry / leverage); |size| × entry is the cost.
      returnOnEquity: paid === 0n ? '0' : formatRatio(unrealised * BigInt(leverage), paid),
      szi: formatSize(perp, position.size),
      unrealizedPnl: formatMoney(unrealised),
      updateTime: position.updatedMs,
      cumFee: formatMoney(negUsdc(position.feesPaid)),
      closedPnl: formatMoney(position.realised),
    },
    tpsl: [],
    type: 'OneWay',
  };
}

function emptyAccount(address: Address): AccountView {
  return {
    address,
    perpBalance: ZERO_USDC,
    outcomeBalance: ZERO_USDC,
    accountValue: ZERO_USDC,
    unrealised: ZERO_USDC,
    notional: ZERO_USDC,
    signedNotional: ZERO_USDC,
    initialMargin: ZERO_USDC,
    maintenanceMargin: ZERO_USDC,
    liquidationFee: ZERO_USDC,
    marginUsed: ZERO_USDC,
    withdrawable: ZERO_USDC,
    positions: [],
  };
}
