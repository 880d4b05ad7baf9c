import { join } from 'node:path';
import { readConfig, rebuildHistory } from '@oddlot/venue';
import { ProgressBar, type Terminal } from './progress-bar.ts';

/**
 * Throws the history of a venue that does not run away, and computes it again from its log:
 *
 *     oddlot rebuild-history --data ./data [--database postgres://…]
 *
 * Takes the venue's own settings, from flags, environment or file. Ends with 0 when it is complete.
 */
export async function runRebuildHistory(
  args: readonly string[],
  { environment, stderr }: { readonly environment: NodeJS.ProcessEnv; readonly stderr: Terminal },
): Promise<number> {
  try {
    const { data, database } = readConfig([...args], environment);
    const place =
      database === undefined ? { file: join(data, 'history.sqlite') } : { url: database };
    const bar = new ProgressBar(stderr);
    const { height, rows } = await rebuildHistory({
      data,
      place,
      onProgress: ({ height: done, of }) => bar.show({ done, of, what: `block ${done} of ${of}` }),
    });
    bar.end();
    const counts = Object.entries(rows).map(([name, count]) => `${count} ${name}`);
    stderr.write(`the history is complete up to block ${height}: ${counts.join(', ')}\n`);
    return 0;
  } catch (error) {
    stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}
