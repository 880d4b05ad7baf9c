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

/** A command and, when a client sent it, the request as received: the log is also the audit trail. */
export type LoggedCommand = {
  readonly command: Command;
  /** The signed request, byte for byte. */
  readonly request?: string;
};

/** A durable block. */
export type LogEntry = {
  readonly seq: number;
  /** Milliseconds; never below the entry before. */
  readonly timeMs: number;
  readonly commands: readonly LoggedCommand[];
  /** What its proposer called it; a log that one process writes tells it and does not keep it. */
  readonly proposal?: string;
};

/** A command of the operator that came over the wire, and so carries a signature. */
export type SignedOperatorCommand = OperatorCommand & { readonly operator: Authority };

/** A command that somebody sent to /exchange: it has a signature, a nonce and a receipt. */
export type RequestCommand = SignedCommand | SignedOperatorCommand;

/** True for commands that came as requests; the process makes others by itself. */
export function isRequest(command: Command): command is RequestCommand {
  return isSigned(command) || ('operator' in command && command.operator !== undefined);
}

/** Who sent a request, and what makes it unique. */
export function authorityOf(command: RequestCommand): Authority {
  return isSigned(command) ? command.authority : command.operator;
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

/**
 * Something beside the engine that is made of blocks, all of them, in order, replayed ones included.
 * Snapshots hold what it dumps, so that a start need not replay everything.
 */
export type Projection = {
  /** Its name in snapshots. */
  readonly name: string;
  /** Of what `dump` writes. Raised when its shape changes; `restore` then reads the older ones too. */
  readonly version: number;
  /** It is made of what the log says beside its commands, and eras change nothing of it: it goes on through all of them. */
  readonly isOfAllEras?: true;
  /** Who is told how orders fare in their books while a block is applied. */
  readonly observer?: BookObserver | undefined;
  onBlock(block: AppliedBlock): void;
  /** Blocks of an earlier era come here instead; what else they changed comes with the era's start. */
  onEarlierBlock?(block: EarlierBlock): void;
  dump(): unknown;
  /**
   * The version is that of the program which wrote the data, and never above its own. Throws when the
   * data is of another shape; whoever called it then resets.
   */
  restore(data: unknown, version: number): void;
  /** Forgets everything, as before the first block. */
  reset(): void;
};

/** A replica attests a snapshot within seconds of writing it; blocks after that are not searched. */
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
