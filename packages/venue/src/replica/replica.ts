import type { BlockResult, Command, CommandOutcome, State } from '@oddlot/engine';
import type { Hash } from '@oddlot/units';
import type { LoggedCommand } from '../log/log.ts';

/**
 * What the edges see of a replica: a state to read, a way to propose, a stream of what happened.
 * Reads touch the state directly and synchronously; nobody but the replica changes it.
 */
export interface Replica {
  readonly state: State;
  readonly head: BlockHead;
  /** One of the newest blocks, those before a restart included; undefined when it is too old. */
  headAt(height: number): BlockHead | undefined;
  /** What executing the command now would refuse, by the engine's own rules; changes nothing. */
  check(command: Command): CommandOutcome;
  /** Puts a command into the log. Resolves when it is durable and executed. */
  propose(command: Command, request?: string): Promise<Executed>;
  /** Calls back after each block, in order. */
  onBlock(listener: (block: AppliedBlock) => void): void;
}

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
  readonly result: BlockResult;
};

/** Where and how a proposed command executed. */
export type Executed = {
  readonly block: AppliedBlock;
  /** Its place in the block. */
  readonly index: number;
  readonly outcome: CommandOutcome;
};
