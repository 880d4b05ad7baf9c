/** There is no room for the entry: it was not written, and a later one can be (R-disk). */
export class JournalFullError extends Error {
  override readonly name = 'JournalFullError';
}

/** True for what a disk without room, or a quota that is used up, answers. */
export function isNoRoom(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each instanceof JournalFullError) return true;
    if ('code' in each && (each.code === 'ENOSPC' || each.code === 'EDQUOT')) return true;
  }
  return false;
}
