import type { Writes } from './world-state.ts';

/** Bytes in JSON-RPC notation. */
export type Hex = `0x${string}`;

export type ChainLog = {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
};

/**
 * A transaction as sent, with its signer, because recovering signers again at every start would
 * take a long time.
 */
export type SentTransaction = { readonly hash: Hex; readonly raw: Hex; readonly from: Hex };

/** The result of a transaction in a block. Quantities are hexadecimal, as clients read them. */
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

/**
 * A block as stored in the file: header, transactions with their results, and the state changes.
 */
export type ChainBlock = {
  readonly number: number;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly timestamp: number;
  /** A digest that chains the state changes of all blocks and replaces a Merkle root. */
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

/** One change of the chain. A line of the file is a list of changes made together or not at all. */
export type ChainStep =
  | {
      readonly step: 'genesis';
      readonly chainId: number;
      readonly block: ChainBlock;
    }
  | { readonly step: 'accept'; readonly transaction: SentTransaction }
  /** A transaction left the pool without being mined. */
  | { readonly step: 'drop'; readonly hash: Hex }
  | { readonly step: 'block'; readonly block: ChainBlock }
  /**
   * Packed blocks that precede the state stored after them. They are at the beginning of a
   * shortened file.
   */
  | { readonly step: 'past'; readonly blocks: string }
  | {
      readonly step: 'state';
      readonly chainId: number;
      readonly branch: number;
      readonly entries: Writes;
    }
  /** The blocks above a number are no longer part of the chain. */
  | { readonly step: 'rewind'; readonly to: number };

export const toQuantity = (value: bigint | number): Hex => `0x${value.toString(16)}`;
