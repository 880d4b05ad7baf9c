import type { BlockHead } from './applied-block.ts';

/** A block of the previous rules version, as the engine of its release applied it (R-era). */
export type EarlierBlock = {
  readonly head: BlockHead;
  /** The rows that were complete with it, as that release stored them. */
  readonly receipts: readonly unknown[];
  /** All its rows of the history, as that release stored them. */
  readonly rows: unknown;
  /** The name that its proposer gave it in the log. */
  readonly proposal?: string | undefined;
};
