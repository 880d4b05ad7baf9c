import { type Address, type MicroUsdc, type TimeMs, ZERO_USDC } from '@oddlot/units';
import type { DepositSource, PublishReservesCommand } from '../messages/command.ts';

/** Where in a chain something stands. */
export type ChainPlace = { readonly blockNumber: number; readonly logIndex: number };

/** A deposit that was credited: what an operator needs to know should the chain lose it. */
export type CreditedDeposit = DepositSource & {
  readonly account: Address;
  readonly amount: MicroUsdc;
};

/** What the venue knows of the settlement chain, from the moment that a bridge is open. */
export type Bridge = {
  chainId: number;
  contract: Address;
  token: Address;
  /** Deposits that were credited, the newest ones, by `depositKey` in the order of crediting. */
  readonly credited: Map<string, CreditedDeposit>;
  /** Deposits for bound addresses, told and not credited: no floor speaks for them (R-agents). */
  readonly kept: Map<string, DepositSource>;
  /** By chain: at and below this place a deposit counts as credited, since its key may be forgotten. */
  readonly floors: Map<number, ChainPlace>;
  /** The sum of all deposits of all chains; the rest of what came in is the faucet's. */
  creditedTotal: MicroUsdc;
  /** The last place of the current chain that something was credited from. */
  cursor: ChainPlace;
  /**
   * The newest block of the current chain that the books rest on: of a credited deposit, or of the
   * view of the chain by which a withdrawal was settled. Reserves are of this block or a later one.
   */
  bookedBlock: number;
  /** Agents bound since then whose key has signed nothing for their owner yet (R-agents). */
  readonly unusedAgents: Map<Address, true>;
  /** Addresses of the relay that have no account yet. */
  readonly pegs: Map<Address, true>;
  reserves: Reserves | undefined;
};

export type Reserves = Omit<PublishReservesCommand, 'type'> & { readonly publishedMs: number };

/** Before everything that a chain has. */
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

/** One text for a deposit, whatever block holds it. */
export function depositKey({ chainId, logIndex, txHash }: DepositSource): string {
  return `${chainId}:${txHash}:${logIndex}`;
}

/** True when the first stands behind the second. */
export function isBehind(first: ChainPlace, second: ChainPlace): boolean {
  const blocks = first.blockNumber - second.blockNumber;
  return blocks > 0 || (blocks === 0 && first.logIndex > second.logIndex);
}

/** True of what was credited, and of what is so old that it cannot be told. */
export function isCredited({ credited, floors, kept }: Bridge, source: DepositSource): boolean {
  const key = depositKey(source);
  if (kept.has(key)) return false;
  const floor = floors.get(source.chainId) ?? NO_PLACE;
  return credited.has(key) || !isBehind(source, floor);
}

/**
 * R-withdraw: money on its way to the settlement chain, held until the bridge says how it went. How
 * many of them wait is bounded by the money of the account: each holds the least amount or more.
 */
export type Withdrawal = {
  readonly withdrawalId: number;
  readonly accountIndex: number;
  /** With the fee, which comes out of it. */
  readonly amount: MicroUsdc;
  readonly fee: MicroUsdc;
  readonly destination: Address;
  readonly nonce: number;
  readonly requestedMs: TimeMs;
};
