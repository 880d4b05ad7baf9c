import type { Hex } from 'viem';

/** What the relay keeps for ever, a line each. Amounts are micro-USDC as text. */

/** An address that was given out: of a deposit on another chain, or a peg in the venue. */
export type GivenAddress = {
  readonly kind: 'deposit' | 'peg';
  readonly id: string;
  /** Of the key, in the order in which they were given out; none is used twice. */
  readonly index: number;
  readonly address: Hex;
  /** Where money comes from, of a deposit; where it goes, of a peg. */
  readonly chain: string;
  readonly dstAddr: Hex;
  /** The sub-account that a deposit is for. */
  readonly accountType: SubAccount;
  readonly minMicro: string;
  readonly feeMicro: string;
  readonly createMs: number;
  readonly expireMs: number;
};

export type SubAccount = 'perp' | 'outcome';

/** Money that came to such an address, for good. */
export type Arrival = {
  /**
   * Names it among all of its address: the transaction, and on a chain the place of the log; of a deposit for a peg the
   * time and the number of its row too, since a transaction of the chain may deposit more than once.
   */
  readonly key: string;
  readonly txHash: Hex;
  readonly amountMicro: string;
};

/** What keeps a transfer from getting on: users are told what it is, the operator the rest too. */
export type Trouble = {
  readonly what: 'float' | 'chain' | 'bridge' | 'token' | 'venue' | 'receiver' | 'peg';
  readonly detail: string;
};

/** A signed request to the venue. The same bytes are executed once, however often they are sent. */
export type VenueSend = { readonly body: string; readonly txHash: Hex; readonly nonce: number };

/**
 * What arrived at an address until it was enough, and what became of it. `collecting` is below the
 * minimum, `paying` is being handed on, `refunding` goes back to who sent it.
 */
export type Transfer = {
  readonly id: string;
  readonly addressId: string;
  /** Whose it is: the account of a deposit, the sender of what came to a peg. */
  readonly user: Hex;
  /** The sub-account of the peg that it came to. */
  readonly cameTo: SubAccount;
  /** The sub-account of the sender, where a refund goes. */
  readonly cameFrom: SubAccount;
  readonly arrivals: readonly Arrival[];
  readonly state: 'collecting' | 'paying' | 'refunding' | 'completed' | 'refunded';
  /** Counts transactions that the chain has executed and refused. */
  readonly attempt: number;
  /** The settlement chain has it; what is left is a transfer inside of the venue. */
  readonly isBridged?: boolean;
  readonly send?: VenueSend | undefined;
  readonly dstTxHash?: Hex | undefined;
  /** The money is in the relay's own hands. */
  readonly isSwept: boolean;
  readonly sweep?: VenueSend | undefined;
  /** How often gas was sent for the sweep. */
  readonly gasSent?: number;
  /** What keeps it from getting on. */
  readonly trouble?: Trouble | undefined;
  readonly createMs: number;
  readonly updateMs: number;
};

/** How far a chain was read: for addresses that are expected to be used, and for all others. */
export type Cursor = { readonly chain: string; readonly live: number; readonly late: number };

export function sumOf({ arrivals }: Pick<Transfer, 'arrivals'>): bigint {
  return arrivals.reduce((sum, { amountMicro }) => sum + BigInt(amountMicro), 0n);
}

/** Nothing is left to be done: what came went back to who sent it, or was handed on and is the relay's. */
export function isOver({ isSwept, state }: Transfer): boolean {
  return state === 'refunded' || (state === 'completed' && isSwept);
}
