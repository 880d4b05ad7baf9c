/** Rows as a table, or everything as one JSON value. */
type Shown = {
  /** What `--json` prints. */
  readonly json: unknown;
  /** Lines for people. */
  readonly lines: readonly string[];
};

/** Columns by their titles; numbers to the right. */
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
