import { createHmac, randomBytes } from 'node:crypto';

/**
 * Computes the seal of a cursor. The seal proves that this venue issued the cursor for this
 * position in this list. A cursor from another user, query or filter would silently skip rows.
 */
export type CursorSeal = (list: string, place: readonly (number | string)[]) => string;

export const CURSOR_KEY_BYTES = 32;
/** Nine bytes are enough, because all that a forged cursor can do is read public rows. */
const SEAL_BYTES = 9;

export function cursorSeal(key: Uint8Array): CursorSeal {
  return (list, place) =>
    createHmac('sha256', key)
      .update(JSON.stringify([list, place]))
      .digest()
      .subarray(0, SEAL_BYTES)
      .toString('base64url');
}

/**
 * Seals cursors in a process without a stored key. The cursors become invalid when the process
 * ends.
 */
export const PROCESS_SEAL: CursorSeal = cursorSeal(randomBytes(CURSOR_KEY_BYTES));

/**
 * The fields that select a page or wait for a height. All other fields determine which list is
 * meant.
 */
const NO_FILTERS: ReadonlySet<string> = new Set([
  'cursor',
  'cursorField',
  'limit',
  'offset',
  'page',
  'pageSize',
  'minHeight',
]);

/**
 * Identifies the list of a paged query by its type, user and filters, regardless of their order.
 */
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
