import { writeSync } from 'node:fs';

type Shown = {
  /** The value that `--json` prints. */
  readonly json: unknown;
  readonly lines: readonly string[];
};

/** Formats rows as columns with titles. Numbers are right-aligned. */
export function table(rows: readonly Readonly<Record<string, string>>[], none: string): string[] {
  const [first] = rows;
  if (first === undefined) return [none];
  const titles = Object.keys(first);
  const widths = titles.map((title) =>
    Math.max(title.length, ...rows.map((row) => (row[title] ?? '').length)),
  );
  const isNumber = titles.map((title) =>
    rows.every((row) => /^[-+\d.,%]*$/.test(row[title] ?? '')),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => (isNumber[at] ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!)))
      .join('  ')
      .trimEnd();
  return [line(titles), ...rows.map((row) => line(titles.map((title) => row[title] ?? '')))];
}

export function print({ json, lines }: Shown, isJson: boolean | undefined): void {
  const text = isJson === true ? JSON.stringify(json) : lines.join('\n');
  process.stdout.write(`${text}\n`);
}

export type Terminal = { readonly isTTY?: boolean; write(text: string): unknown };

type Progress = { readonly done: number; readonly of: number; readonly what: string };

const BAR_CELLS = 30;
/**
 * Without a terminal, a line is written each time progress has increased by this many percentage
 * points.
 */
const LINE_PERCENT = 10;

/** Shows progress as a bar in a terminal, otherwise as occasional lines. */
export class ProgressBar {
  readonly #out: Terminal;
  #lastPercent = -1;

  constructor(out: Terminal) {
    this.#out = out;
  }

  show({ done, of, what }: Progress): void {
    const percent = of === 0 ? 100 : Math.min(100, Math.floor((100 * done) / of));
    const text = `${percent}% ${what}`;
    if (this.#out.isTTY === true) {
      const cells = Math.floor((BAR_CELLS * percent) / 100);
      this.#out.write(`\r[${'#'.repeat(cells).padEnd(BAR_CELLS)}] ${text}`);
    } else if (percent >= this.#lastPercent + LINE_PERCENT || percent === 100) {
      if (percent === this.#lastPercent) return;
      this.#lastPercent = percent;
      this.#out.write(`${text}\n`);
    }
  }

  end(): void {
    if (this.#out.isTTY === true) this.#out.write('\n');
  }
}

const STDOUT = 1;
/** Limits the memory used for a long-running program's output. */
const LINES_MAX = 1_000;

/**
 * Prints a program's output as JSON. The program's standard output is redirected to standard error.
 * When the process exits, one JSON object is written to standard output, with the exit code, those
 * lines, and the last error message if the process failed.
 */
export function endAsJson(program: string): void {
  const printed: string[] = [];
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
    printed.push(...lines);
    printed.splice(0, printed.length - LINES_MAX);
    return writeError(chunk);
  }) as typeof process.stdout.write;
  process.once('exit', (exitCode) => {
    if (unfinished !== '') printed.push(unfinished);
    // The object is written synchronously, because asynchronous writes would be lost when the
    // process exits.
    const error = exitCode === 0 || message === '' ? {} : { error: { message, exitCode } };
    writeSync(STDOUT, `${JSON.stringify({ program, exitCode, said: printed, ...error })}\n`);
  });
}
