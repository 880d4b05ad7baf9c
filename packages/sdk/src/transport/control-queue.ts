import { CLIENT_LIMITS, type ClientFrame, type ResumePoint } from '@oddlot/protocol';
import type { Stream } from './stream.ts';

/** A control frame that waits to be sent or answered. */
export type Control = {
  readonly method: 'subscribe' | 'unsubscribe';
  readonly stream: Stream;
  /** Where the subscribe that was sent asked to go on. */
  readonly resumeFrom?: ResumePoint | undefined;
};

type Sent = Control & { readonly sentMs: number };

/** Below the venue's own rate, so that pings in between and clocks that differ do no harm. */
const FRAMES_PER_SECOND = CLIENT_LIMITS.framesPerSecond / 2;
const FRAMES_BURST = CLIENT_LIMITS.framesBurst / 2;

/**
 * Sends control frames no faster than the venue takes them, and remembers which are unanswered: an
 * error frame does not say what it answers, but answers come in the order of the questions.
 */
export class ControlQueue {
  readonly #send: (text: string) => void;
  readonly #to: () => string;
  #waiting: Control[] = [];
  #unanswered: Sent[] = [];
  #tokens = FRAMES_BURST;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** What it sends with, and whom it sends to. */
  constructor(send: (text: string) => void, to: () => string) {
    this.#send = send;
    this.#to = to;
  }

  subscribe(stream: Stream): void {
    this.#add({ method: 'subscribe', stream });
  }

  /** A subscribe that was not sent yet is taken back instead. */
  unsubscribe(stream: Stream): void {
    const isUnsent = (control: Control): boolean =>
      control.stream === stream && control.method === 'subscribe';
    const index = this.#waiting.findIndex(isUnsent);
    if (index >= 0) this.#waiting.splice(index, 1);
    else this.#add({ method: 'unsubscribe', stream });
  }

  /** How long the oldest frame has been without an answer. */
  get unansweredMs(): number {
    const oldest = this.#unanswered[0];
    return oldest === undefined ? 0 : performance.now() - oldest.sentMs;
  }

  /** The frame that a confirmation belongs to. */
  confirmed(method: Control['method'], key: string): Control | undefined {
    const index = this.#unanswered.findIndex(
      (control) => control.method === method && control.stream.key === key,
    );
    return index < 0 ? undefined : this.#unanswered.splice(index, 1)[0];
  }

  /** The frame that an error belongs to: the oldest one without an answer. */
  refused(): Control | undefined {
    return this.#unanswered.shift();
  }

  /** Puts a frame that the venue dropped back in front, for when the budget has grown. */
  again({ method, stream }: Control): void {
    this.#waiting.unshift({ method, stream });
    this.#tokens = 0;
    this.#plan();
  }

  /** Forgets everything: the connection is gone, and the next one begins with a full budget. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting = [];
    this.#unanswered = [];
    this.#tokens = FRAMES_BURST;
  }

  #add(control: Control): void {
    this.#waiting.push(control);
    this.#flush();
  }

  #flush(): void {
    while (this.#tokens > 0) {
      const control = this.#waiting.shift();
      if (control === undefined) break;
      this.#tokens -= 1;
      this.#sendNow(control);
    }
    if (this.#tokens < FRAMES_BURST) this.#plan();
  }

  #sendNow({ method, stream }: Control): void {
    const { subscription } = stream;
    // Read at the last moment: while the frame waited the stream may have moved on.
    const resumeFrom = method === 'subscribe' ? stream.resumeAt(this.#to()) : undefined;
    const frame: ClientFrame =
      resumeFrom === undefined
        ? { method, subscription }
        : { method: 'subscribe', subscription, resumeFrom };
    this.#unanswered.push({ method, stream, resumeFrom, sentMs: performance.now() });
    this.#send(JSON.stringify(frame));
  }

  /** One more frame may go after each step; the timer stops when the budget is full. */
  #plan(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#tokens += 1;
      this.#flush();
    }, 1000 / FRAMES_PER_SECOND);
  }
}
