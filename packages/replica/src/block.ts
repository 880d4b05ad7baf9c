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
  /** The signed request, byte for byte. */
  readonly request?: string;
  /** Both as bytes of a block, if another thread has encoded them. Removed when the log has them. */
  encoded?: Uint8Array | undefined;
};

export type LogEntry = {
  readonly seq: number;
  /** Milliseconds; never less than the time of the previous entry. */
  readonly timeMs: number;
  readonly commands: readonly LoggedCommand[];
  /**
   * The id that the proposer gave the block. A log with a single writer reports it but does not
   * store it.
   */
  readonly proposal?: string;
};

/** An operator command that arrived as a request and therefore has a signature. */
export type SignedOperatorCommand = OperatorCommand & { readonly operator: Authority };

/** A command that was sent to /exchange: it has a signature, a nonce and a receipt. */
export type RequestCommand = SignedCommand | SignedOperatorCommand;

/** True for commands that arrived as requests, false for those that the process creates itself. */
export function isRequest(command: Command): command is RequestCommand {
  return isSigned(command) || ('operator' in command && command.operator !== undefined);
}

/** The signer of a request, and what makes the request unique. */
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
  /** The id that the proposer gave the block, in a log with several writers. */
  readonly proposal?: string | undefined;
  readonly result: BlockResult;
};

/** The block and the position in it at which a proposed command executed. */
export type Executed = {
  readonly block: AppliedBlock;
  readonly index: number;
  readonly outcome: CommandResult;
};

/** A block under the previous rules version, as the engine of that release applied it (R-era). */
export type EarlierBlock = {
  readonly head: BlockHead;
  /** The rows that this block completed, in the format of that release. */
  readonly receipts: readonly unknown[];
  /** All history rows of the block, in the format of that release. */
  readonly rows: unknown;
  /** The id that its proposer gave it in the log. */
  readonly proposal?: string | undefined;
};

/**
 * A model derived from all blocks in order, including replayed ones, separate from the engine.
 * Snapshots contain its dump, so that a start does not replay everything.
 */
export type Projection = {
  readonly name: string;
  /**
   * Version of the format of `dump`. It is raised when the format changes; `restore` then reads
   * older formats as well.
   */
  readonly version: number;
  /**
   * The projection depends only on block metadata and not on commands. Eras do not affect it, so it
   * continues through all of them.
   */
  readonly isOfAllEras?: true;
  /** Receives changes of orders in their books while a block is applied. */
  readonly observer?: BookObserver | undefined;
  onBlock(block: AppliedBlock): void;
  /**
   * Receives blocks of an earlier era instead of `onBlock`. All other changes of that era arrive
   * with the start of the next one.
   */
  onEarlierBlock?(block: EarlierBlock): void;
  dump(): unknown;
  /**
   * `version` is that of the program which wrote the data, and never above this one's. Throws if
   * the data has another format; the caller then calls `reset`.
   */
  restore(data: unknown, version: number): void;
  /** Returns to the state before the first block. */
  reset(): void;
};

/** A replica attests a snapshot within seconds of writing it, so later blocks are not searched. */
export const ATTESTED_WITHIN_BLOCKS = 20_000;

/** The hash that the commands of a block attest for the content of the snapshot of an earlier block. */
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
