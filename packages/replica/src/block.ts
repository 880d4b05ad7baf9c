import {
  type Authority,
  type BlockResult,
  type BookObserver,
  type Command,
  type CommandResult,
  isSigned,
  type OperatorCommand,
  type SignedCommand,
} from '@oddlot/engine';
import type { Hash } from '@oddlot/units';

/**
 * A command and, if a client sent it, the request as received, because the log is also the audit
 * trail.
 */
export type LoggedCommand = {
  readonly command: Command;
  readonly request?: string | undefined;
  /**
   * The command and its request, encoded as in a block, if another thread has done so. The bytes
   * are removed once the log has written them.
   */
  encoded?: Uint8Array | undefined;
};

export type LogEntry = {
  readonly seq: number;
  /** The consensus time in milliseconds, which never decreases. */
  readonly timeMs: number;
  readonly commands: readonly LoggedCommand[];
  /**
   * The id given to the block by its proposer. A log with a single writer reports it but does not
   * store it.
   */
  readonly proposal?: string | undefined;
};

export type SignedOperatorCommand = OperatorCommand & { readonly operator: Authority };

/** A command sent to /exchange: it has a signature, a nonce and a receipt. */
export type RequestCommand = SignedCommand | SignedOperatorCommand;

/** True for commands that arrived as requests, false for those that the process creates itself. */
export function isRequest(command: Command): command is RequestCommand {
  return isSigned(command) || ('operator' in command && command.operator !== undefined);
}

export function authorityOf(command: RequestCommand): Authority {
  return isSigned(command) ? command.authority : command.operator;
}

export type BlockHead = {
  readonly height: number;
  readonly timeMs: number;
  readonly hash: Hash;
  readonly stateHash: Hash;
};

export type AppliedBlock = BlockHead & {
  readonly parentHash: Hash;
  readonly commands: readonly LoggedCommand[];
  /** The id given to the block by its proposer, in a log with several writers. */
  readonly proposal?: string | undefined;
  readonly result: BlockResult;
};

export type Executed = {
  readonly block: AppliedBlock;
  readonly index: number;
  readonly outcome: CommandResult;
};

/** A block under the previous rules version, as applied by the engine of that release (R-era). */
export type EarlierBlock = {
  readonly head: BlockHead;
  readonly receipts: readonly unknown[];
  readonly rows: unknown;
  readonly proposal?: string | undefined;
};

/**
 * A model separate from the engine, derived from all blocks in order, including replayed ones.
 * Snapshots contain its dump, so that not all blocks have to be replayed on startup.
 */
export type Projection = {
  readonly name: string;
  /**
   * The version of the `dump` format. It is raised when the format changes; `restore` must then
   * still read older formats.
   */
  readonly version: number;
  /**
   * True if the projection depends only on block metadata and not on commands. Eras do not affect
   * it, so its data is carried through all of them.
   */
  readonly isOfAllEras?: true;
  /** Notified of order changes in the books while a block is being applied. */
  readonly observer?: BookObserver | undefined;
  onBlock(block: AppliedBlock): void;
  /**
   * Receives blocks of an earlier era instead of `onBlock`. All other changes from that era arrive
   * with the start of the next one.
   */
  onEarlierBlock?(block: EarlierBlock): void;
  dump(): unknown;
  /**
   * Restores a dump of this version or an earlier one. Throws if the data has another format; the
   * caller then calls `reset`.
   */
  restore(data: unknown, version: number): void;
  reset(): void;
};

/** A replica attests a snapshot within seconds of writing it, so later blocks are not searched. */
export const ATTESTED_WITHIN_BLOCKS = 20_000;

/**
 * Returns the hash, attested in a block's commands, of the content of the snapshot at an earlier
 * height.
 */
export function attestationIn(
  commands: readonly LoggedCommand[],
  height: number,
): Hash | undefined {
  for (const { command } of commands) {
    if (command.type === 'attest' && command.height === height && command.snapshot !== undefined) {
      return command.snapshot;
    }
  }
  return undefined;
}
