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
  /**
   * The position of the last credited deposit on the current chain; its block is −1 before the
   * first deposit.
   */
  readonly cursor: ChainPlace;
  /** The newest block on the chain that the balances depend on, or −1 before the first one. */
  readonly bookedBlock: number;
  /** The sum of all bridge deposits; all other deposited money came from the faucet. */
  readonly creditedTotal: MicroUsdc;
  readonly reserves: Reserves | undefined;
};

export function bridgeView({ bridge }: State): BridgeView | undefined {
  if (bridge === undefined) return undefined;
  const { bookedBlock, chainId, contract, creditedTotal, cursor, reserves, token } = bridge;
  return { chainId, contract, token, cursor, bookedBlock, creditedTotal, reserves };
}

/** Returns true if crediting the deposit again would change nothing (R-deposit). */
export function isDepositCredited({ bridge }: State, source: DepositSource): boolean {
  return bridge !== undefined && isCredited(bridge, source);
}

/** Returns true for a deposit recent enough to be identified by its key. */
export function isDepositRemembered({ bridge }: State, source: DepositSource): boolean {
  return bridge?.credited.has(depositKey(source)) ?? false;
}

/**
 * The effect of reporting a deposit. A `credited` deposit, or an `old` deposit that precedes the
 * known keys, has no effect; a `bound` deposit is held until its recipient's agent binding ends; an
 * `open` deposit is credited.
 */
type DepositEffect = 'credited' | 'old' | 'bound' | 'open';

export function depositStatus(
  state: State,
  deposit: Pick<CreditDepositCommand, 'account' | 'isOwn' | 'source'>,
): DepositEffect {
  const { bridge } = state;
  if (bridge !== undefined && isCredited(bridge, deposit.source)) {
    return isDepositRemembered(state, deposit.source) ? 'credited' : 'old';
  }
  return isForBound(state, deposit) ? 'bound' : 'open';
}

/** Returns the most recent deposits credited from a chain, newest first. */
export function newestDeposits(
  { bridge }: State,
  chainId: number,
  limit: number,
): readonly CreditedDeposit[] {
  const all = [...(bridge?.credited.values() ?? [])].filter((each) => each.chainId === chainId);
  return all.slice(-limit).toReversed();
}

/**
 * Returns the total liabilities of the venue: all deposits and faucet payments less withdrawals
 * (R-conservation).
 */
export function owedMicroUsdc({ deposited, withdrawn }: State): bigint {
  return deposited - withdrawn;
}

/** Returns the money that the faucet has paid out, which is not backed by deposits. */
export function grantedMicroUsdc({ bridge, deposited }: State): bigint {
  return deposited - (bridge?.creditedTotal ?? 0n);
}

export type OpenWithdrawal = {
  readonly withdrawalId: number;
  readonly user: Address;
  readonly destination: Address;
  /** The amount paid to the destination, after the fee. */
  readonly pays: MicroUsdc;
  readonly requestedMs: TimeMs;
};

/** Returns the id of the next withdrawal; all existing ones have lower ids. */
export function nextWithdrawalId(state: State): number {
  return state.nextWithdrawalId;
}

/** Returns true while all withdrawals, including new ones, are on hold (R-deficit). */
export function doWithdrawalsWait(state: State): boolean {
  return isDeficitDeep(state);
}

/**
 * Returns all pending withdrawals in order of id, each with whether it can be paid now (R-deficit).
 */
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
