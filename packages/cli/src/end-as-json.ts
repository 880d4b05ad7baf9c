import { writeSync } from 'node:fs';

const STDOUT = 1;
/** What a program that runs for years says is not all kept. */
const LINES_MAX = 1_000;

/**
 * Output of a program for other programs: what it writes to standard output goes to standard error, and when the process ends,
 * standard output gets one JSON object with the exit code, those lines, and the last error message if it failed.
 */
export function endAsJson(program: string): void {
  const said: string[] = [];
  let unfinished = '';
  let message = '';
  const writeError = process.stderr.write.bind(process.stderr);
  process.stderr.write = ((chunk: string | Uint8Array) => {
    message = String(chunk).trimEnd();
    return writeError(chunk);
  }) as typeof process.stderr.write;
  process.stdout.write = ((chunk: string | Uint8Array) => {
    const lines = (unfinished + String(chunk)).split('\n');
    unfinished = lines.pop() ?? '';
    said.push(...lines);
    said.splice(0, said.length - LINES_MAX);
    return writeError(chunk);
  }) as typeof process.stdout.write;
  process.once('exit', (exitCode) => {
    if (unfinished !== '') said.push(unfinished);
    // Nothing that waits is written any more at this moment.
    const error = exitCode === 0 || message === '' ? {} : { error: { message, exitCode } };
    writeSync(STDOUT, `${JSON.stringify({ program, exitCode, said, ...error })}\n`);
  });
}
