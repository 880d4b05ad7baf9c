import { measured } from '@oddlot/host/ports';
import { LazyRows, ROWS_AT_ONCE } from '@oddlot/translate/info/open-orders';

/**
 * Responses as text. A long list is written over several turns of the event loop. A large or
 * popular response is cached until the next block, which is the first time it can change.
 */

export type Spend = (ms: number) => void;

/** Runs a function when it is scheduled. */
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
    // Without brackets, because the parts are joined into one list.
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

/** Responses of this size are always cached, because they are expensive to build. */
const LARGE_BYTES = 4 * 1024;
const KEPT_BYTES_MAX = 16 * 1024 * 1024;

/**
 * A short response is text, sent together with its headers; a large one is a buffer shared by all
 * its clients.
 */
type Answered = string | Buffer;

type Question = {
  /** Equal texts are equal queries. */
  readonly text: string;
  /** A popular query, whose response is cached even if it is short. */
  readonly isCommon?: boolean;
  /**
   * The group of clients that may share a pending response; by default all. Called before each
   * build.
   */
  readonly group?: () => string;
};

/** The cached responses of the newest block by query. */
export class AnswerCache {
  #height = -1;
  #bytes = 0;
  readonly #answers = new Map<string, Answered>();
  /** Responses that are being built over several turns, at most one per query. */
  readonly #underWay = new Map<string, { height: number; made: Promise<Answered> }>();

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * The response at a height: cached, pending or new. A query during the build for an older block
   * waits for its end and then builds a new one.
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
