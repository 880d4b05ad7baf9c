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

/** The same on its way to the database: packed once, so that handing it over copies few things. */
export type PackedBlock = Omit<ReceiptBlock, 'receipts'> & {
  readonly count: number;
  readonly text: string;
  /** Where the index has to point here from. */
  readonly keys: Float64Array;
};

/** Blocks whose receipts were lost: those up to `done` have been computed again. */
export type MissingReceipts = { readonly done: number; readonly until: number };

export type ReceiptQuery =
  | { readonly by: 'txHash'; readonly txHash: string }
  | { readonly by: 'traceId'; readonly traceId: string }
  | { readonly by: 'signer'; readonly signer: string; readonly nonce: number };

/** What the main thread sends to the receipt worker. Requests with an id get one answer. */
export type ReceiptRequest =
  | { readonly type: 'append'; readonly blocks: readonly PackedBlock[] }
  | { readonly type: 'startAt'; readonly height: number }
  | { readonly type: 'fill'; readonly id: number; readonly blocks: readonly PackedBlock[] }
  | { readonly type: 'query'; readonly id: number; readonly query: ReceiptQuery }
  | { readonly type: 'prune'; readonly id: number; readonly olderThanMs: number }
  | { readonly type: 'close'; readonly id: number };

/** What the receipt worker sends back. */
export type ReceiptReply =
  | {
      readonly type: 'opened';
      readonly projectedHeight: number;
      readonly missing: MissingReceipts | undefined;
      /** Nothing is there: the file is new, or what was there had to be set aside. */
      readonly isEmpty: boolean;
    }
  | {
      readonly type: 'damaged';
      readonly why: string;
      readonly movedTo: string;
      readonly missing: MissingReceipts | undefined;
    }
  | { readonly type: 'filled'; readonly id: number; readonly missing: MissingReceipts | undefined }
  | { readonly type: 'projected'; readonly height: number; readonly rows: number }
  | { readonly type: 'answer'; readonly id: number; readonly row: ReceiptRow | undefined }
  | { readonly type: 'pruned'; readonly id: number; readonly rows: number }
  | { readonly type: 'closed'; readonly id: number };
