import {
  type Command,
  type CommandResult,
  type HolderTerm,
  type State,
  termOf,
} from '@oddlot/engine';
import { present } from '@oddlot/units';
import type { AppliedBlock, BlockHead, Executed } from '../block/applied-block.ts';
import { isRequest } from '../block/request-command.ts';
import type { Term } from '../lease/lease.ts';
import type { Replica } from './replica.ts';

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
