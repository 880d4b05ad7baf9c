import { type Address, type MicroUsdc, type TimeMs, ZERO_USDC } from '@oddlot/units';
import type { DepositSource, PublishReservesCommand } from '../messages/command.ts';

export type ChainPlace = { readonly blockNumber: number; readonly logIndex: number };

/**
 * A credited deposit, recorded so that the operator can act if a chain reorganisation removes it.
 */
export type CreditedDeposit = DepositSource & {
  readonly account: Address;
  readonly amount: MicroUsdc;
};

/** The state of the settlement chain, which exists after the operator has opened a bridge. */
export type Bridge = {
  chainId: number;
  contract: Address;
  token: Address;
  /** The newest credited deposits by `depositKey`, in the order they were credited. */
  readonly credited: Map<string, CreditedDeposit>;
  /**
   * The uncredited deposits for addresses bound as agents, by `depositKey`. They can be credited
   * later even if they are old (R-agents).
   */
  readonly kept: Map<string, DepositSource>;
  /**
   * The highest position on each chain up to which deposits count as credited, because their keys
   * may have been removed from `credited`.
   */
  readonly floors: Map<number, ChainPlace>;
  /**
   * The sum of all bridge deposits on all chains; any other deposited money came from the faucet.
   */
  creditedTotal: MicroUsdc;
  /** The position of the last credited deposit on the current chain. */
  cursor: ChainPlace;
  /**
   * The newest block of the current chain that the balances depend on: the block of a credited
   * deposit, or the block at which a withdrawal was settled. Reserves can be published only for
   * this block or a later one.
   */
  bookedBlock: number;
  /**
   * The agents approved since the bridge was opened whose key has not yet signed an action for the
   * owner (R-agents).
   */
  readonly unusedAgents: Map<Address, true>;
  /** The relay withdrawal addresses that do not have an account yet. */
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

/** Returns true if the first position is later on the chain than the second. */
export function isBehind(first: ChainPlace, second: ChainPlace): boolean {
  const blocks = first.blockNumber - second.blockNumber;
  return blocks > 0 || (blocks === 0 && first.logIndex > second.logIndex);
}

/**
 * Returns true for a credited deposit, and for a deposit so old that its key may have been removed.
 */
export function isCredited({ credited, floors, kept }: Bridge, source: DepositSource): boolean {
  const key = depositKey(source);
  if (kept.has(key)) return false;
  const floor = floors.get(source.chainId) ?? NO_PLACE;
  return credited.has(key) || !isBehind(source, floor);
}

/**
 * A withdrawal to the settlement chain, held until the bridge reports its result (R-withdraw).
 * Because each withdrawal is for at least the minimum amount, the account's money limits their
 * number.
 */
export type Withdrawal = {
  readonly withdrawalId: number;
  readonly accountIndex: number;
  /** The total amount in micro-USDC, including the fee. */
  readonly amount: MicroUsdc;
  readonly fee: MicroUsdc;
  readonly destination: Address;
  readonly nonce: number;
  readonly requestedMs: TimeMs;
};
