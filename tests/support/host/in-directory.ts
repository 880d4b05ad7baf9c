import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Runs a test with the path of a temporary directory that does not exist yet. The directory is
 * removed afterwards.
 */
export async function inDirectory(run: (directory: string) => Promise<void>): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'oddlot-log-'));
  try {
    await run(join(root, 'data'));
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
