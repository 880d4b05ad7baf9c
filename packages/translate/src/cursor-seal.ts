import { createHmac, randomBytes } from 'node:crypto';

/**
 * Cursors are carried by clients and come back: the seal in them says that this venue gave them out, for
 * this place of this list. A place of another user, query or filter is none of this list, and rows would be
 * left out without a word.
 */
export type CursorSeal = (list: string, place: readonly (number | string)[]) => string;

export const CURSOR_KEY_BYTES = 32;
/** A few bytes: whoever guesses one reads rows that everybody may read. */
const SEAL_BYTES = 9;

export function cursorSeal(key: Uint8Array): CursorSeal {
  return (list, place) =>
    createHmac('sha256', key)
      .update(JSON.stringify([list, place]))
      .digest()
      .subarray(0, SEAL_BYTES)
      .toString('base64url');
}

/** Of a process that keeps no key: its cursors end with it. */
export const PROCESS_SEAL: CursorSeal = cursorSeal(randomBytes(CURSOR_KEY_BYTES));

/** Where a page begins, how long it is and how new it must be make no other list. */
const NO_FILTERS: ReadonlySet<string> = new Set([
  'cursor',
  'cursorField',
  'limit',
  'offset',
  'page',
  'pageSize',
  'minHeight',
]);

/** The list that a query pages through: its type, whose it is, and all its filters, however they are ordered. */
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
