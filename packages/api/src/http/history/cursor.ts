import { refusal, type WireError } from '@oddlot/protocol';
import type { RowPosition } from '@oddlot/history/rows/block-rows';
import { type CursorSeal, listOf, PROCESS_SEAL } from '@oddlot/translate/cursor-seal';
import type { AsOf } from '@oddlot/history/history';

const PARTS = 3;

/** The position after which a page starts. */
export type Place = {
  readonly at: RowPosition;
  /**
   * Only for lists whose rows can move: the last position when the first page was read, and whether
   * the page continues after it.
   */
  readonly since?: RowPosition;
  readonly isBack?: true;
};

type PagedQuery = { readonly cursor?: string | null | undefined };

export function writeCursor(
  { at, isBack, since }: Place,
  query: object,
  seal: CursorSeal = PROCESS_SEAL,
): string {
  const place = [...at, ...(since ?? []), ...(isBack === true ? [1] : [])];
  const text = JSON.stringify([...place, seal(listOf(query), place)]);
  return Buffer.from(text).toString('base64url');
}

/** Returns the position in a cursor, or undefined for the first page. */
export function readCursor(
  query: PagedQuery,
  seal: CursorSeal = PROCESS_SEAL,
):
  | { readonly ok: true; readonly place: Place | undefined }
  | { readonly ok: false; readonly error: WireError } {
  const { cursor: text } = query;
  if (text === null || text === undefined) return { ok: true, place: undefined };
  const place = placeOf(text);
  // Only the exact text that the venue returned for this list is a valid cursor.
  const isOurs = place !== undefined && writeCursor(place, query, seal) === text;
  if (isOurs) return { ok: true, place };
  return { ok: false, error: refusal('invalidCursor', [], { field: 'cursor', got: text }) };
}

function placeOf(text: string): Place | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    // This venue did not issue the cursor.
    return undefined;
  }
  if (!Array.isArray(parts)) return undefined;
  const numbers: readonly unknown[] = parts.slice(0, -1);
  const [at, since] = [positionOf(numbers, 0), positionOf(numbers, PARTS)];
  if (at === undefined) return undefined;
  const isBack = numbers[2 * PARTS] === 1;
  return {
    at,
    ...(since === undefined ? {} : { since }),
    ...(isBack ? { isBack } : {}),
  };
}

function positionOf(numbers: readonly unknown[], first: number): RowPosition | undefined {
  const position = numbers.slice(first, first + PARTS);
  const isPosition = position.every((part) => Number.isSafeInteger(part) && Number(part) >= 0);
  return isPosition && position.length === PARTS ? (position as unknown as RowPosition) : undefined;
}

/** The order and the start of a page. */
export type Direction = {
  readonly cursor?: RowPosition;
  readonly order?: 'oldestFirst';
};

type Asked<Answer> = { readonly answer: Answer; readonly asOf: AsOf };

/**
 * The position after all rows of a block. The index is limited to 32 bits, because databases may
 * store it that way.
 */
const INDEX_MAX = 2 ** 31 - 1;

export async function pageOfMoving<Answer extends { readonly next: RowPosition | null }>(
  from: Place | undefined,
  ask: (direction: Direction) => Promise<Asked<Answer>>,
  /** Returns true if, in the order of changes, there is a row after a position. */
  hasBehind: (position: RowPosition) => Promise<boolean>,
): Promise<Asked<Answer> & { readonly next: Place | null }> {
  if (from?.since !== undefined && from.isBack === true) {
    const { answer, asOf } = await ask({ cursor: from.at, order: 'oldestFirst' });
    const { since } = from;
    return { answer, asOf, next: answer.next && { at: answer.next, since, isBack: true } };
  }
  const { answer, asOf } = await ask(from === undefined ? {} : { cursor: from.at });
  const since = from?.since ?? ([asOf.timeMs, asOf.height, INDEX_MAX] as const);
  if (answer.next !== null) return { answer, asOf, next: { at: answer.next, since } };
  // If the first page is also the last, it shows a single point in time, so no row can have moved
  // behind it.
  const isWhole = from === undefined || !(await hasBehind(since));
  return { answer, asOf, next: isWhole ? null : { at: since, since, isBack: true } };
}
