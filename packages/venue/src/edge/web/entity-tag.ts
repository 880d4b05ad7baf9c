import type { IncomingMessage } from 'node:http';

/**
 * Strong entity tags: two answers with the same tag are the same bytes. A file has one tag for each encoding;
 * the entry has the visitor's nonce in its tag, since it has it in its text too.
 */

const NONCE = /^[A-Za-z0-9+/]{22}==$/;

export function fileTag(hash: string, encoding: string | undefined): string {
  return encoding === undefined ? `"${hash}"` : `"${hash}-${encoding}"`;
}

export function entryTag(hash: string, nonce: string): string {
  return `"${hash}.${nonce}"`;
}

/** Whether who asks has what is there; `*` is any copy, and a proxy may have made a weak tag of ours. */
export function hasTag(request: IncomingMessage, tag: string): boolean {
  return tagsOf(request).some((held) => held === tag || held === '*');
}

/** The nonce of the entry that who asks holds, when the rest of it is as it is now. */
export function heldNonce(request: IncomingMessage, hash: string): string | undefined {
  const begin = `"${hash}.`;
  return tagsOf(request)
    .filter((held) => held.startsWith(begin) && held.endsWith('"'))
    .map((held) => held.slice(begin.length, -1))
    .find((nonce) => NONCE.test(nonce));
}

function tagsOf({ headers }: IncomingMessage): readonly string[] {
  const held = headers['if-none-match'] ?? '';
  return held.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
}
