import type { Writes } from './world-state.ts';

/** Bytes as the JSON-RPC writes them. */
export type Hex = `0x${string}`;

export type ChainLog = {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
};

/** A transaction as it was sent, and who signed it: recovering that again at each start would take long. */
export type SentTransaction = { readonly hash: Hex; readonly raw: Hex; readonly from: Hex };

/** What became of a transaction in a block. Quantities are hexadecimal, as clients read them. */
export type MinedTransaction = SentTransaction & {
  readonly isSuccess: boolean;
  readonly type: Hex;
  readonly to: Hex | null;
  readonly gasUsed: Hex;
  readonly cumulativeGasUsed: Hex;
  readonly effectiveGasPrice: Hex;
  readonly contractAddress: Hex | null;
  readonly logsBloom: Hex;
  readonly logs: readonly ChainLog[];
};

/** A block as it stands in the file: header, transactions with their results, and what they wrote. */
export type ChainBlock = {
  readonly number: number;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly timestamp: number;
  /** A digest that chains what all blocks wrote, in the place of a Merkle root. */
  readonly stateRoot: Hex;
  readonly transactionsRoot: Hex;
  readonly receiptsRoot: Hex;
  readonly logsBloom: Hex;
  readonly gasUsed: Hex;
  readonly gasLimit: Hex;
  readonly baseFeePerGas: Hex;
  readonly extraData: Hex;
  readonly size: number;
  readonly transactions: readonly MinedTransaction[];
  readonly writes: Writes;
};

/** One step of the chain's life. A line of the file is a list of them that happen together or not at all. */
export type ChainStep =
  | {
      readonly step: 'genesis';
      readonly chainId: number;
      readonly block: ChainBlock;
    }
  /** A transaction was taken into the pool. */
  | { readonly step: 'accept'; readonly transaction: SentTransaction }
  /** A transaction left the pool and is in no block. */
  | { readonly step: 'drop'; readonly hash: Hex }
  | { readonly step: 'block'; readonly block: ChainBlock }
  /** Blocks from before the state that follows, packed: the beginning of a file that was made shorter. */
  | { readonly step: 'past'; readonly blocks: string }
  /** The state after those blocks. */
  | {
      readonly step: 'state';
      readonly chainId: number;
      readonly branch: number;
      readonly entries: Writes;
    }
  /** The blocks above a number are no longer part of the chain. */
  | { readonly step: 'rewind'; readonly to: number };

export const toQuantity = (value: bigint | number): Hex => `0x${value.toString(16)}`;
