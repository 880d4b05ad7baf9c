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

/** The settlement chain as the venue knows it. */
export type BridgeView = {
  readonly chainId: number;
  readonly contract: Address;
  readonly token: Address;
  /** The furthest place that something was credited from; block -1 before the first. */
  readonly cursor: ChainPlace;
  /** The newest block of the chain that the books rest on; -1 before the first. */
  readonly bookedBlock: number;
  /** All that came by deposits; what else came in is the faucet's. */
  readonly creditedTotal: MicroUsdc;
  /** What was published last. */
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

/** True when it was credited so lately that it is remembered one by one. */
export function isDepositRemembered({ bridge }: State, source: DepositSource): boolean {
  return bridge?.credited.has(depositKey(source)) ?? false;
}

/**
 * What telling a deposit would do: nothing, since it was credited or (`old`) is from before the time that
 * is remembered; keep it for the end of a binding; or credit it.
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

/** What was credited last from a chain, newest first. */
export function newestDeposits(
  { bridge }: State,
  chainId: number,
  limit: number,
): readonly CreditedDeposit[] {
  const all = [...(bridge?.credited.values() ?? [])].filter((each) => each.chainId === chainId);
  return all.slice(-limit).toReversed();
}

/** Deposits and grants of all time less what was paid out: what the venue owes in all (R-conservation). */
export function owedMicroUsdc({ deposited, withdrawn }: State): bigint {
  return deposited - withdrawn;
}

/** All that the faucet ever gave: what came in and was no deposit. */
export function grantedMicroUsdc({ bridge, deposited }: State): bigint {
  return deposited - (bridge?.creditedTotal ?? 0n);
}

/** A withdrawal that is not settled, as the bridge is to see it. */
export type OpenWithdrawal = {
  readonly withdrawalId: number;
  readonly user: Address;
  readonly destination: Address;
  /** What arrives: the fee is off. */
  readonly pays: MicroUsdc;
  readonly requestedMs: TimeMs;
};

/** The number of the withdrawal that comes next; all that were ever issued have lower ones. */
export function nextWithdrawalId(state: State): number {
  return state.nextWithdrawalId;
}

/** Whether withdrawals wait in the hold, those to come included (R-deficit). */
export function doWithdrawalsWait(state: State): boolean {
  return isDeficitDeep(state);
}

/** All that are not settled, by id, and whether they may be paid now (R-deficit). */
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
