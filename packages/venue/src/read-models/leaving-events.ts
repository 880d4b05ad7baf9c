/** An event that leaves at a time, unless something has happened to it by then. */
type LeavingEvent = { readonly slug: string; readonly leaveMs: number };

/** Events in the order in which they leave: by time, then by name, whatever the order they came in. */
export class LeavingEvents {
  /** Ascending. */
  readonly #events: LeavingEvent[] = [];

  /** Times grow as a rule, so the place of a new one is found from the end. */
  add(leaving: LeavingEvent): void {
    let at = this.#events.length;
    while (at > 0 && isBefore(leaving, this.#events[at - 1])) at--;
    this.#events.splice(at, 0, leaving);
  }

  /** Takes out those whose time has come. */
  takeDue(nowMs: number): LeavingEvent[] {
    let count = 0;
    while ((this.#events[count]?.leaveMs ?? Infinity) <= nowMs) count += 1;
    return count === 0 ? [] : this.#events.splice(0, count);
  }

  clear(): void {
    this.#events.length = 0;
  }
}

function isBefore(one: LeavingEvent, other: LeavingEvent | undefined): boolean {
  if (other === undefined || one.leaveMs > other.leaveMs) return false;
  return one.leaveMs < other.leaveMs || one.slug < other.slug;
}
