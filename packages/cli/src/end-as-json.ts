import { writeSync } from 'node:fs';

const STDOUT = 1;
/** What a program that runs for years says is not all kept. */
const LINES_MAX = 1_000;

/**
 * A program that speaks to people, for programs: what it says on standard output goes to standard error, and when the process
 * ends one JSON object stands on standard output, with how it ended and what it said.
 */
export function endAsJson(program: string): void {
  const said: string[] = [];
  let unfinished = '';
  process.stdout.write = ((chunk: string | Uint8Array) => {
    const lines = (unfinished + String(chunk)).split('\n');
    unfinished = lines.pop() ?? '';
    said.push(...lines);
    said.splice(0, said.length - LINES_MAX);
    return process.stderr.write(chunk);
  }) as typeof process.stdout.write;
  process.once('exit', (exitCode) => {
    if (unfinished !== '') said.push(unfinished);
    // Nothing that waits is written any more at this moment.
    writeSync(STDOUT, `${JSON.stringify({ program, exitCode, said })}\n`);
  });
}
