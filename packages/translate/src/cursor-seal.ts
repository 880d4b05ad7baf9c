import { createHmac, randomBytes } from 'node:crypto';

/**
 * Clients return cursors, so each contains a seal which proves that this venue issued it for this
 * position of this list. A position of another user, query or filter would silently skip rows.
 */
export type CursorSeal = (list: string, place: readonly (number | string)[]) => string;

export const CURSOR_KEY_BYTES = 32;
/** A few bytes are enough, because a forged cursor reads public rows only. */
const SEAL_BYTES = 9;

export function cursorSeal(key: Uint8Array): CursorSeal {
  return (list, place) =>
    createHmac('sha256', key)
      .update(JSON.stringify([list, place]))
      .digest()
      .subarray(0, SEAL_BYTES)
      .toString('base64url');
}

/** For a process without a stored key; its cursors become invalid when it ends. */
export const PROCESS_SEAL: CursorSeal = cursorSeal(randomBytes(CURSOR_KEY_BYTES));

/** The page's start, length and required height do not distinguish lists. */
const NO_FILTERS: ReadonlySet<string> = new Set([
  'cursor',
  'cursorField',
  'limit',
  'offset',
  'page',
  'pageSize',
  'minHeight',
]);

/** The list that a query pages through: its type, user and filters, independent of their order. */
export function listOf(query: object): string {
  const filters = Object.entries(query)
    .filter(([name, value]) => value !== undefined && !NO_FILTERS.has(name))
    .map(([name, value]: [string, unknown]) => [
      name,
      Array.isArray(value) ? value.map(String).toSorted() : value,
    ])
    .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  return JSON.stringify(filters);
}
