import { type AsOf, HistoryAwayError } from '../history.ts';
import type { Question } from './archivist-messages.ts';

/** A question that is answered by nobody is given up after so long: its store hangs. */
const ANSWER_MS_MAX = 8_000;

type OpenQuestion = {
  readonly question: Question;
  readonly resolve: (answered: { readonly asOf: AsOf; readonly answer: never }) => void;
  readonly reject: (error: unknown) => void;
  /** Told what the answer took of the thread that found it. */
  readonly spend: ((ms: number) => void) | undefined;
  readonly askedMs: number;
};

/**
 * The questions that are not answered yet, in the order in which they were asked. Whoever asked waits for a
 * bounded time, whatever the thread waits for that should answer: a server can be silent without being away.
 */
export class OpenQuestions {
  readonly #asOf: () => AsOf;
  readonly #answerMsMax: number;
  readonly #open = new Map<number, OpenQuestion>();
  #timer: NodeJS.Timeout | undefined;
  #nextId = 1;
  #isSilent = false;
  #heardMs = 0;

  constructor(asOf: () => AsOf, answerMsMax = ANSWER_MS_MAX) {
    this.#asOf = asOf;
    this.#answerMsMax = answerMsMax;
  }

  /** Questions since the start. */
  get asked(): number {
    return this.#nextId - 1;
  }

  get size(): number {
    return this.#open.size;
  }

  /** True when the last thing that was heard of the store is that it did not answer. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** How long who asks waits for an answer. */
  get answerMsMax(): number {
    return this.#answerMsMax;
  }

  nextId(): number {
    this.#nextId += 1;
    return this.#nextId - 1;
  }

  add(open: Omit<OpenQuestion, 'askedMs'>): void {
    this.#open.set(open.question.id, { ...open, askedMs: performance.now() });
    this.#watch();
  }

  /** Takes a question whose answer has come. */
  settle(id: number): OpenQuestion | undefined {
    const open = this.#open.get(id);
    this.#open.delete(id);
    this.heard();
    return open;
  }

  /** Whoever should answer has said something. */
  heard(): void {
    this.#heardMs = performance.now();
    this.#isSilent = false;
  }

  /** To be asked of another thread. */
  *all(): Iterable<Question> {
    for (const { question } of this.#open.values()) yield question;
  }

  rejectAll(error: unknown): void {
    clearTimeout(this.#timer);
    for (const { reject } of this.#open.values()) reject(error);
    this.#open.clear();
  }

  /** All have the same patience, so that the first is the first whose patience ends. */
  #watch(): void {
    if (this.#timer !== undefined) return;
    const first = this.#waiting().next().value;
    if (first === undefined) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#giveUp();
        this.#watch();
      },
      Math.max(1, first.askedMs + this.#answerMsMax - performance.now()),
    );
    // Who has nothing else to do need not stay for it.
    this.#timer.unref();
  }

  #giveUp(): void {
    const nowMs = performance.now();
    for (const { askedMs, question, reject } of this.#waiting()) {
      if (askedMs + this.#answerMsMax > nowMs) return;
      this.#open.delete(question.id);
      // A store that has answered others meanwhile is busy, not silent.
      this.#isSilent = this.#heardMs < askedMs;
      reject(new HistoryAwayError('the history does not answer', this.#asOf()));
    }
  }

  /** A tree over all accounts takes as long as it takes, and who wants it has a patience of its own. */
  *#waiting(): Generator<OpenQuestion> {
    for (const open of this.#open.values()) if (open.question.topic !== 'reserves') yield open;
  }
}
