import { isSigned, passesRestricted, type State } from '@oddlot/engine';
import type { WireError } from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import type { RequestCommand } from '@oddlot/replica/block';

/** A condition of the venue, independent of the client, that restricts accepted actions. */
export type Restriction = {
  /** `risk`: cancels, reducing orders and operator actions still pass; `all`: nothing passes. */
  readonly stops: 'risk' | 'all';
  /** The error for restricted actions. */
  readonly error: WireError;
};

/** How far the state, by which requests are judged, may lag behind blocks of other processes. */
type StateAge = {
  isOld(): boolean;
  /** Resolves with true when the state is current, and with false after a timeout. */
  current(): Promise<boolean>;
};

/** The current restriction; undefined if this source has none. */
type RestrictionSource = () => Restriction | undefined;

/**
 * Restricts /exchange while the disk (R-disk) or the clock (R-clock) of the venue has a problem.
 * Positions can be closed as long as the log is writable.
 */
export class AdmissionGuard {
  readonly #sources: RestrictionSource[] = [];
  #age: StateAge | undefined;

  /** Adds a source of restrictions; of equally strict ones, the first added one is reported. */
  watch(source: RestrictionSource): void {
    this.#sources.push(source);
  }

  /** Used if other processes execute too. */
  judgeBy(age: StateAge): void {
    this.#age = age;
  }

  /** True while the state is not sufficient for final rejections. */
  get isStateOld(): boolean {
    return this.#age?.isOld() === true;
  }

  /** True if the state became current in time. */
  async whenCurrent(): Promise<boolean> {
    return this.#age === undefined || this.#age.current();
  }

  /** The strictest current restriction, if any. */
  restriction(): Restriction | undefined {
    let found: Restriction | undefined;
    for (const source of this.#sources) {
      const each = source();
      if (each?.stops === 'all') return each;
      found ??= each;
    }
    return found;
  }

  /** The reason why an otherwise valid action is not accepted now. */
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
