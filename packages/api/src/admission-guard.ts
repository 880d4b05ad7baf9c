import { isSigned, passesRestricted, type State } from '@oddlot/engine';
import type { WireError } from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import type { RequestCommand } from '@oddlot/replica/block';

/** A reason of the venue, and not of whoever asks, to take less than usual. */
export type Restriction = {
  /** `risk`: cancels, reducing orders and operators' actions still pass; `all`: nothing does. */
  readonly stops: 'risk' | 'all';
  /** What those who are stopped are told. */
  readonly error: WireError;
};

/** How far the state, by which requests are judged, may lag behind what was executed elsewhere. */
type StateAge = {
  isOld(): boolean;
  /** Resolves with true when it is no longer, and with false when that takes too long. */
  current(): Promise<boolean>;
};

/** What restricts the venue now; undefined when this does not. */
type RestrictionSource = () => Restriction | undefined;

/**
 * What /exchange takes while something is wrong with the venue itself: its disk (R-disk), its clock
 * (R-clock). Nobody is locked in: as long as anything can be written, positions can be closed.
 */
export class AdmissionGuard {
  readonly #sources: RestrictionSource[] = [];
  #age: StateAge | undefined;

  /** Adds something that may restrict the venue; the first added is told first. */
  watch(source: RestrictionSource): void {
    this.#sources.push(source);
  }

  /** Where others execute too. */
  judgeBy(age: StateAge): void {
    this.#age = age;
  }

  /** True while nobody may be refused for good by what the state says. */
  get isStateOld(): boolean {
    return this.#age?.isOld() === true;
  }

  /** Whether the state became the newest one in time. */
  async whenCurrent(): Promise<boolean> {
    return this.#age === undefined || this.#age.current();
  }

  /** What restricts the venue most; undefined when nothing does. */
  restriction(): Restriction | undefined {
    let found: Restriction | undefined;
    for (const source of this.#sources) {
      const each = source();
      if (each?.stops === 'all') return each;
      found ??= each;
    }
    return found;
  }

  /** Why an action that is otherwise in order is not taken now. */
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
