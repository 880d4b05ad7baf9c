import { join } from 'node:path';
import { readConfig, rebuildHistory } from '@oddlot/venue';
import { EXIT } from './cli-error.ts';
import { ProgressBar, type Terminal } from './progress-bar.ts';

/** By name: whoever throws them is not ours to import. */
const ASKED_WRONGLY: readonly string[] = [
  'DirectoryLockedError',
  'RebuildRefusedError',
  'SettingError',
];

/**
 * Throws the history of a venue that does not run away, and computes it again from its log:
 *
 *     oddlot rebuild-history --data ./data [--database postgres://…] [--json]
 *
 * Takes the venue's own settings, from flags, environment or file. Ends with 0 when it is complete, with 2 when there is no log,
 * a venue runs on it or the settings are wrong, with 1 when it could not be finished.
 */
export async function runRebuildHistory(
  args: readonly string[],
  {
    environment,
    isJson,
    stderr,
    stdout,
  }: {
    readonly environment: NodeJS.ProcessEnv;
    readonly stderr: Terminal;
    readonly stdout: Terminal;
    /** What came out is one JSON object on standard output. */
    readonly isJson: boolean;
  },
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
    stderr.write(`History complete up to block ${height}: ${counts.join(', ')}\n`);
    if (isJson) stdout.write(`${JSON.stringify({ height, rows })}\n`);
    return EXIT.done;
  } catch (error) {
    const { message, name } = error instanceof Error ? error : new Error(String(error));
    const exitCode = ASKED_WRONGLY.includes(name) ? EXIT.usage : EXIT.fault;
    const told = isJson ? JSON.stringify({ error: { name, message, exitCode } }) : message;
    stderr.write(`${told}\n`);
    return exitCode;
  }
}
