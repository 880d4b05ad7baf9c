import type { BlockHead } from './applied-block.ts';

/** A block of an earlier era as the engine of that era tells it (R-era). */
export type EarlierBlock = {
  readonly head: BlockHead;
  /** The rows that were complete with it, as that release stored them. */
  readonly receipts: readonly unknown[];
  /** All its rows of the history, as that release stored them; the first release made none. */
  readonly rows?: unknown;
  /** What its proposer called it, as the log has it. */
  readonly proposal?: string | undefined;
};
