import { refusal, type WireError } from '@oddlot/protocol';
import type { RowPosition } from '../../../history/rows/block-rows.ts';

/** Where a page goes on, as clients carry it: they need not know what is in it. */

const PARTS = 3;

export function writeCursor(position: RowPosition): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** The position of a cursor; none for the first page. */
export function readCursor(
  text: string | null | undefined,
):
  | { readonly ok: true; readonly cursor: { readonly cursor?: RowPosition } }
  | { readonly ok: false; readonly error: WireError } {
  if (text === null || text === undefined) return { ok: true, cursor: {} };
  const position = positionOf(text);
  if (position !== undefined) return { ok: true, cursor: { cursor: position } };
  return { ok: false, error: refusal('invalidCursor', [], { field: 'cursor', got: text }) };
}

function positionOf(text: string): RowPosition | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    // Whatever it is, it is not one of ours.
    return undefined;
  }
  if (!Array.isArray(parts) || parts.length !== PARTS) return undefined;
  const isPosition = parts.every((part) => Number.isSafeInteger(part) && part >= 0);
  // Only our own spelling of it: what we gave is what comes back.
  return isPosition && writeCursor(parts as unknown as RowPosition) === text
    ? (parts as unknown as RowPosition)
    : undefined;
}
