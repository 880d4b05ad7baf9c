import {
  type Command,
  type CommandResult,
  type HolderTerm,
  type State,
  termOf,
} from '@oddlot/engine';
import { type AppliedBlock, type BlockHead, type Executed, isRequest } from './block.ts';
import { present } from '@oddlot/units';
import type { Term } from './lease.ts';
import { isNoRoom } from '@oddlot/host/durable';

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

/** The term of a lease ended before its holder could propose, or before its command executed. */
export class TermOverError extends Error {
  override readonly name = 'TermOverError';

  constructor(lease: string) {
    super(`the term of ${lease} has ended: another process may hold the lease`);
  }
}

/**
 * A replica as the holder of a lease sees it: each command that it proposes carries the term, and the
 * engine refuses the command once a later term has begun (R-terms). The number of a term comes from
 * the log and not from the lease, because a lease store that was lost counts from the start again.
 */
export class HolderReplica implements Replica {
  readonly #replica: Replica;
  readonly #lease: string;
  #term: Term | undefined;
  #logged: HolderTerm | undefined;

  constructor(replica: Replica, lease: string) {
    this.#replica = replica;
    this.#lease = lease;
  }

  get state(): State {
    return this.#replica.state;
  }

  get head(): BlockHead {
    return this.#replica.head;
  }

  /** Compared by identity: work that began in another term must not continue in this one. */
  get term(): Term | undefined {
    return this.#term;
  }

  headAt(height: number): BlockHead | undefined {
    return this.#replica.headAt(height);
  }

  check(command: Command): CommandResult {
    return this.#replica.check(command);
  }

  onBlock(listener: (block: AppliedBlock) => void): void {
    this.#replica.onBlock(listener);
  }

  /**
   * The lease has come to this process. The number is chosen now and never later: a process that is
   * suspended from here on finds its number taken when it resumes.
   */
  enter(term: Term): void {
    const lease = this.#lease;
    this.#term = term;
    this.#logged = { lease, number: termOf(this.state, lease) + 1, holder: term.holder };
  }

  /** Throws a `TermOverError` when the term is over, before or while the command is under way. */
  async propose(command: Command, request?: string): Promise<Executed> {
    // Requests carry a signature and a nonce, which no second proposal can use again.
    if (isRequest(command)) return this.#replica.propose(command, request);
    const term = present(this.#term, 'the term of a holder');
    if (term.isOver()) throw new TermOverError(this.#lease);
    const logged = present(this.#logged, 'the term of a holder in the log');
    const executed = await this.#replica.propose({ ...command, term: logged });
    if (executed.outcome.reject?.reason !== 'termOver') return executed;
    term.end();
    throw new TermOverError(this.#lease);
  }
}

/** Hands errors on, but for those of a disk without room: whoever tries again will succeed (R-disk). */
export function exceptNoRoom(onError: (error: unknown) => void): (error: unknown) => void {
  return (error) => {
    if (!isNoRoom(error)) onError(error);
  };
}

/** The log ends before blocks that this data folder has seen: acknowledged actions are missing. */
export class LogBehindError extends Error {
  override readonly name = 'LogBehindError';

  constructor(lastSeq: number, known: number) {
    super(
      `The log ends at block ${lastSeq}, but snapshots or the history contain block ${known}: acknowledged blocks are missing. Restore the whole journal, or the whole data folder from one backup; journal, snapshots and history belong together, and a database contains the history of one venue.`,
    );
  }
}

/** This replica computed another state than the one that the log records. */
export class ReplicaDivergedError extends Error {
  override readonly name = 'ReplicaDivergedError';

  constructor(height: number, own: string, recorded: string, who = 'the log records') {
    super(
      `Block ${height} has the hash ${own} here, but ${who} ${recorded}: the snapshot belongs to another history, or this release computes a different state. Start without the snapshots to replay everything, or with the release that wrote the log.`,
    );
  }
}

/** The log goes on under rules that this program does not know yet. */
export class LaterReleaseError extends Error {
  override readonly name = 'LaterReleaseError';
  readonly rules: number;
  readonly own: number;

  constructor(rules: number, own: number) {
    super(
      `The data folder was written by a later release: it uses rules ${rules}, this program supports rules up to ${own}. Start the release that wrote it, or a later one; nothing was changed.`,
    );
    this.rules = rules;
    this.own = own;
  }
}

/** What an era starts from is not what the log says. */
export class EraStartError extends Error {
  override readonly name = 'EraStartError';

  constructor(height: number, what: string, cause?: unknown) {
    super(
      `The rules version after block ${height} cannot start: ${what}. Nothing was changed; start the previous release and report this.`,
      cause === undefined ? {} : { cause },
    );
  }
}
