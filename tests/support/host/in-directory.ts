import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Runs a test with a path in a new temporary directory. The test creates the directory itself if it
 * needs one.
 */
export async function inDirectory(run: (directory: string) => Promise<void>): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'oddlot-log-'));
  try {
    await run(join(root, 'data'));
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
