import { LazyRows, ROWS_AT_ONCE } from '../../translate/info/lazy-rows.ts';
import { measured } from '../work-budget.ts';

/**
 * Answers as text. A long list is written over several turns of the event loop, and a large answer is
 * kept until the next block, which is when it may change: whoever asks again gets the same text.
 */

export type Spend = (ms: number) => void;

/** The JSON of a value, which may be a lazy list. */
export function jsonInTurns(data: unknown, spend: Spend): string | Promise<string> {
  if (data instanceof LazyRows) return rowsInTurns(data, spend);
  return JSON.stringify(data);
}

async function rowsInTurns(rows: LazyRows<unknown>, spend: Spend): Promise<string> {
  const parts: string[] = [];
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    const end = Math.min(start + ROWS_AT_ONCE, rows.length);
    // Without the brackets: the parts are joined into one list.
    parts.push(measured(() => JSON.stringify(rows.slice(start, end)).slice(1, -1), spend));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return `[${parts.join(',')}]`;
}

/** Texts from here on are kept; shorter ones are made faster than they are found. */
const KEPT_CHARS_MIN = 4 * 1024;
const KEPT_CHARS_MAX = 16 * 1024 * 1024;

/** The large answers of the newest block, by what was asked. */
export class AnswerCache {
  #height = -1;
  #chars = 0;
  readonly #answers = new Map<string, string | Promise<string>>();

  get chars(): number {
    return this.#chars;
  }

  /** The answer at a height: a known one, one that is being made, or a new one. */
  answer(
    height: number,
    question: string,
    make: () => string | Promise<string>,
  ): string | Promise<string> {
    if (height !== this.#height) this.#forget(height);
    const known = this.#answers.get(question);
    if (known !== undefined) return known;
    const made = make();
    if (typeof made === 'string') {
      this.#keep(height, question, made);
      return made;
    }
    this.#answers.set(question, made);
    void made.then(
      (text) => this.#keep(height, question, text),
      () => this.#answers.delete(question),
    );
    return made;
  }

  #keep(height: number, question: string, text: string): void {
    if (height !== this.#height) return;
    // What was being made is forgotten when it turns out to be short.
    this.#answers.delete(question);
    if (text.length < KEPT_CHARS_MIN) return;
    const chars = question.length + text.length;
    if (this.#chars + chars > KEPT_CHARS_MAX) this.#forget(height);
    if (chars > KEPT_CHARS_MAX) return;
    this.#chars += chars;
    this.#answers.set(question, text);
  }

  #forget(height: number): void {
    this.#height = height;
    this.#chars = 0;
    this.#answers.clear();
  }
}
