import type { Command, CommandResult, State } from '@oddlot/engine';
import type { AppliedBlock, BlockHead, Executed } from '../block/applied-block.ts';

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
  check(command: Command): CommandResult;
  /** Puts a command into the log. Resolves when it is durable and executed. */
  propose(command: Command, request?: string): Promise<Executed>;
  /** Calls back after each block, in order. */
  onBlock(listener: (block: AppliedBlock) => void): void;
}
