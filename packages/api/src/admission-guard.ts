import { isSigned, passesRestricted, type State } from '@oddlot/engine';
import type { WireError } from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import type { RequestCommand } from '@oddlot/replica/block';

/** A condition of the venue that restricts which client actions it accepts. */
export type Restriction = {
  /**
   * With `risk`, cancellations, reducing orders and operator actions are still accepted; with
   * `all`, none are.
   */
  readonly stops: 'risk' | 'all';
  readonly error: WireError;
};

/** Reports whether the state used for admission lags behind the blocks of other replicas. */
type StateAge = {
  isOld(): boolean;
  /** Resolves with true when the state is current, or with false after a timeout. */
  current(): Promise<boolean>;
};

/** Returns the current restriction, or undefined if there is none. */
type RestrictionSource = () => Restriction | undefined;

/**
 * Restricts /exchange while the venue's disk (R-disk) or clock (R-clock) has a problem. Positions
 * can be closed as long as the log is writable.
 */
export class AdmissionGuard {
  readonly #sources: RestrictionSource[] = [];
  #age: StateAge | undefined;

  /**
   * Adds a source of restrictions. If several restrictions are equally strict, the one from the
   * first source is reported.
   */
  watch(source: RestrictionSource): void {
    this.#sources.push(source);
  }

  /** Sets the source of the state's age. It is needed if other replicas also execute commands. */
  judgeBy(age: StateAge): void {
    this.#age = age;
  }

  /** Returns true while the state is too old for a rejection to be final. */
  get isStateOld(): boolean {
    return this.#age?.isOld() === true;
  }

  /** Resolves with true if the state catches up in time. */
  async whenCurrent(): Promise<boolean> {
    return this.#age === undefined || this.#age.current();
  }

  /** Returns the strictest current restriction, or undefined if there is none. */
  restriction(): Restriction | undefined {
    let found: Restriction | undefined;
    for (const source of this.#sources) {
      const each = source();
      if (each?.stops === 'all') return each;
      found ??= each;
    }
    return found;
  }

  /**
   * Returns the reason an otherwise valid action is currently refused, or undefined if it is
   * accepted.
   */
  refusalOf(
    state: State,
    command: RequestCommand,
    account: Address | undefined,
  ): WireError | undefined {
    const restriction = this.restriction();
    if (restriction === undefined) return undefined;
    const isPassing =
      restriction.stops === 'risk' &&
      (!isSigned(command) || passesRestricted(state, account, command));
    return isPassing ? undefined : restriction.error;
  }
}
