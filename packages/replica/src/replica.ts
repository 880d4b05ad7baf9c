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
import { isDiskFull } from '@oddlot/host/durable';

/**
 * The interface of a replica for the API: readable state, proposals, and a stream of blocks. Reads
 * access the state directly and synchronously; only the replica modifies it.
 */
export interface Replica {
  readonly state: State;
  readonly head: BlockHead;
  /**
   * Returns one of the newest blocks, including blocks from before a restart, or undefined if it is
   * too old.
   */
  headAt(height: number): BlockHead | undefined;
  /**
   * Returns the result that the command would have if it were executed now, according to the
   * engine's rules. It changes nothing.
   */
  check(command: Command): CommandResult;
  /**
   * Puts a command into the log. Resolves when it is durable and executed. `encoded` contains the
   * command and its request, encoded as in a block, if another thread has done so.
   */
  propose(command: Command, request?: string, encoded?: Uint8Array): Promise<Executed>;
  onBlock(listener: (block: AppliedBlock) => void): void;
}

/**
 * Thrown if the term of a lease ended before its holder could propose, or before its command was
 * executed.
 */
export class TermOverError extends Error {
  override readonly name = 'TermOverError';

  constructor(lease: string) {
    super(`the term of ${lease} has ended: another process may hold the lease`);
  }
}

/**
 * The replica of a lease holder: each command it proposes includes the term, and the engine rejects
 * the command once a later term has begun (R-terms). The log assigns the number of a term, because
 * a lease store that lost its data would start counting again.
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

  /**
   * Terms are compared by identity, because work begun in another term must not continue in this
   * one.
   */
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
   * Records that this process has acquired the lease. The term number is chosen now, so a process
   * that is suspended afterwards finds its number taken when it resumes.
   */
  enter(term: Term): void {
    const lease = this.#lease;
    this.#term = term;
    this.#logged = { lease, number: termOf(this.state, lease) + 1, holder: term.holder };
  }

  /**
   * Proposes a command under the current term. Throws a `TermOverError` if the term has ended,
   * either before the call or before the command is executed.
   */
  async propose(command: Command, request?: string, encoded?: Uint8Array): Promise<Executed> {
    // Requests need no term, because their signature and nonce prevent a second execution.
    if (isRequest(command)) return this.#replica.propose(command, request, encoded);
    const term = present(this.#term, 'the term of a holder');
    if (term.isOver()) throw new TermOverError(this.#lease);
    const logged = present(this.#logged, 'the term of a holder in the log');
    const executed = await this.#replica.propose({ ...command, term: logged });
    if (executed.outcome.reject?.reason !== 'termOver') return executed;
    term.end();
    throw new TermOverError(this.#lease);
  }
}

/**
 * Returns a handler that passes errors on, except those caused by a full disk, because a retry
 * succeeds once there is space (R-disk).
 */
export function exceptDiskFull(onError: (error: unknown) => void): (error: unknown) => void {
  return (error) => {
    if (!isDiskFull(error)) onError(error);
  };
}

/**
 * Thrown if the log lacks blocks at its end that this data folder once contained, so that
 * acknowledged actions are missing.
 */
export class LogBehindError extends Error {
  override readonly name = 'LogBehindError';

  constructor(lastSeq: number, known: number) {
    super(
      `The log ends at block ${lastSeq}, but snapshots or the history contain block ${known}: acknowledged blocks are missing. Restore the whole journal, or the whole data folder from one backup; journal, snapshots and history belong together, and a database contains the history of one venue.`,
    );
  }
}

export class ReplicaDivergedError extends Error {
  override readonly name = 'ReplicaDivergedError';

  constructor(height: number, own: string, recorded: string, source = 'the log records') {
    super(
      `Block ${height} has the hash ${own} here, but ${source} ${recorded}: the snapshot belongs to another history, or this release computes a different state. Start without the snapshots to replay everything, or with the release that wrote the log.`,
    );
  }
}

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

/** Thrown if the start of an era differs from the one recorded in the log. */
export class EraStartError extends Error {
  override readonly name = 'EraStartError';

  constructor(height: number, what: string, cause?: unknown) {
    super(
      `The rules version after block ${height} cannot start: ${what}. Nothing was changed; start the previous release and report this.`,
      cause === undefined ? {} : { cause },
    );
  }
}
