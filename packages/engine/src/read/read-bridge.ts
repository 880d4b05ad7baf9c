import type { Address, MicroUsdc } from '@oddlot/units';
import type { DepositSource } from '../messages/command.ts';
import { type ChainPlace, isCredited, type Reserves } from '../state/bridge.ts';
import type { State } from '../state/state.ts';

/** The settlement chain as the venue knows it. */
export type BridgeView = {
  readonly chainId: number;
  readonly contract: Address;
  readonly token: Address;
  /** The furthest place that something was credited from; block -1 before the first. */
  readonly cursor: ChainPlace;
  /** All that came by deposits; what else came in is the faucet's. */
  readonly creditedTotal: MicroUsdc;
  /** What was published last. */
  readonly reserves: Reserves | undefined;
};

/** Undefined until a bridge is open. */
export function bridgeView({ bridge }: State): BridgeView | undefined {
  if (bridge === undefined) return undefined;
  const { chainId, contract, creditedTotal, cursor, reserves, token } = bridge;
  return { chainId, contract, token, cursor, creditedTotal, reserves };
}

/** True when crediting it again would change nothing (R-deposit). */
export function isDepositCredited({ bridge }: State, source: DepositSource): boolean {
  return bridge !== undefined && isCredited(bridge, source);
}

/** Deposits and grants of all time less what was paid out: what the venue owes in all (R-conservation). */
export function owedMicroUsdc({ deposited, withdrawn }: State): bigint {
  return deposited - withdrawn;
}

/** All that the faucet ever gave: what came in and was no deposit. */
export function grantedMicroUsdc({ bridge, deposited }: State): bigint {
  return deposited - (bridge?.creditedTotal ?? 0n);
}
