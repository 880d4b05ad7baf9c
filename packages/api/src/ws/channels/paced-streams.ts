import type { Snapshot, Source, Stream } from '../stream.ts';
import { Pace, type Timing } from '../timing.ts';

/** One record as JSON text, without fields that change all the time, like the time: their change alone is not sent. */
type RecordText = (id: number) => string | undefined;

/**
 * The source of a stream that shows many records side by side: all of them at first, later those that
 * changed, at most one frame per interval, and always one for what each record was last.
 */
export class PacedRecords implements Source {
  readonly #ids: () => readonly number[];
  readonly #record: RecordText;
  readonly #lastOf: RecordText;
  readonly #wrap: (records: readonly string[], isSnapshot: boolean) => string;
  readonly #onClose: () => void;
  readonly #pace: Pace;
  /** What every subscriber has seen of a record; undefined when they have seen different things. */
  readonly #seen = new Map<number, string | undefined>();
  readonly #asked = new Set<number>();

  constructor(options: {
    stream: Stream;
    timing: Timing;
    intervalMs: number;
    /** What a newcomer is shown. */
    ids: () => readonly number[];
    /** Undefined when there is nothing to show, or no longer. */
    record: RecordText;
    /** What is told once of a record that was shown and is gone. */
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

  /** A record may have changed. */
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
      // Between two frames a newcomer sees what the others skip, perhaps for good.
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
 * The source of a stream that shows a state: a frame when the state may have changed, at most one
 * per interval, none that repeats the one before, and always one for the state that was last.
 */
export class PacedState implements Source {
  readonly #content: () => string;
  readonly #wrap: (content: string) => string;
  readonly #onClose: () => void;
  readonly #pace: Pace;
  /** What every subscriber has seen; undefined when they have seen different things. */
  #seen: string | undefined;

  constructor(options: {
    stream: Stream;
    timing: Timing;
    intervalMs: number;
    /** The state as JSON text. */
    content: () => string;
    /** Puts the content into what is sent, with what alone is no news, like the time. */
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

  /** The state may have changed. */
  ask(): void {
    this.#pace.ask();
  }

  snapshot(): Snapshot {
    const content = this.#content();
    // Between two frames a newcomer sees a state that the others skip, perhaps for good.
    if (content !== this.#seen) this.#seen = undefined;
    return { data: this.#wrap(content) };
  }

  close(): void {
    this.#pace.stop();
    this.#onClose();
  }
}
