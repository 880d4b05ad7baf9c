import { measured } from '@oddlot/host/ports';
import { LazyRows, ROWS_AT_ONCE } from '@oddlot/translate/info/open-orders';

/**
 * Answers as text. A long list is written over several turns of the event loop, and an answer that is large, or that many
 * ask for, is kept until the next block, which is when it may change: whoever asks again gets the same text.
 */

export type Spend = (ms: number) => void;

/** Runs something when it is its turn. */
type InTurn = (run: () => void) => void;

/** The JSON of a value, which may be a lazy list. */
export function jsonInTurns(data: unknown, spend: Spend, inTurn: InTurn): string | Promise<string> {
  if (data instanceof LazyRows) return rowsInTurns(data, spend, inTurn);
  return JSON.stringify(data);
}

async function rowsInTurns(rows: LazyRows<unknown>, spend: Spend, inTurn: InTurn): Promise<string> {
  const parts: string[] = [];
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    const end = Math.min(start + ROWS_AT_ONCE, rows.length);
    // Without the brackets: the parts are joined into one list.
    const write = (): string => JSON.stringify(rows.slice(start, end)).slice(1, -1);
    const part = Promise.withResolvers<string>();
    inTurn(() => {
      try {
        part.resolve(measured(write, spend));
      } catch (error) {
        part.reject(error);
      }
    });
    parts.push(await part.promise);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return `[${parts.join(',')}]`;
}

/** Answers from here on are kept, whoever asks: making them again would cost much. */
const LARGE_BYTES = 4 * 1024;
const KEPT_BYTES_MAX = 16 * 1024 * 1024;

/** A short answer is a text, which leaves together with its headers; a large one is bytes, which all who are sent it share. */
type Answered = string | Buffer;

type Question = {
  /** What was asked: the same text is the same question. */
  readonly text: string;
  /** Many ask it, so that the answer is kept even if it is short. */
  readonly isCommon?: boolean;
  /** Who may wait for the same one while it is made; everybody by default. Called before each making. */
  readonly group?: () => string;
};

/** The answers of the newest block that are worth keeping, by what was asked. */
export class AnswerCache {
  #height = -1;
  #bytes = 0;
  readonly #answers = new Map<string, Answered>();
  /** What is being made, over several turns: one at a time of each question. */
  readonly #underWay = new Map<string, { height: number; made: Promise<Answered> }>();

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * The answer at a height: a known one, one that is being made, or a new one. Who asks while the
   * answer of an older block is being made waits for that to end, and gets a new one.
   */
  answer(
    height: () => number,
    question: Question,
    make: () => string | Promise<string>,
  ): Answered | Promise<Answered> {
    const nowAt = height();
    if (nowAt !== this.#height) this.#forget(nowAt);
    const known = this.#answers.get(question.text);
    if (known !== undefined) return known;
    const group = question.group?.() ?? '';
    const key = `${group} ${question.text}`;
    const current = this.#underWay.get(key);
    if (current?.height === nowAt) return current.made;
    if (current !== undefined) {
      const again = (): Answered | Promise<Answered> => this.answer(height, question, make);
      return current.made.then(again, again);
    }
    const text = make();
    if (typeof text === 'string') return this.#keep(nowAt, question, text);
    const made = text
      .then((whole) => this.#keep(nowAt, question, whole))
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, { height: nowAt, made });
    return made;
  }

  #keep(height: number, { text: asked, isCommon = false }: Question, text: string): Answered {
    const isLarge = text.length >= LARGE_BYTES;
    if (!isLarge && !isCommon) return text;
    const answer = isLarge ? Buffer.from(text) : text;
    const bytes = asked.length + answer.length;
    if (height !== this.#height || bytes > KEPT_BYTES_MAX) return answer;
    if (this.#bytes + bytes > KEPT_BYTES_MAX) this.#forget(height);
    this.#bytes += bytes;
    this.#answers.set(asked, answer);
    return answer;
  }

  #forget(height: number): void {
    this.#height = height;
    this.#bytes = 0;
    this.#answers.clear();
  }
}
