import type { Snapshot, Source, Stream } from '../stream.ts';
import { Pace, type Timing } from '../timing.ts';

/**
 * Returns a record as JSON text, without fields such as the time, because a change in these fields
 * alone is not published.
 */
type RecordText = (id: number) => string | undefined;

/**
 * A source of many records. The first frame contains all of them; later frames contain the changed
 * ones and are sent at most once per interval. The final state of each record is always published.
 */
export class PacedRecords implements Source {
  readonly #ids: () => readonly number[];
  readonly #record: RecordText;
  readonly #lastOf: RecordText;
  readonly #wrap: (records: readonly string[], isSnapshot: boolean) => string;
  readonly #onClose: () => void;
  readonly #pace: Pace;
  /**
   * The text that all subscribers have received for each record; undefined if they have received
   * different texts.
   */
  readonly #seen = new Map<number, string | undefined>();
  readonly #asked = new Set<number>();

  constructor(options: {
    stream: Stream;
    timing: Timing;
    intervalMs: number;
    ids: () => readonly number[];
    /** Returns undefined if the record has no content or has been removed. */
    record: RecordText;
    /** Returns the final text of a removed record, which is published once. */
    lastOf?: RecordText;
    wrap: (records: readonly string[], isSnapshot: boolean) => string;
    onClose: () => void;
  }) {
    this.#ids = options.ids;
    this.#record = options.record;
    this.#lastOf = options.lastOf ?? (() => undefined);
    this.#wrap = options.wrap;
    this.#onClose = options.onClose;
    for (const id of options.ids()) {
      const record = options.record(id);
      if (record !== undefined) this.#seen.set(id, record);
    }
    this.#pace = new Pace(options.timing, options.intervalMs, () => {
      const changed = this.#takeChanged();
      if (changed.length > 0) options.stream.publish(this.#wrap(changed, false));
      return changed.length > 0;
    });
  }

  ask(id: number): void {
    this.#asked.add(id);
    this.#pace.ask();
  }

  snapshot(): Snapshot {
    const records: string[] = [];
    for (const id of this.#ids()) {
      const record = this.#record(id);
      if (record === undefined) continue;
      records.push(record);
      // Only the new subscriber gets this text, so the next frame must include the record for the
      // others.
      if (record !== this.#seen.get(id)) this.#seen.set(id, undefined);
    }
    return { data: this.#wrap(records, true) };
  }

  close(): void {
    this.#pace.stop();
    this.#onClose();
  }

  #takeChanged(): string[] {
    const changed: string[] = [];
    for (const id of this.#asked) {
      const record = this.#record(id);
      if (record === undefined) {
        const last = this.#seen.delete(id) ? this.#lastOf(id) : undefined;
        if (last !== undefined) changed.push(last);
      } else if (record !== this.#seen.get(id)) {
        this.#seen.set(id, record);
        changed.push(record);
      }
    }
    this.#asked.clear();
    return changed;
  }
}

/**
 * A source of one state. It publishes a frame when the state changes, at most once per interval.
 * The final state is always published.
 */
export class PacedState implements Source {
  readonly #content: () => string;
  readonly #wrap: (content: string) => string;
  readonly #onClose: () => void;
  readonly #pace: Pace;
  /**
   * The state that all subscribers have received; undefined if they have received different states.
   */
  #seen: string | undefined;

  constructor(options: {
    stream: Stream;
    timing: Timing;
    intervalMs: number;
    /** Returns the state as JSON text. */
    content: () => string;
    /** Adds fields such as the time, because a change in these fields alone is not published. */
    wrap?: (content: string) => string;
    onClose: () => void;
  }) {
    this.#content = options.content;
    this.#wrap = options.wrap ?? ((content) => content);
    this.#onClose = options.onClose;
    this.#seen = options.content();
    this.#pace = new Pace(options.timing, options.intervalMs, () => {
      const content = this.#content();
      if (content === this.#seen) return false;
      this.#seen = content;
      options.stream.publish(this.#wrap(content));
      return true;
    });
  }

  ask(): void {
    this.#pace.ask();
  }

  snapshot(): Snapshot {
    const content = this.#content();
    // Only the new subscriber gets this state, so the next frame must be published even if the
    // state does not change again.
    if (content !== this.#seen) this.#seen = undefined;
    return { data: this.#wrap(content) };
  }

  close(): void {
    this.#pace.stop();
    this.#onClose();
  }
}
