import type { Address, Hash } from '@oddlot/units';

/** What became of an action: the receipt (R-tx) as it is kept. */
export type ReceiptRow = {
  readonly txHash: Hash;
  readonly signer: Address;
  /** The account acted for. */
  readonly user: Address;
  readonly nonce: number;
  readonly actionType: string;
  /** The block that executed it, which may be older than the one that completed it. */
  readonly height: number;
  readonly timeMs: number;
  readonly blockHash: Hash;
  /** The place in its block. */
  readonly index: number;
  readonly failed: boolean;
  /** JSON of the result or the error. */
  readonly body: string;
};

/** The receipts that were complete with one block. A block without any still moves the projection on. */
export type ReceiptBlock = {
  readonly height: number;
  readonly timeMs: number;
  readonly blockHash: Hash;
  readonly receipts: readonly ReceiptRow[];
};

export type ReceiptQuery =
  | { readonly by: 'txHash'; readonly txHash: string }
  | { readonly by: 'traceId'; readonly traceId: string }
  | { readonly by: 'signer'; readonly signer: string; readonly nonce: number };
