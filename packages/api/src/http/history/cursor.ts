import { refusal, type WireError } from '@oddlot/protocol';
import type { RowPosition } from '@oddlot/history/rows/block-rows';
import { type CursorSeal, listOf, PROCESS_SEAL } from '@oddlot/translate/cursor-seal';
import type { AsOf } from '@oddlot/history/history';

/** Where a page goes on, as clients carry it: they need not know what is in it. */

const PARTS = 3;

/** Where a page goes on. */
export type Place = {
  readonly at: RowPosition;
  /** Of rows that move: behind all that the first page knew, and whether the page goes on from there. */
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

/** The place of a cursor; none for the first page. */
export function readCursor(
  query: PagedQuery,
  seal: CursorSeal = PROCESS_SEAL,
):
  | { readonly ok: true; readonly place: Place | undefined }
  | { readonly ok: false; readonly error: WireError } {
  const { cursor: text } = query;
  if (text === null || text === undefined) return { ok: true, place: undefined };
  const place = placeOf(text);
  // Only our own spelling of it: what we gave for this list is what comes back.
  const isOurs = place !== undefined && writeCursor(place, query, seal) === text;
  if (isOurs) return { ok: true, place };
  return { ok: false, error: refusal('invalidCursor', [], { field: 'cursor', got: text }) };
}

function placeOf(text: string): Place | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    // Whatever it is, it is not one of ours.
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

/**
 * Pages of a list whose rows move to its front when they change, such as orders. Whoever reads it from the front to
 * its end would never see what moves there behind them. So behind the last row come the rows that
 * changed since the first page, in the order in which they did: what changes once more meanwhile comes
 * once more, and the list ends when nothing has changed behind what was shown.
 */

/** Which rows a page asks for. */
export type Direction = {
  readonly cursor?: RowPosition;
  readonly order?: 'oldestFirst';
};

type Asked<Answer> = { readonly answer: Answer; readonly asOf: AsOf };

/** Behind all rows of a block; a database may count them with 32 bits. */
const INDEX_MAX = 2 ** 31 - 1;

export async function pageOfMoving<Answer extends { readonly next: RowPosition | null }>(
  from: Place | undefined,
  ask: (direction: Direction) => Promise<Asked<Answer>>,
  /** Whether there is a row behind a position, in the order in which they changed. */
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
  // The first page is of one moment.
  const isWhole = from === undefined || !(await hasBehind(since));
  return { answer, asOf, next: isWhole ? null : { at: since, since, isBack: true } };
}
