import { isSigned, passesRestricted, type State } from '@oddlot/engine';
import type { WireError } from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import type { RequestCommand } from '@oddlot/replica/block';

/** A condition of the venue that restricts the actions it accepts from all clients. */
export type Restriction = {
  /**
   * With `risk`, cancels, reducing orders and operator actions are still accepted; with `all`, none
   * are.
   */
  readonly stops: 'risk' | 'all';
  readonly error: WireError;
};

/**
 * Reports how far the state that admission checks against lags behind the blocks of other replicas.
 */
type StateAge = {
  isOld(): boolean;
  /** Resolves with true when the state is current, or with false after a timeout. */
  current(): Promise<boolean>;
};

/** Returns the current restriction, or undefined if there is none. */
type RestrictionSource = () => Restriction | undefined;

/**
 * Restricts /exchange while the disk (R-disk) or the clock (R-clock) of the venue has a problem.
 * Positions can be closed as long as the log is writable.
 */
export class AdmissionGuard {
  readonly #sources: RestrictionSource[] = [];
  #age: StateAge | undefined;

  /**
   * Adds a source of restrictions. If several restrictions are equally strict, that of the first
   * source is reported.
   */
  watch(source: RestrictionSource): void {
    this.#sources.push(source);
  }

  /**
   * Sets the source of the state's age, which is needed if other replicas also execute commands.
   */
  judgeBy(age: StateAge): void {
    this.#age = age;
  }

  /** Returns true while the state is too old for final rejections. */
  get isStateOld(): boolean {
    return this.#age?.isOld() === true;
  }

  /** Resolves with true if the state became current in time. */
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

  /** Returns why an otherwise valid action is not accepted now, or undefined if it is. */
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
