import { measured } from '@oddlot/host/ports';
import { LazyRows, ROWS_AT_ONCE } from '@oddlot/translate/info/open-orders';

/** Charges a client for time on the main thread. */

export type Spend = (ms: number) => void;

type InTurn = (run: () => void) => void;

/** Serialises a value to JSON. A lazy list is written over several turns of the event loop. */
export function jsonInTurns(data: unknown, spend: Spend, inTurn: InTurn): string | Promise<string> {
  if (data instanceof LazyRows) return rowsInTurns(data, spend, inTurn);
  return JSON.stringify(data);
}

async function rowsInTurns(rows: LazyRows<unknown>, spend: Spend, inTurn: InTurn): Promise<string> {
  const parts: string[] = [];
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    const end = Math.min(start + ROWS_AT_ONCE, rows.length);
    // The brackets are removed because the parts are joined into one list.
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

/** Responses of at least this size are always cached, because they are expensive to build. */
const LARGE_BYTES = 4 * 1024;
const KEPT_BYTES_MAX = 16 * 1024 * 1024;

/**
 * A short response is a string that is sent together with its headers; a large one is a buffer
 * shared by all clients.
 */
type Answered = string | Buffer;

type CachedQuery = {
  /** The text of the query. Two queries with the same text are the same query. */
  readonly text: string;
  /** True for a frequent query, whose response is cached even if it is short. */
  readonly isCommon?: boolean;
  /**
   * Returns the group of clients that may share a response while it is being built; by default, all
   * clients share it. Called before each build.
   */
  readonly group?: () => string;
};

/**
 * Caches the responses for the newest block by query. Responses can change only with the next
 * block.
 */
export class AnswerCache {
  #height = -1;
  #bytes = 0;
  readonly #answers = new Map<string, Answered>();
  /** Responses being built over several turns, at most one per query. */
  readonly #underWay = new Map<string, { height: number; made: Promise<Answered> }>();

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Returns the response at a height: a cached one, one being built, or a new one. If the response
   * is being built for an older block, the query waits for it and then builds its own.
   */
  answer(
    height: () => number,
    query: CachedQuery,
    make: () => string | Promise<string>,
  ): Answered | Promise<Answered> {
    const nowAt = height();
    if (nowAt !== this.#height) this.#forget(nowAt);
    const known = this.#answers.get(query.text);
    if (known !== undefined) return known;
    const group = query.group?.() ?? '';
    const key = `${group} ${query.text}`;
    const current = this.#underWay.get(key);
    if (current?.height === nowAt) return current.made;
    if (current !== undefined) {
      const again = (): Answered | Promise<Answered> => this.answer(height, query, make);
      return current.made.then(again, again);
    }
    const text = make();
    if (typeof text === 'string') return this.#keep(nowAt, query, text);
    const made = text
      .then((whole) => this.#keep(nowAt, query, whole))
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, { height: nowAt, made });
    return made;
  }

  #keep(height: number, { text: asked, isCommon = false }: CachedQuery, text: string): Answered {
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
