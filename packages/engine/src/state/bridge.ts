import { type Address, type MicroUsdc, type TimeMs, ZERO_USDC } from '@oddlot/units';
import type { DepositSource, PublishReservesCommand } from '../messages/command.ts';

export type ChainPlace = { readonly blockNumber: number; readonly logIndex: number };

/** A credited deposit, kept so that the operator can act if the chain loses it. */
export type CreditedDeposit = DepositSource & {
  readonly account: Address;
  readonly amount: MicroUsdc;
};

/** The state of the settlement chain, starting when a bridge is opened. */
export type Bridge = {
  chainId: number;
  contract: Address;
  token: Address;
  /** The newest credited deposits by `depositKey`, in the order of crediting. */
  readonly credited: Map<string, CreditedDeposit>;
  /** Uncredited deposits for bound addresses; their place does not matter (R-agents). */
  readonly kept: Map<string, DepositSource>;
  /** By chain: a deposit at or before this place counts as credited, because its key may have been removed. */
  readonly floors: Map<number, ChainPlace>;
  /** The sum of all deposits of all chains; other money came from the faucet. */
  creditedTotal: MicroUsdc;
  /** The place of the last credited deposit on the current chain. */
  cursor: ChainPlace;
  /**
   * The newest block of the current chain that the balances depend on: of a credited deposit, or of the view of the
   * chain in which a withdrawal was settled. Reserves are of this block or a later one.
   */
  bookedBlock: number;
  /** Agents approved since the bridge was opened whose key has signed no action for the owner yet (R-agents). */
  readonly unusedAgents: Map<Address, true>;
  /** Addresses of the relay that have no account yet. */
  readonly pegs: Map<Address, true>;
  reserves: Reserves | undefined;
};

export type Reserves = Omit<PublishReservesCommand, 'type'> & { readonly publishedMs: number };

export const NO_PLACE: ChainPlace = { blockNumber: -1, logIndex: -1 };

export function createBridge(contracts: Pick<Bridge, 'chainId' | 'contract' | 'token'>): Bridge {
  return {
    ...contracts,
    credited: new Map(),
    kept: new Map(),
    floors: new Map(),
    creditedTotal: ZERO_USDC,
    cursor: NO_PLACE,
    bookedBlock: NO_PLACE.blockNumber,
    unusedAgents: new Map(),
    pegs: new Map(),
    reserves: undefined,
  };
}

export function depositKey({ chainId, logIndex, txHash }: DepositSource): string {
  return `${chainId}:${txHash}:${logIndex}`;
}

/** True if the first place is after the second. */
export function isBehind(first: ChainPlace, second: ChainPlace): boolean {
  const blocks = first.blockNumber - second.blockNumber;
  return blocks > 0 || (blocks === 0 && first.logIndex > second.logIndex);
}

/** True for a credited deposit, and for one so old that its key may have been removed. */
export function isCredited({ credited, floors, kept }: Bridge, source: DepositSource): boolean {
  const key = depositKey(source);
  if (kept.has(key)) return false;
  const floor = floors.get(source.chainId) ?? NO_PLACE;
  return credited.has(key) || !isBehind(source, floor);
}

/**
 * R-withdraw: a withdrawal to the settlement chain, held until the bridge reports its result. Their number is bounded
 * by the money of the account, because each has at least the minimum amount.
 */
export type Withdrawal = {
  readonly withdrawalId: number;
  readonly accountIndex: number;
  /** Includes the fee. */
  readonly amount: MicroUsdc;
  readonly fee: MicroUsdc;
  readonly destination: Address;
  readonly nonce: number;
  readonly requestedMs: TimeMs;
};
