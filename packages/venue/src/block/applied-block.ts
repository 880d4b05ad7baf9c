import type { BlockResult, CommandResult } from '@oddlot/engine';
import type { Hash } from '@oddlot/units';
import type { LoggedCommand } from './log-entry.ts';

/** The newest block. */
export type BlockHead = {
  readonly height: number;
  readonly timeMs: number;
  readonly hash: Hash;
  readonly stateHash: Hash;
};

/** A block after the engine applied it. */
export type AppliedBlock = BlockHead & {
  readonly parentHash: Hash;
  readonly commands: readonly LoggedCommand[];
  /** What its proposer called it, in a log that many write. */
  readonly proposal?: string | undefined;
  readonly result: BlockResult;
};

/** Where and how a proposed command executed. */
export type Executed = {
  readonly block: AppliedBlock;
  /** Its place in the block. */
  readonly index: number;
  readonly outcome: CommandResult;
};
