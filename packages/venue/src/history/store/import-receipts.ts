import { existsSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/**
 * Release 0.2.0 kept receipts in a file of their own, packed as they are here. They are taken over before
 * that file is removed: a log that was not kept whole could not give them again. A file that can't be
 * read is left alone, and what the log has is computed again.
 */
export function importReceipts(handle: DatabaseSync, oldFile: string): void {
  if (!existsSync(oldFile) || !isReadable(oldFile)) return;
  handle.prepare('ATTACH DATABASE ? AS earlier').run(oldFile);
  try {
    handle.exec('BEGIN IMMEDIATE');
    handle.exec(`INSERT OR IGNORE INTO receipt_blocks (height, time_ms, block_hash, receipts, crc)
      SELECT height, time_ms, block_hash, receipts, crc FROM earlier.blocks`);
    handle.exec(`INSERT OR IGNORE INTO receipt_keys (key, height)
      SELECT key, height FROM earlier.receipt_keys`);
    handle.exec('COMMIT');
  } catch (error) {
    if (handle.isTransaction) handle.exec('ROLLBACK');
    throw error;
  } finally {
    handle.exec('DETACH DATABASE earlier');
  }
  for (const suffix of ['', '-wal', '-shm']) rmSync(oldFile + suffix, { force: true });
}

/** Opens it once by itself, which also folds its log in, and gives the oldest ones their column. */
function isReadable(file: string): boolean {
  let earlier: DatabaseSync | undefined;
  try {
    earlier = new DatabaseSync(file);
    const columns = earlier.prepare('PRAGMA table_info(blocks)').all();
    if (columns.length === 0) return false;
    if (!columns.some(({ name }) => name === 'crc')) {
      earlier.exec('ALTER TABLE blocks ADD COLUMN crc INTEGER');
    }
    const [found] = earlier.prepare('PRAGMA quick_check(1)').all();
    return String(found?.['quick_check']) === 'ok';
  } catch {
    return false;
  } finally {
    earlier?.close();
  }
}
