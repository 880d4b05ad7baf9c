import {
  accountView,
  reverseJobs,
  vaultEquity,
  type AccountView,
  type MarginView,
  type ReverseJobView,
  type State,
} from '@oddlot/engine';
import type { ClearinghouseState, MarginSummary, ReverseJob } from '@oddlot/protocol';
import { type Address, formatMoney, present, ZERO_USDC } from '@oddlot/units';
import { formatSize } from '../format.ts';
import { answer, findPerp, type InfoHandler } from './handler.ts';
import { outcomeState, type OutcomeStateOptions } from './outcome-positions.ts';
import { marginRatio, positionRecord } from './position-record.ts';

type AccountType = 'perp' | 'outcome';

export const clearinghouseState: InfoHandler<'clearinghouseState', ClearinghouseState> = (
  { state, markets },
  { user, accountType },
) => {
  const { catalogue } = markets;
  return answer(clearinghouseOf(state, user, accountType, { catalogue }));
};

export const perpClearinghouseState: InfoHandler<'perpClearinghouseState', ClearinghouseState> = (
  { state },
  { user },
) => answer(clearinghouseOf(state, user, 'perp'));

/** A sub-account as the wire shows it; one that does not exist is one without money. */
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
  const rawUsd = total.accountValue - total.signedNotional;
  return {
    marginSummary: summaryOf(total),
    crossMarginSummary: summaryOf(cross),
    accountValuePlusWithdrawHold: formatMoney(total.accountValue + withdrawHold),
    totalRawUsdPlusWithdrawHold: formatMoney(rawUsd + withdrawHold),
    vaultEquity: formatMoney(account.vaultEquity),
    time: state.timeMs,
    assetPositions: account.positions.map((position) => positionRecord(state, position, isHedged)),
    activeReverseJobs: reverseJobs(state, account.address).map((job) => jobRecord(state, job)),
    crossMaintenanceMarginUsed: formatMoney(maintenanceMargin),
    crossMarginRatio: marginRatio({ equity: account.crossEquity, risk }),
    withdrawable: formatMoney(account.withdrawable),
  };
}

function summaryOf({ accountValue, marginUsed, notional, signedNotional }: MarginView) {
  return marginSummary({
    accountValue,
    totalMarginUsed: marginUsed,
    totalNtlPos: notional,
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

/** Shares of a vault need no account. */
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
