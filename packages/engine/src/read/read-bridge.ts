import type { Address, MicroUsdc } from '@oddlot/units';
import { isForBound } from '../auth/destination.ts';
import type { CreditDepositCommand, DepositSource } from '../messages/command.ts';
import {
  type ChainPlace,
  type CreditedDeposit,
  depositKey,
  isCredited,
  type Reserves,
} from '../state/bridge.ts';
import type { State } from '../state/state.ts';

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
