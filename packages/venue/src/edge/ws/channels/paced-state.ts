import type { Snapshot, Source, Stream } from '../stream.ts';
import { Pace, type Timing } from '../timing.ts';

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
