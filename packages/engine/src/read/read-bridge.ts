import { type Address, type MicroUsdc, subUsdc, type TimeMs } from '@oddlot/units';
import { isForBound } from '../auth/agents.ts';
import type { CreditDepositCommand, DepositSource } from '../messages/command.ts';
import {
  type ChainPlace,
  type CreditedDeposit,
  depositKey,
  isCredited,
  type Reserves,
} from '../state/bridge.ts';
import type { State } from '../state/state.ts';
import { isDeficitDeep, ownerOf, payableWithdrawals } from '../ledger/withdrawals.ts';

export type BridgeView = {
  readonly chainId: number;
  readonly contract: Address;
  readonly token: Address;
  /** The position of the last credited deposit on the current chain; block -1 before the first. */
  readonly cursor: ChainPlace;
  /** The newest block of the chain that the balances depend on; -1 before the first. */
  readonly bookedBlock: number;
  /** The sum of all deposits; all other money came from the faucet. */
  readonly creditedTotal: MicroUsdc;
  /** The latest published reserves. */
  readonly reserves: Reserves | undefined;
};

/** Undefined until a bridge is open. */
export function bridgeView({ bridge }: State): BridgeView | undefined {
  if (bridge === undefined) return undefined;
  const { bookedBlock, chainId, contract, creditedTotal, cursor, reserves, token } = bridge;
  return { chainId, contract, token, cursor, bookedBlock, creditedTotal, reserves };
}

/** True when crediting it again would change nothing (R-deposit). */
export function isDepositCredited({ bridge }: State, source: DepositSource): boolean {
  return bridge !== undefined && isCredited(bridge, source);
}

/** True for a deposit recent enough to be known by its key. */
export function isDepositRemembered({ bridge }: State, source: DepositSource): boolean {
  return bridge?.credited.has(depositKey(source)) ?? false;
}

/**
 * The effect of reporting a deposit: none, because it was credited or (`old`) is older than the
 * known keys; held until its binding ends; or credited.
 */
type DepositStanding = 'credited' | 'old' | 'bound' | 'open';

export function depositStanding(
  state: State,
  deposit: Pick<CreditDepositCommand, 'account' | 'isOwn' | 'source'>,
): DepositStanding {
  const { bridge } = state;
  if (bridge !== undefined && isCredited(bridge, deposit.source)) {
    return isDepositRemembered(state, deposit.source) ? 'credited' : 'old';
  }
  return isForBound(state, deposit) ? 'bound' : 'open';
}

/** The latest deposits that were credited from a chain, newest first. */
export function newestDeposits(
  { bridge }: State,
  chainId: number,
  limit: number,
): readonly CreditedDeposit[] {
  const all = [...(bridge?.credited.values() ?? [])].filter((each) => each.chainId === chainId);
  return all.slice(-limit).toReversed();
}

/** All deposits and grants less payouts: the total liabilities of the venue (R-conservation). */
export function owedMicroUsdc({ deposited, withdrawn }: State): bigint {
  return deposited - withdrawn;
}

/** All funds that the faucet has paid out: received money without a deposit. */
export function grantedMicroUsdc({ bridge, deposited }: State): bigint {
  return deposited - (bridge?.creditedTotal ?? 0n);
}

/** A pending withdrawal, as the bridge sees it. */
export type OpenWithdrawal = {
  readonly withdrawalId: number;
  readonly user: Address;
  readonly destination: Address;
  /** The payout after the fee. */
  readonly pays: MicroUsdc;
  readonly requestedMs: TimeMs;
};

/** The number of the next withdrawal; all issued ones are lower. */
export function nextWithdrawalId(state: State): number {
  return state.nextWithdrawalId;
}

/** True if withdrawals are on hold, including future ones (R-deficit). */
export function doWithdrawalsWait(state: State): boolean {
  return isDeficitDeep(state);
}

/** All pending withdrawals by id, and whether they may be paid now (R-deficit). */
export function openWithdrawals(state: State): {
  readonly withdrawals: readonly OpenWithdrawal[];
  readonly isPayable: boolean;
} {
  const withdrawals: OpenWithdrawal[] = [];
  for (const withdrawal of state.withdrawals.values()) {
    const { amount, destination, fee, requestedMs, withdrawalId } = withdrawal;
    const user = ownerOf(state, withdrawal).address;
    withdrawals.push({ withdrawalId, user, destination, pays: subUsdc(amount, fee), requestedMs });
  }
  const isPayable = withdrawals.length === 0 || payableWithdrawals(state).length > 0;
  return { withdrawals, isPayable };
}
